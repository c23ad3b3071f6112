#include "controllers/runtime/election/fenced_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::Calls;
using kube::ClientVerb;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};

// A leadership until a time that the test sets.
class TimedLeadership : public Leadership {
 public:
  explicit TimedLeadership(FakeClock& clock) : clock_(clock) {}
  absl::Duration Remaining() const override { return until - clock_.Monotonic(); }
  absl::Duration until;

 private:
  FakeClock& clock_;
};

class FencedClientTest : public ::testing::Test {
 protected:
  FencedClientTest() {
    cluster_.Serve(kWidgets);
    cluster_.Put(kWidgets, R"({"metadata":{"name":"a"}})");
    LeadFor(absl::Seconds(10));
  }
  ~FencedClientTest() override { RunOn(io_, tasks_.Stop()); }

  void LeadFor(absl::Duration time) { leadership_.until = clock_.Monotonic() + time; }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    Settle();
    clock_.Advance(time);
    Settle();
  }
  // The kinds of write, by number.
  static constexpr int kWrites = 4;
  static constexpr ClientVerb kVerbs[kWrites] = {ClientVerb::kCreate, ClientVerb::kUpdate,
                                                 ClientVerb::kPatch, ClientVerb::kDelete};
  static VoidTask Write(FencedClientTest& test, int kind) {
    const boost::json::value object = {{"metadata", {{"name", kind == 0 ? "b" : "a"}}}};
    const boost::json::value patch = {{"spec", 1}};
    kube::WriteOptions options;
    options.may_send = test.may_send_;
    kube::DeleteOptions delete_options;
    delete_options.may_send = test.may_send_;
    const kube::NamespacedName name = {"", "a"};
    absl::StatusOr<boost::json::value> answer = absl::InternalError("");
    switch (kind) {
      case 0:
        answer = co_await test.writer_->Create(kWidgets, "", object, options);
        break;
      case 1:
        answer = co_await test.writer_->Update(kWidgets, object, options);
        break;
      case 2:
        answer = co_await test.writer_->Patch(kWidgets, name, kube::PatchType::kJsonMerge, patch,
                                              options);
        break;
      default:
        answer = co_await test.writer_->Delete(kWidgets, name, delete_options);
    }
    test.answer_ = answer.status();
  }
  void Begin(int kind) {
    answer_.reset();
    task_ = tasks_.Spawn("write", Write(*this, kind));
    Settle();
  }
  int calls(int kind) { return network_.calls({kVerbs[kind], kWidgets}); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  kube::HookClient reads_{cluster_, clock_};
  kube::HookClient network_{cluster_, clock_};  // for writes
  TimedLeadership leadership_{clock_};
  FencedClient client_{reads_, network_, leadership_, clock_};
  kube::Client* writer_ = &client_;
  TaskGroup tasks_{io_.get_executor()};
  TaskGroup::Ref task_;
  std::optional<absl::Status> answer_;
  kube::SendCheck may_send_;
};

TEST_F(FencedClientTest, ALeaderWrites) {
  for (int kind = 0; kind < kWrites; ++kind) {
    Begin(kind);
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_OK(*answer_) << kind;
    EXPECT_EQ(calls(kind), 1) << kind;
  }
  EXPECT_EQ(client_.last_unresolved(), std::nullopt);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(FencedClientTest, OthersSendNothing) {
  LeadFor(absl::ZeroDuration());
  for (int kind = 0; kind < kWrites; ++kind) {
    Begin(kind);
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_THAT(*answer_, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("leader")));
    EXPECT_EQ(calls(kind), 0) << kind;
  }
  EXPECT_EQ(client_.last_unresolved(), std::nullopt);
}

TEST_F(FencedClientTest, EverybodyReads) {
  LeadFor(absl::ZeroDuration());
  const kube::NamespacedName name = {"", "a"};
  EXPECT_OK(RunOn(io_, client_.Get(kWidgets, name)));
  EXPECT_OK(RunOn(io_, client_.List(kWidgets, {})));
  EXPECT_OK(RunOn(io_, client_.StartWatch(kWidgets, {})));
}

// Each connection for writes may be waiting for a slow admission.
TEST_F(FencedClientTest, NoReadWaitsForWrites) {
  const kube::NamespacedName name = {"", "a"};
  network_.Hold({ClientVerb::kGet, kWidgets});
  network_.Hold({ClientVerb::kDelete, kWidgets});
  Begin(3);
  EXPECT_FALSE(answer_.has_value());
  std::optional<absl::Status> read;
  const auto get = [](FencedClient& client, const kube::NamespacedName& of,
                      std::optional<absl::Status>& out) -> VoidTask {
    out = (co_await client.Get(kWidgets, of)).status();
  };
  tasks_.Spawn("read", get(client_, name, read));
  Settle();
  ASSERT_TRUE(read.has_value());
  EXPECT_OK(*read);
  EXPECT_FALSE(answer_.has_value());
}

TEST_F(FencedClientTest, AWriteUnderWayIsGivenUpWhenLeadershipEnds) {
  for (int kind = 0; kind < kWrites; ++kind) {
    const Calls held = {kVerbs[kind], kWidgets};
    LeadFor(absl::Seconds(10));
    network_.Hold(held);
    Begin(kind);
    Pass(absl::Seconds(10) - absl::Nanoseconds(1));
    EXPECT_FALSE(answer_.has_value()) << kind;
    Pass(absl::Nanoseconds(1));
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_THAT(*answer_, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("may have happened")));
    EXPECT_EQ(client_.last_unresolved(), clock_.Monotonic()) << kind;
    network_.Release(held);
    Settle();
  }
  EXPECT_THAT(cluster_.Objects(kWidgets).at({"", "a"}), Not(HasSubstr("spec")));
}

