#include "controllers/runtime/events/cluster_events.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const kube::GroupVersionResource kEvents = {"", "v1", "events"};
const kube::Calls kCreate = {ClientVerb::kCreate, kEvents};
const kube::Calls kPatch = {ClientVerb::kPatch, kEvents};

ObjectReference Csv(const std::string& name) {
  return {{"operators.coreos.com", "v1alpha1", "ClusterServiceVersion"},
          {"ops", name},
          StrCat("uid-", name)};
}

class ClusterEventsTest : public ::testing::Test {
 protected:
  ClusterEventsTest() { cluster_.Serve(kEvents); }
  ~ClusterEventsTest() override {
    network_.ForgetFaults(kEvents);
    RunOn(io_, tasks_.Stop());
  }

  static ClusterEventsOptions Options() {
    ClusterEventsOptions options;
    options.instance = "steward-0";
    options.max_events = 8;
    options.burst = 3;
    options.interval = absl::Minutes(1);
    return options;
  }
  void Start() {
    tasks_.Spawn("events", events_.Run());
    Settle();
  }
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
  void Record(const std::string& name, const std::string& message,
              EventType type = EventType::kNormal) {
    events_.Record(Csv(name), type, "Reason", message);
    Settle();
  }
  // The events in the cluster, by message.
  std::map<std::string, boost::json::object> Written() {
    std::map<std::string, boost::json::object> written;
    for (const auto& [name, text] : cluster_.Objects(kEvents)) {
      boost::json::object object = ParseJson(text)->as_object();
      std::string message = object.at("message").as_string().c_str();
      written[std::move(message)] = std::move(object);
    }
    return written;
  }
  std::string Count(const std::string& result) {
    const std::string all = prometheus::TextSerializer().Serialize(registry_.Collect());
    const std::string series = StrCat("steward_events_total{result=\"", result, "\"} ");
    const size_t at = all.find(series) + series.size();
    return all.substr(at, all.find('\n', at) - at);
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0.25};
  prometheus::Registry registry_;
  kube::FakeClient cluster_;
  kube::HookClient network_{cluster_, clock_};
  ClusterEvents events_{network_, clock_, random_, Options(), registry_};
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(ClusterEventsTest, AnEventAsKubernetesHasThem) {
  Start();
  Record("a", "hello", EventType::kWarning);
  boost::json::object event = Written().at("hello");
  const std::string name = event.at("metadata").at("name").as_string().c_str();
  EXPECT_THAT(name, MatchesRegex("a\\.[0-9a-f]+"));
  event.erase("metadata");
  const std::string expected =
      R"({"apiVersion":"v1","kind":"Event","involvedObject":{)"
      R"("apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)"
      R"("name":"a","uid":"uid-a","namespace":"ops"},"reason":"Reason","message":"hello",)"
      R"("type":"Warning","source":{"component":"steward-controllers"},)"
      R"("reportingComponent":"steward-controllers","reportingInstance":"steward-0",)"
      R"("firstTimestamp":"2023-11-14T22:13:20Z","lastTimestamp":"2023-11-14T22:13:20Z",)"
      R"("count":1})";
  EXPECT_EQ(boost::json::value(event), ParseJson(expected).value());
}

