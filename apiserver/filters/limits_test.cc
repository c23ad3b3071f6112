// Deadlines and the bound on requests in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <list>
#include <memory>
#include <vector>

#include "apiserver/filters/deadline.h"
#include "apiserver/filters/max_in_flight.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward::filters {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

VoidTask ServeSlowly(FakeClock& clock, absl::Duration takes, bool head_first,
                     http::ResponseWriter& writer) {
  if (head_first) {
    const absl::Status sent = co_await writer.WriteHead({});
    sent.IgnoreError();
  }
  co_await clock.Sleep(takes);
  if (head_first) {
    const absl::Status sent = co_await writer.Finish();
    sent.IgnoreError();
    co_return;
  }
  const absl::Status sent = co_await http::Respond(writer, 200, "text/plain", "slow");
  sent.IgnoreError();
}

struct Call {
  http::Request request;
  rest::RecordingWriter writer;
};

class LimitsTest : public ::testing::Test {
 protected:
  ~LimitsTest() override { RunOn(io_, group_.Stop()); }

  http::Handler Slow(absl::Duration takes, bool head_first = false) {
    return [this, takes, head_first](http::Request&, http::ResponseWriter& writer) {
      return ServeSlowly(clock_, takes, head_first, writer);
    };
  }
  // Handlers live as long as what they were asked.
  const http::Handler& Keep(http::Handler handler) {
    return handlers_.emplace_back(std::move(handler));
  }
  Call& Start(const http::Handler& handler, const std::string& target,
              std::vector<std::string> groups = {}, const std::string& method = "GET") {
    calls_.push_back(std::make_unique<Call>());
    Call& call = *calls_.back();
    call.request = MakeReadRequest(method, target);
    call.request.user.groups = std::move(groups);
    group_.Spawn("call", handler(call.request, call.writer));
    Settle();
    return call;
  }
  void Advance(absl::Duration duration) {
    clock_.Advance(duration);
    Settle();
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }

  FakeClock clock_;
  prometheus::Registry registry_;
  RequestMetrics metrics_{registry_, {}};
  asio::io_context io_;
  std::list<http::Handler> handlers_;
  std::vector<std::unique_ptr<Call>> calls_;
  TaskGroup group_{io_.get_executor()};
};

TEST(RequestTimeoutTest, Parameter) {
  struct Row {
    std::string target;
    absl::Duration want;
  };
  const Row rows[] = {
      {"/x", absl::Seconds(60)},
      {"/x?timeout=", absl::Seconds(60)},
      {"/x?timeout=5s", absl::Seconds(5)},
      {"/x?timeout=1500ms", absl::Milliseconds(1500)},
      {"/x?timeout=0", absl::Seconds(60)},
      {"/x?timeout=0s", absl::Seconds(60)},
      {"/x?timeout=-5s", absl::Seconds(60)},
      {"/x?timeout=2m", absl::Seconds(60)},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(RequestTimeout(MakeRequest("GET", row.target), absl::Seconds(60)),
                IsOkAndHolds(row.want))
        << row.target;
  }
  EXPECT_THAT(RequestTimeout(MakeRequest("GET", "/x?timeout=soon"), absl::Seconds(60)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("invalid timeout specified in the request URL - ")));
}