// After a suspension or a SIGSTOP, the timers have not fired yet.
TEST_F(FencedClientTest, NothingLeavesAfterAWaitDuringWhichLeadershipEnded) {
  const auto before = cluster_.Objects(kWidgets);
  for (int kind = 0; kind < kWrites; ++kind) {
    const Calls held = {kVerbs[kind], kWidgets};
    LeadFor(absl::Seconds(10));
    network_.Hold(held);
    Begin(kind);
    EXPECT_FALSE(answer_.has_value()) << kind;
    LeadFor(absl::ZeroDuration());
    network_.Release(held);
    Settle();
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_THAT(*answer_, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("leader")));
  }
  EXPECT_EQ(cluster_.Objects(kWidgets), before);
  EXPECT_EQ(client_.last_unresolved(), std::nullopt);
}

TEST_F(FencedClientTest, TheCallersOwnCheckCountsToo) {
  const auto before = cluster_.Objects(kWidgets);
  may_send_ = [] { return absl::AbortedError("the guards are old"); };
  for (int kind = 0; kind < kWrites; ++kind) {
    Begin(kind);
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_EQ(*answer_, absl::AbortedError("the guards are old")) << kind;
  }
  EXPECT_EQ(cluster_.Objects(kWidgets), before);
}

TEST_F(FencedClientTest, AProlongedLeadershipProlongsTheWrite) {
  const Calls held = {ClientVerb::kPatch, kWidgets};
  network_.Hold(held);
  Begin(2);
  for (int i = 0; i < 10; ++i) {
    Pass(absl::Seconds(5));
    LeadFor(absl::Seconds(10));
  }
  EXPECT_FALSE(answer_.has_value());
  network_.Release(held);
  Settle();
  ASSERT_TRUE(answer_.has_value());
  EXPECT_OK(*answer_);
}

TEST_F(FencedClientTest, ALeadershipThatIsTakenAwayEarlyFencesTheNextWrite) {
  LeadFor(absl::ZeroDuration());
  Begin(3);
  EXPECT_FALSE(answer_->ok());
  EXPECT_EQ(cluster_.Objects(kWidgets).size(), 1u);
}

TEST_F(FencedClientTest, UnknownOutcomesAreRemembered) {
  const struct {
    const char* what;
    absl::Status error;
    bool unknown;
  } rows[] = {
      {"an answer of the server", kube::ToStatus(kube::Conflict(kWidgets, "a", "x")), false},
      {"not found", kube::ToStatus(kube::NotFound(kWidgets, "a")), false},
      {"too many requests", absl::ResourceExhaustedError("x"), false},
      {"connection lost", absl::UnavailableError("reset"), true},
      {"no answer in time", absl::DeadlineExceededError("x"), true},
  };
  for (const auto& row : rows) {
    clock_.Advance(absl::Milliseconds(1));
    network_.FailNext({ClientVerb::kPatch, kWidgets}, row.error);
    Begin(2);
    EXPECT_EQ(answer_->code(), row.error.code()) << row.what;
    EXPECT_EQ(client_.last_unresolved() == clock_.Monotonic(), row.unknown) << row.what;
  }
}

TEST_F(FencedClientTest, SoAreCancelledWrites) {
  network_.Hold({ClientVerb::kDelete, kWidgets});
  Begin(3);
  clock_.Advance(absl::Seconds(1));
  task_.Cancel();
  Settle();
  EXPECT_FALSE(answer_.has_value());
  EXPECT_EQ(client_.last_unresolved(), clock_.Monotonic());
}

TEST_F(FencedClientTest, WhoActsAsAnotherIsFencedAsWell) {
  const kube::UserInfo alice{"alice"};
  const std::unique_ptr<kube::Client> outer = client_.As({"bob"});
  const std::unique_ptr<kube::Client> acting = outer->As(alice);
  writer_ = acting.get();
  LeadFor(absl::ZeroDuration());
  for (int kind = 0; kind < kWrites; ++kind) {
    Begin(kind);
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_THAT(*answer_, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("leader")));
    EXPECT_EQ(calls(kind), 0) << kind;
  }
  LeadFor(absl::Seconds(10));
  for (int kind = 0; kind < kWrites; ++kind) {
    Begin(kind);
    ASSERT_TRUE(answer_.has_value()) << kind;
    EXPECT_OK(*answer_) << kind;
    EXPECT_EQ(network_.last_user({kVerbs[kind], kWidgets}), alice) << kind;
  }
  const kube::NamespacedName name = {"", "b"};
  EXPECT_OK(RunOn(io_, acting->Get(kWidgets, name)));
  EXPECT_EQ(reads_.last_user({ClientVerb::kGet, kWidgets}), alice);
  EXPECT_EQ(client_.last_unresolved(), std::nullopt);
}

TEST_F(FencedClientTest, ItsLostWritesAreKnownToo) {
  const std::unique_ptr<kube::Client> outer = client_.As({"bob"});
  const std::unique_ptr<kube::Client> acting = outer->As({"alice"});
  writer_ = acting.get();
  network_.LoseNext({ClientVerb::kPatch, kWidgets});
  Begin(2);
  ASSERT_TRUE(answer_.has_value());
  EXPECT_EQ(answer_->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client_.last_unresolved(), clock_.Monotonic());
  // A write that is under way when leadership ends is given up.
  network_.Hold({ClientVerb::kPatch, kWidgets});
  Begin(2);
  EXPECT_FALSE(answer_.has_value());
  Pass(absl::Seconds(11));
  ASSERT_TRUE(answer_.has_value());
  EXPECT_EQ(answer_->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client_.last_unresolved(), clock_.Monotonic());
}

}  // namespace
}  // namespace steward::controllers
