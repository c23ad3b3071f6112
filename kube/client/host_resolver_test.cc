#include "kube/client/host_resolver.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/clock/time_limit.h"
#include "base/status/matchers.h"
#include "kube/client/byte_stream.h"
#include "kube/client/config.h"
#include "kube/client/dialer.h"

namespace steward::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A look-up that blocks until LetGo.
class SlowLookUp {
 public:
  ~SlowLookUp() { LetGo(); }

  HostLookUp Function() {
    return [state = state_](const std::string&, uint16_t) {
      ++state->calls;
      state->gone.wait();
      return state->result;
    };
  }
  // Sets the result of the running look-ups and of later ones.
  void LetGo(absl::StatusOr<Endpoints> result = Endpoints(1)) {
    if (std::exchange(let_go_, true)) return;
    state_->result = std::move(result);
    state_->go.set_value();
  }
  int calls() const { return state_->calls; }
  // False if no look-up runs, or can still begin.
  bool in_use() const { return state_.use_count() > 1; }

 private:
  struct State {
    std::atomic<int> calls = 0;
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    absl::StatusOr<Endpoints> result;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  bool let_go_ = false;
};

class HostResolverTest : public ::testing::Test {
 protected:
  ~HostResolverTest() override { RunOn(io_, calls_.Stop()); }

  template <typename T>
  using Result = std::shared_ptr<std::optional<absl::StatusOr<T>>>;
  template <typename T>
  Result<T> Begin(Task<T> task) {
    auto result = std::make_shared<std::optional<absl::StatusOr<T>>>();
    last_ = calls_.Spawn("call", Into(std::move(task), result));
    Poll();
    return result;
  }
  void Poll() {
    io_.restart();
    io_.poll();
  }
  template <typename T>
  void Await(const Result<T>& result) {
    io_.restart();
    while (!result->has_value()) {
      ASSERT_GT(io_.run_one_for(std::chrono::seconds(20)), 0u) << "stuck";
    }
  }

  asio::io_context io_{1};
  SlowLookUp slow_;
  TaskGroup calls_{io_.get_executor()};
  TaskGroup::Ref last_;

 private:
  template <typename T>
  static VoidTask Into(Task<T> task, Result<T> result) {
    absl::StatusOr<T> value = co_await std::move(task);
    result->emplace(std::move(value));
  }
};

TEST_F(HostResolverTest, AskersShareALookUp) {
  HostResolver resolver(io_.get_executor(), "server.test", 443, slow_.Function());
  const auto first = Begin(resolver.Resolve());
  const auto second = Begin(resolver.Resolve());
  EXPECT_FALSE(*first);
  slow_.LetGo();
  Await(first);
  Await(second);
  EXPECT_THAT(**first, IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(**second, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ(slow_.calls(), 1);
  const auto later = Begin(resolver.Resolve());
  Await(later);
  EXPECT_OK(**later);
  EXPECT_EQ(slow_.calls(), 2);
}

TEST_F(HostResolverTest, FailuresReachEveryAsker) {
  HostResolver resolver(io_.get_executor(), "server.test", 443, slow_.Function());
  const auto first = Begin(resolver.Resolve());
  const auto second = Begin(resolver.Resolve());
  slow_.LetGo(absl::UnavailableError("no such host"));
  Await(first);
  Await(second);
  EXPECT_THAT(**first, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no such host")));
  EXPECT_THAT(**second, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no such host")));
}

TEST_F(HostResolverTest, ACancelledAskerLeavesTheOthers) {
  HostResolver resolver(io_.get_executor(), "server.test", 443, slow_.Function());
  const auto cancelled = Begin(resolver.Resolve());
  last_.Cancel();
  Poll();
  EXPECT_EQ(calls_.size(), 0u);
  const auto other = Begin(resolver.Resolve());
  slow_.LetGo();
  Await(other);
  EXPECT_OK(**other);
  EXPECT_FALSE(*cancelled);
  EXPECT_EQ(slow_.calls(), 1);
}

TEST(HostResolverEndTest, NobodyWaitsForALookUp) {
  SlowLookUp slow;
  {
    asio::io_context io{1};
    TaskGroup calls(io.get_executor());
    HostResolver resolver(io.get_executor(), "server.test", 443, slow.Function());
    const auto resolve = [](HostResolver& r) -> VoidTask { (void)co_await r.Resolve(); };
    calls.Spawn("call", resolve(resolver));
    io.poll();
    RunOn(io, calls.Stop());
  }
  // When the thread ends, neither resolver nor executor exists any more.
  slow.LetGo();
  while (slow.in_use()) std::this_thread::yield();
}

TEST_F(HostResolverTest, TimeLimitsHoldWhileTheDialerLooksUp) {
  ClientConfig config;
  config.tls = false;
  config.host = "server.test";
  FakeClock clock;
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Dialer> dialer,
                       MakeDialer(config, io_.get_executor(), slow_.Function()));
  const auto dialed = Begin(WithTimeout(clock, absl::Seconds(5), "dial", dialer->Dial()));
  clock.Advance(absl::Seconds(5) - absl::Milliseconds(1));
  Poll();
  EXPECT_FALSE(*dialed);
  clock.Advance(absl::Milliseconds(1));
  Poll();
  ASSERT_TRUE(*dialed);
  EXPECT_EQ((*dialed)->status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(HostResolverTest, TheDialerConnectsToWhatIsFound) {
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  slow_.LetGo(Endpoints{acceptor.local_endpoint()});
  ClientConfig config;
  config.tls = false;
  config.host = "server.test";
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Dialer> dialer,
                       MakeDialer(config, io_.get_executor(), slow_.Function()));
  const auto dialed = Begin(dialer->Dial());
  Await(dialed);
  EXPECT_OK(**dialed);
}

TEST(LookUpHostTest, GivesEndpoints) {
  EXPECT_THAT(
      LookUpHost("127.0.0.1", 8443),
      IsOkAndHolds(::testing::Contains(tcp::endpoint(asio::ip::address_v4::loopback(), 8443))));
}

}  // namespace
}  // namespace steward::kube
