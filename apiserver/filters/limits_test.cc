// Tests of deadlines and of the limits on requests in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <list>
#include <memory>
#include <vector>

#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/filters/deadline.h"
#include "apiserver/filters/max_in_flight.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
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

// A watch that begins late, settles, and then waits forever.
VoidTask BeginLate(FakeClock& clock, absl::Duration begins, int status,
                   http::ResponseWriter& writer) {
  http::ResponseHead head;
  head.status = status;
  const absl::Status sent = co_await writer.WriteHead(std::move(head));
  sent.IgnoreError();
  co_await clock.Sleep(begins);
  writer.Settled();
  co_await clock.Sleep(absl::Hours(1));
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
  // Keeps handlers alive as long as their requests.
  const http::Handler& Keep(http::Handler handler) {
    return handlers_.emplace_back(std::move(handler));
  }
  const http::Handler& Limited(InFlightLimits limits, absl::Duration takes) {
    return Keep(WithMaxInFlight(Slow(takes), *AlwaysAllowed::Create({"/livez"}), limits, clock_,
                                {metrics_, pools_}));
  }
  http::Handler BeginsLate(absl::Duration begins, int status = 200) {
    return [this, begins, status](http::Request&, http::ResponseWriter& writer) {
      return BeginLate(clock_, begins, status, writer);
    };
  }
  Call& Start(const http::Handler& handler, const std::string& target,
              std::vector<std::string> groups = {}, const std::string& method = "GET") {
    return StartAs("u", handler, target, std::move(groups), method);
  }
  Call& StartAs(const std::string& user, const http::Handler& handler, const std::string& target,
                std::vector<std::string> groups = {}, const std::string& method = "GET") {
    calls_.push_back(std::make_unique<Call>());
    Call& call = *calls_.back();
    call.request = MakeReadRequest(method, target);
    call.request.user.name = user;
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
  PoolMetrics pools_{registry_};
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

TEST_F(LimitsTest, WhoFindsNoPlaceWaitsInTurnAndNotForLong) {
  const http::Handler& handler = Limited({.read_only = 2, .mutating = 1}, absl::Seconds(14));
  Call& first = Start(handler, "/apis/g/v1/widgets");
  Call& second = Start(handler, "/version");
  Call& third = Start(handler, "/apis/g/v1/widgets/w");
  // These requests are exempt, or belong to another pool.
  Call& master = Start(handler, "/apis/g/v1", {"system:masters"});
  Call& health = Start(handler, "/livez", {"system:unauthenticated"});
  Call& create = Start(handler, "/apis/g/v1/widgets", {}, "POST");
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_THAT(text, HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} 4"));
  EXPECT_THAT(text, HasSubstr("apiserver_current_inflight_requests{request_kind=\"mutating\"} 1"));
  EXPECT_THAT(text, HasSubstr("apiserver_flowcontrol_current_executing_requests"
                              "{priority_level=\"read-only\"} 2"));
  EXPECT_THAT(text, HasSubstr("apiserver_flowcontrol_current_inqueue_requests"
                              "{priority_level=\"read-only\"} 1"));
  Advance(absl::Seconds(14));
  for (Call* call : {&first, &second, &master, &health, &create}) {
    EXPECT_EQ(call->writer.status(), 200);
  }
  Call& fourth = Start(handler, "/x");
  Call& fifth = Start(handler, "/x");
  Advance(absl::Seconds(14));
  EXPECT_EQ(third.writer.status(), 200);
  EXPECT_EQ(fourth.writer.status(), 200);
  Advance(absl::Seconds(1));
  EXPECT_EQ(fifth.writer.status(), 0) << "got its place before its time was over";

  Call& sixth = Start(handler, "/x");
  Call& late = Start(handler, "/x?timeout=4s");
  Advance(absl::Seconds(1));
  EXPECT_EQ(late.writer.status(), 429);
  EXPECT_EQ(late.writer.body(), "Too many requests, please try again later.\n");
  EXPECT_EQ(late.writer.Header("Retry-After"), "1");
  Advance(absl::Seconds(14));
  EXPECT_EQ(sixth.writer.status(), 200);
}

TEST_F(LimitsTest, OneUserDoesNotStarveOthers) {
  const http::Handler& handler = Limited({.read_only = 4}, absl::Seconds(1));
  std::vector<Call*> greedy;
  for (int i = 0; i < 13; ++i) greedy.push_back(&StartAs("greedy", handler, "/x"));
  Call& modest = StartAs("modest", handler, "/x");
  EXPECT_EQ(greedy.back()->writer.status(), 429) << "of one user half as many as may wait at all";
  Advance(absl::Seconds(1));
  Advance(absl::Seconds(1));
  EXPECT_EQ(modest.writer.status(), 200) << "its turn was the next";
  EXPECT_EQ(greedy[8]->writer.status(), 0);
}

TEST_F(LimitsTest, WhoHoldsNothingNeedNotWaitForOneUser) {
  const http::Handler& handler = Limited({.read_only = 8}, absl::Seconds(1));
  std::vector<Call*> greedy;
  for (int i = 0; i < 8; ++i) greedy.push_back(&StartAs("greedy", handler, "/x"));
  Call& modest = StartAs("modest", handler, "/x");
  Advance(absl::Seconds(1));
  EXPECT_EQ(modest.writer.status(), 200);
  EXPECT_EQ(greedy[6]->writer.status(), 200);
  EXPECT_EQ(greedy[7]->writer.status(), 0) << "its turn came when others had theirs";
}

TEST_F(LimitsTest, StrangersHaveAFewPlacesOfTheirOwn) {
  const http::Handler& handler = Limited({.read_only = 4, .strangers = 1}, absl::Seconds(1));
  std::vector<Call*> strangers;
  for (int i = 0; i < 10; ++i) {
    strangers.push_back(&Start(handler, "/x", {"system:unauthenticated"}));
  }
  std::vector<Call*> users;
  for (int i = 0; i < 4; ++i) users.push_back(&StartAs("alice", handler, "/x"));
  EXPECT_EQ(strangers.back()->writer.status(), 429);
  Call& probe = Start(handler, "/livez", {"system:unauthenticated"});
  Advance(absl::Seconds(1));
  for (const Call* call : users) EXPECT_EQ(call->writer.status(), 200);
  EXPECT_EQ(probe.writer.status(), 200);
  EXPECT_EQ(strangers[0]->writer.status(), 200);
  EXPECT_EQ(strangers[1]->writer.status(), 0);
}

TEST_F(LimitsTest, WatchesHoldAPlaceUntilTheyHaveToldWhatThereIs) {
  const http::Handler& handler =
      Keep(WithMaxInFlight(BeginsLate(absl::Seconds(2)), *AlwaysAllowed::Create({}),
                           {.read_only = 1}, clock_, {metrics_, pools_}));
  Call& first = Start(handler, "/apis/g/v1/widgets?watch=1");
  Call& second = Start(handler, "/apis/g/v1/widgets?watch=1");
  EXPECT_EQ(first.writer.status(), 200);
  EXPECT_EQ(second.writer.status(), 0);
  Advance(absl::Seconds(2));
  EXPECT_FALSE(first.writer.finished());
  EXPECT_EQ(second.writer.status(), 200);
}

TEST_F(LimitsTest, RefusedWatchesHoldNoPlace) {
  const http::Handler& handler =
      Keep(WithMaxInFlight(BeginsLate(absl::Hours(1), 403), *AlwaysAllowed::Create({}),
                           {.read_only = 1}, clock_, {metrics_, pools_}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Start(handler, "/apis/g/v1/widgets?watch=1").writer.status(), 403);
  }
}

TEST_F(LimitsTest, WatchesAreBoundedPerUserAndInAll) {
  const http::Handler& handler =
      Keep(WithMaxInFlight(BeginsLate(absl::ZeroDuration()), *AlwaysAllowed::Create({}),
                           {.watches = {.all = 3, .per_user = 2}}, clock_, {metrics_, pools_}));
  const std::string watch = "/apis/g/v1/widgets?watch=1";
  for (int i = 0; i < 2; ++i) EXPECT_NE(StartAs("alice", handler, watch).writer.status(), 429);
  EXPECT_EQ(StartAs("alice", handler, watch).writer.status(), 429);
  EXPECT_NE(StartAs("bob", handler, watch).writer.status(), 429);
  EXPECT_EQ(StartAs("bob", handler, watch).writer.status(), 429);
  EXPECT_NE(Start(handler, watch, {"system:masters"}).writer.status(), 429);
  EXPECT_THAT(prometheus::TextSerializer().Serialize(registry_.Collect()),
              HasSubstr("apiserver_flowcontrol_rejected_requests_total{priority_level=\"watches\","
                        "reason=\"concurrency-limit\"} 2"));
}

TEST_F(LimitsTest, CancelledRequestsGiveTheirPlaceBack) {
  const http::Handler& handler = Limited({.read_only = 1}, absl::Seconds(1));
  auto call = std::make_unique<Call>();
  call->request = MakeReadRequest("GET", "/x");
  call->request.user.name = "u";
  TaskGroup group(io_.get_executor());
  group.Spawn("gone", handler(call->request, call->writer));
  Settle();
  Call& next = Start(handler, "/x");
  EXPECT_EQ(next.writer.status(), 0);
  RunOn(io_, group.Stop());
  Settle();
  Advance(absl::Seconds(1));
  EXPECT_EQ(next.writer.status(), 200);
}

TEST_F(LimitsTest, ZeroIsNoLimit) {
  const http::Handler& handler = Limited({.read_only = 0, .mutating = 0}, absl::Seconds(1));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Start(handler, "/x").writer.status(), 0);
  Advance(absl::Seconds(1));
  for (const auto& call : calls_) EXPECT_EQ(call->writer.status(), 200);
}

}  // namespace
}  // namespace steward::filters