TEST_F(ClusterEventsTest, TheSameAgainIsCounted) {
  Start();
  Record("a", "hello");
  clock_.Advance(absl::Seconds(5));
  Record("a", "hello");
  ASSERT_EQ(Written().size(), 1u);
  EXPECT_EQ(Written().at("hello").at("count").as_int64(), 2);
  EXPECT_EQ(Written().at("hello").at("firstTimestamp").as_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(Written().at("hello").at("lastTimestamp").as_string(), "2023-11-14T22:13:25Z");
  EXPECT_EQ(network_.calls(kCreate), 1);
  EXPECT_EQ(network_.calls(kPatch), 1);
}

TEST_F(ClusterEventsTest, EachDifferenceMakesAnEvent) {
  Start();
  Record("a", "one");
  Record("a", "two");
  Record("b", "three");
  EXPECT_EQ(Written().size(), 3u);
  events_.Record(Csv("b"), EventType::kWarning, "Reason", "three");
  events_.Record(Csv("b"), EventType::kWarning, "Other", "three");
  Settle();
  EXPECT_EQ(cluster_.Objects(kEvents).size(), 5u);
}

TEST_F(ClusterEventsTest, ObjectsWithoutANamespaceHaveTheirEventsInDefault) {
  Start();
  ObjectReference about = {{"", "v1", "Namespace"}, {"", "n"}, "u"};
  events_.Record(about, EventType::kNormal, "Reason", "m");
  about.name.name = "system:odd";
  events_.Record(about, EventType::kNormal, "Reason", "odd");
  Settle();
  EXPECT_EQ(Written().at("m").at("metadata").at("namespace").as_string(), "default");
  EXPECT_FALSE(Written().at("m").at("involvedObject").as_object().contains("namespace"));
  EXPECT_THAT(std::string(Written().at("odd").at("metadata").at("name").as_string().c_str()),
              MatchesRegex("event\\.[0-9a-f]+"));
}

TEST_F(ClusterEventsTest, LongMessagesAreCutBetweenCharacters) {
  Start();
  const std::string most(1023, 'x');
  Record("a", StrCat(most, "\xC3\xA4 and more"));
  EXPECT_EQ(Written().begin()->first, most);
}

TEST_F(ClusterEventsTest, WhileItIsWrittenMoreIsCountedAndWrittenOnce) {
  Start();
  network_.Hold(kCreate);
  for (int i = 0; i < 100; ++i) Record("a", "hello");
  network_.Release(kCreate);
  Settle();
  EXPECT_EQ(Written().at("hello").at("count").as_int64(), 100);
  EXPECT_EQ(network_.calls(kCreate), 1);
  EXPECT_EQ(network_.calls(kPatch), 1);
}

TEST_F(ClusterEventsTest, WritesAboutOneObjectAreRateLimitedAndNothingIsLost) {
  Start();
  for (int i = 0; i < 50; ++i) Record("a", "hello");
  EXPECT_EQ(network_.calls(kCreate) + network_.calls(kPatch), 3);
  EXPECT_EQ(Written().at("hello").at("count").as_int64(), 3);
  Record("b", "not a's fault");
  EXPECT_EQ(Written().count("not a's fault"), 1u);
  Pass(absl::Minutes(1));
  EXPECT_EQ(Written().at("hello").at("count").as_int64(), 50);
  Pass(absl::Hours(1));
  EXPECT_EQ(network_.calls(kCreate) + network_.calls(kPatch), 5);
}

TEST_F(ClusterEventsTest, OneThatTheClusterForgotIsMadeAgain) {
  Start();
  Record("a", "hello");
  cluster_.Delete(kEvents, cluster_.Objects(kEvents).begin()->first);
  clock_.Advance(absl::Hours(1));
  Record("a", "hello");
  EXPECT_EQ(Written().at("hello").at("count").as_int64(), 1);
  EXPECT_EQ(Written().at("hello").at("firstTimestamp").as_string(), "2023-11-14T23:13:20Z");
}

TEST_F(ClusterEventsTest, FailuresAreTriedAgainAndThenDropped) {
  Start();
  network_.FailNext(kCreate, absl::UnavailableError("x"), 2);
  Record("a", "hello");
  EXPECT_EQ(Written().size(), 0u);
  Pass(absl::Seconds(5));
  Pass(absl::Seconds(5));
  EXPECT_EQ(Written().size(), 1u);
  network_.FailNext(kCreate, absl::UnavailableError("x"), 3);
  Record("b", "lost");
  Record("c", "kept");
  for (int i = 0; i < 3; ++i) Pass(absl::Seconds(5));
  EXPECT_EQ(Written().count("lost"), 0u);
  EXPECT_EQ(Written().count("kept"), 1u);
  EXPECT_EQ(Count("written"), "2");
  EXPECT_EQ(Count("failed"), "1");
  // An event that was given up is written when it is recorded again.
  Record("b", "lost");
  EXPECT_EQ(Written().count("lost"), 1u);
}

TEST_F(ClusterEventsTest, WhatCannotSucceedIsTriedOnce) {
  Start();
  network_.FailNext(kCreate, kube::ToStatus(kube::Forbidden(kEvents, "", "being terminated")), 9);
  Record("a", "hello");
  EXPECT_EQ(network_.calls(kCreate), 1);
  EXPECT_EQ(Count("failed"), "1");
}

TEST_F(ClusterEventsTest, ASlowServerBlocksNobodyAndIsGivenUp) {
  Start();
  network_.Hold(kCreate);
  Record("a", "hello");
  for (int i = 0; i < 20; ++i) Record(StrCat("n", i), "m");
  EXPECT_LE(events_.waiting(), 8u);
  EXPECT_EQ(events_.remembered(), 8u);
  for (int i = 0; i < 3; ++i) {
    Pass(absl::Seconds(10));
    Pass(absl::Seconds(1));
  }
  EXPECT_EQ(Count("failed"), "1");
}

TEST_F(ClusterEventsTest, TooManyDropTheLeastRecentlySeen) {
  for (int i = 0; i < 12; ++i) {
    Record(StrCat("n", i), "m");
    Record("n0", "m");
  }
  EXPECT_EQ(events_.remembered(), 8u);
  EXPECT_EQ(Count("dropped"), "4");
  Start();
  EXPECT_EQ(cluster_.Objects(kEvents).size(), 8u);
  for (const auto& [name, text] : cluster_.Objects(kEvents)) {
    EXPECT_FALSE(name.name.starts_with("n1.") || name.name.starts_with("n4.")) << name.name;
  }
}

VoidTask Flush(ClusterEvents& events, bool& done) {
  co_await events.Flush(absl::Seconds(2));
  done = true;
}

TEST_F(ClusterEventsTest, FlushWaitsForWhatMayBeWritten) {
  bool done = false;
  Record("a", "hello");
  tasks_.Spawn("flush", Flush(events_, done));
  Settle();
  EXPECT_FALSE(done);
  Start();
  EXPECT_TRUE(done);
  EXPECT_EQ(Written().size(), 1u);
  // Flush does not wait for events that the limits hold back.
  for (int i = 0; i < 9; ++i) Record("a", "hello");
  done = false;
  tasks_.Spawn("flush", Flush(events_, done));
  Settle();
  EXPECT_TRUE(done);
}

TEST_F(ClusterEventsTest, FlushIsBounded) {
  Start();
  network_.Hold(kCreate);
  Record("a", "hello");
  bool done = false;
  tasks_.Spawn("flush", Flush(events_, done));
  Pass(absl::Seconds(1));
  EXPECT_FALSE(done);
  Pass(absl::Seconds(1));
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace steward::controllers