TEST_F(LimitsTest, DeadlineIs504) {
  const http::Handler& handler =
      Keep(WithDeadline(Slow(absl::Hours(1)), clock_, absl::Seconds(60)));
  Call& call = Start(handler, "/apis/g/v1/widgets");
  Advance(absl::Seconds(59));
  EXPECT_EQ(call.writer.status(), 0);
  Advance(absl::Seconds(1));
  EXPECT_EQ(call.writer.status(), 504);
  EXPECT_THAT(call.writer.body(),
              HasSubstr("Timeout: request did not complete within the allotted timeout"));
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(LimitsTest, ShorterByParameter) {
  const http::Handler& handler =
      Keep(WithDeadline(Slow(absl::Hours(1)), clock_, absl::Seconds(60)));
  Call& call = Start(handler, "/apis/g/v1/widgets?timeout=2s");
  Advance(absl::Seconds(2));
  EXPECT_EQ(call.writer.status(), 504);
  EXPECT_EQ(Start(handler, "/x?timeout=soon").writer.status(), 400);
}

TEST_F(LimitsTest, BegunResponseIsCut) {
  const http::Handler& handler =
      Keep(WithDeadline(Slow(absl::Hours(1), /*head_first=*/true), clock_, absl::Seconds(60)));
  Call& call = Start(handler, "/x");
  Advance(absl::Seconds(60));
  EXPECT_EQ(call.writer.status(), 200);
  EXPECT_FALSE(call.writer.finished());
  EXPECT_EQ(group_.size(), 0u);
}

TEST_F(LimitsTest, InTimeAndLongRunningAreLeftAlone) {
  const http::Handler& handler =
      Keep(WithDeadline(Slow(absl::Seconds(30)), clock_, absl::Seconds(60)));
  Call& call = Start(handler, "/x");
  Advance(absl::Seconds(30));
  EXPECT_EQ(call.writer.body(), "slow");
  const http::Handler& forever =
      Keep(WithDeadline(Slow(absl::Hours(2)), clock_, absl::Seconds(60)));
  Call& watch = Start(forever, "/apis/g/v1/widgets?watch=1");
  Advance(absl::Hours(1));
  EXPECT_EQ(watch.writer.status(), 0);
}

TEST_F(LimitsTest, MaxInFlight) {
  const http::Handler& handler =
      Keep(WithMaxInFlight(Slow(absl::Seconds(1)), {.read_only = 2, .mutating = 1}, metrics_));
  Call& first = Start(handler, "/apis/g/v1/widgets");
  Call& second = Start(handler, "/version");
  Call& third = Start(handler, "/apis/g/v1/widgets/w");
  EXPECT_EQ(third.writer.status(), 429);
  EXPECT_EQ(third.writer.body(), "Too many requests, please try again later.\n");
  EXPECT_EQ(third.writer.Header("Retry-After"), "1");

  // Exempt, or in another pool.
  Call& watch = Start(handler, "/apis/g/v1/widgets?watch=1");
  Call& master = Start(handler, "/apis/g/v1", {"system:masters"});
  Call& create = Start(handler, "/apis/g/v1/widgets", {}, "POST");
  EXPECT_EQ(Start(handler, "/apis/g/v1/widgets", {}, "POST").writer.status(), 429);
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_THAT(text, HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} 3"));
  EXPECT_THAT(text, HasSubstr("apiserver_current_inflight_requests{request_kind=\"mutating\"} 1"));

  Advance(absl::Seconds(1));
  for (Call* call : {&first, &second, &watch, &master, &create}) {
    EXPECT_EQ(call->writer.status(), 200);
  }
  Call& later = Start(handler, "/apis/g/v1/widgets");
  Advance(absl::Seconds(1));
  EXPECT_EQ(later.writer.status(), 200);
}

TEST_F(LimitsTest, CancelledRequestsGiveTheirPlaceBack) {
  const http::Handler& handler =
      Keep(WithMaxInFlight(Slow(absl::Seconds(1)), {.read_only = 1, .mutating = 1}, metrics_));
  {
    auto call = std::make_unique<Call>();
    call->request = MakeReadRequest("GET", "/x");
    TaskGroup group(io_.get_executor());
    group.Spawn("gone", handler(call->request, call->writer));
    Settle();
    EXPECT_EQ(Start(handler, "/x").writer.status(), 429);
    RunOn(io_, group.Stop());
  }
  Call& next = Start(handler, "/x");
  Advance(absl::Seconds(1));
  EXPECT_EQ(next.writer.status(), 200);
}

TEST_F(LimitsTest, ZeroIsNoLimit) {
  const http::Handler& handler =
      Keep(WithMaxInFlight(Slow(absl::Seconds(1)), {.read_only = 0, .mutating = 0}, metrics_));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Start(handler, "/x").writer.status(), 0);
}

}  // namespace
}  // namespace steward::filters
