#include "controllers/runtime/controller.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "controllers/runtime/reconciler.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The behaviour that a test gives to the reconcilers of its controller, and a log of their calls.
struct Script {
  std::vector<Key> keys;                                                        // fed at the start
  std::map<std::string, absl::Duration> takes;                                  // time, by name
  std::map<std::string, std::vector<absl::StatusOr<ReconcileResult>>> answers;  // then: done
  std::vector<std::string> log;
  std::set<std::string> quick;
  int made = 0;
  int alive = 0;
  int running = 0;
  int most_running = 0;
  WorkQueue* queue = nullptr;
};

class ScriptedReconciler : public Reconciler {
 public:
  ScriptedReconciler(Script& script, Clock& clock) : script_(script), clock_(clock) {
    ++script_.made;
    ++script_.alive;
  }
  ~ScriptedReconciler() override { --script_.alive; }

  VoidTask Feed(WorkQueue& queue) override {
    script_.queue = &queue;
    for (const Key& key : script_.keys) queue.Add(key);
    co_await clock_.Sleep(absl::Hours(1000));
  }

  Task<ReconcileResult> Reconcile(Key key) override {
    struct Running {
      Script& script;
      std::string name;
      explicit Running(Script& s, std::string n) : script(s), name(std::move(n)) {
        script.log.push_back("+" + name);
        script.most_running = std::max(script.most_running, ++script.running);
      }
      ~Running() {
        script.log.push_back("-" + name);
        --script.running;
      }
    } running(script_, key.name);
    if (script_.takes.contains(key.name)) co_await clock_.Sleep(script_.takes[key.name]);
    auto& answers = script_.answers[key.name];
    if (answers.empty()) co_return ReconcileResult::Done();
    absl::StatusOr<ReconcileResult> answer = answers.front();
    answers.erase(answers.begin());
    co_return answer;
  }
  bool IsQuick(const Key& key) const override { return script_.quick.contains(key.name); }

 private:
  Script& script_;
  Clock& clock_;
};

class ControllerTest : public ::testing::Test {
 protected:
  ~ControllerTest() override {
    RunOn(io_, Stop(*this, absl::ZeroDuration()));
    RunOn(io_, tasks_.Stop());
  }

  void Start(size_t workers = 1, size_t quick_workers = 0) {
    ControllerOptions options;
    options.name = "c";
    options.workers = workers;
    options.quick_workers = quick_workers;
    options.limits.initial = absl::Seconds(1);
    controller_ = std::make_unique<Controller>(
        options, [this] { return std::make_unique<ScriptedReconciler>(script_, clock_); },
        io_.get_executor(), clock_, registry_);
    controller_->Start();
    Settle();
  }
  static VoidTask Stop(ControllerTest& test, absl::Duration grace) {
    if (test.controller_ == nullptr) co_return;
    test.in_time_ = co_await test.controller_->Stop(grace);
    test.stopped_ = true;
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
  std::string Metrics() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  prometheus::Registry registry_;
  Script script_;
  std::unique_ptr<Controller> controller_;
  TaskGroup tasks_{io_.get_executor()};
  bool stopped_ = false;
  bool in_time_ = false;
};

TEST_F(ControllerTest, WorksOnWhatIsFed) {
  script_.keys = {{"", "a"}, {"", "b"}, {"", "a"}};
  Start();
  EXPECT_THAT(script_.log, ElementsAre("+a", "-a", "+b", "-b"));
}

TEST_F(ControllerTest, AsManyAtATimeAsThereAreWorkersAndOneKeyOnce) {
  for (const char* name : {"a", "b", "c", "d"}) {
    script_.keys.push_back({"", name});
    script_.takes[name] = absl::Seconds(1);
  }
  Start(3);
  script_.queue->Add({"", "a"});
  Settle();
  EXPECT_THAT(script_.log, ElementsAre("+a", "+b", "+c"));
  Pass(absl::Seconds(1));
  EXPECT_EQ(script_.running, 2) << "d, and a again";
  EXPECT_EQ(script_.most_running, 3);
}

TEST_F(ControllerTest, WhatIsQuickWaitsForNothingSlow) {
  script_.quick = {"q", "r"};
  for (const char* name : {"a", "b", "c", "q", "r"}) {
    script_.keys.push_back({"", name});
    script_.takes[name] = absl::Seconds(name[0] < 'q' ? 100 : 1);
  }
  Start(2, 1);
  EXPECT_THAT(script_.log, ElementsAre("+a", "+b", "+q")) << "and c waits for a or b";
  Pass(absl::Seconds(1));
  Pass(absl::Seconds(1));
  EXPECT_THAT(script_.log, ElementsAre("+a", "+b", "+q", "-q", "+r", "-r"));
  Pass(absl::Seconds(98));
  EXPECT_THAT(script_.log, Contains("+c"));
  EXPECT_THAT(Metrics(),
              HasSubstr(R"(controller_runtime_max_concurrent_reconciles{controller="c"} 3)"));
}

TEST_F(ControllerTest, ResultsSayWhenToLookAgain) {
  const absl::Status error = absl::InternalError("x");
  script_.answers["a"] = {error, error, ReconcileResult::After(absl::Seconds(10)),
                          ReconcileResult::Done()};
  script_.keys = {{"", "a"}};
  Start();
  const auto count = [this] { return script_.log.size() / 2; };
  EXPECT_EQ(count(), 1u);
  Pass(absl::Seconds(1));
  EXPECT_EQ(count(), 2u);
  Pass(absl::Seconds(1));
  EXPECT_EQ(count(), 2u) << "twice as long the second time";
  Pass(absl::Seconds(1));
  EXPECT_EQ(count(), 3u);
  EXPECT_EQ(script_.queue->failures({"", "a"}), 0) << "it succeeded";
  Pass(absl::Seconds(9));
  EXPECT_EQ(count(), 3u);
  Pass(absl::Seconds(1));
  EXPECT_EQ(count(), 4u);
  Pass(absl::Hours(1));
  EXPECT_EQ(count(), 4u);
  for (const char* line :
       {R"(controller_runtime_reconcile_total{controller="c",result="error"} 2)",
        R"(controller_runtime_reconcile_total{controller="c",result="requeue_after"} 1)",
        R"(controller_runtime_reconcile_total{controller="c",result="success"} 1)",
        R"(controller_runtime_reconcile_errors_total{controller="c"} 2)",
        R"(controller_runtime_max_concurrent_reconciles{controller="c"} 1)",
        R"(controller_runtime_active_workers{controller="c"} 0)",
        R"(controller_runtime_reconcile_time_seconds_count{controller="c"} 4)",
        R"(workqueue_retries_total{controller="c",name="c"} 2)"}) {
    EXPECT_THAT(Metrics(), HasSubstr(line));
  }
}

TEST_F(ControllerTest, AServerMayAskForALongerWait) {
  script_.answers["a"] = {kube::ToStatus(kube::TooManyRequests("busy", 7))};
  script_.keys = {{"", "a"}};
  Start();
  Pass(absl::Seconds(6));
  EXPECT_EQ(script_.log.size(), 2u);
  Pass(absl::Seconds(1));
  EXPECT_EQ(script_.log.size(), 4u);
}

TEST_F(ControllerTest, StopLetsRunningOnesFinishAndTakesNoMore) {
  script_.keys = {{"", "a"}, {"", "b"}};
  script_.takes["a"] = absl::Seconds(3);
  Start();
  tasks_.Spawn("stop", Stop(*this, absl::Seconds(10)));
  Settle();
  EXPECT_FALSE(stopped_);
  Pass(absl::Seconds(3));
  EXPECT_TRUE(stopped_);
  EXPECT_TRUE(in_time_);
  EXPECT_THAT(script_.log, ElementsAre("+a", "-a"));
  EXPECT_EQ(script_.alive, 0);
  EXPECT_FALSE(controller_->running());
}

TEST_F(ControllerTest, StopCancelsWhatTakesTooLong) {
  script_.keys = {{"", "a"}};
  script_.takes["a"] = absl::Hours(1);
  Start();
  tasks_.Spawn("stop", Stop(*this, absl::Seconds(10)));
  Pass(absl::Seconds(9));
  EXPECT_FALSE(stopped_);
  Pass(absl::Seconds(1));
  EXPECT_TRUE(stopped_);
  EXPECT_FALSE(in_time_);
  EXPECT_EQ(script_.running, 0);
  EXPECT_EQ(script_.alive, 0);
}

TEST_F(ControllerTest, StopWithoutGraceCancelsAtOnce) {
  script_.keys = {{"", "a"}};
  script_.takes["a"] = absl::Hours(1);
  Start();
  tasks_.Spawn("stop", Stop(*this, absl::ZeroDuration()));
  Settle();
  EXPECT_TRUE(stopped_);
  EXPECT_EQ(script_.running, 0);
}

TEST_F(ControllerTest, AnIdleOneStopsAtOnce) {
  Start(4);
  tasks_.Spawn("stop", Stop(*this, absl::Seconds(10)));
  Settle();
  EXPECT_TRUE(stopped_);
  EXPECT_TRUE(in_time_);
}

TEST_F(ControllerTest, EachTermHasItsOwnReconciler) {
  script_.keys = {{"", "a"}};
  script_.answers["a"] = {absl::InternalError("x")};
  Start();
  EXPECT_THAT(script_.log, ElementsAre("+a", "-a"));
  tasks_.Spawn("stop", Stop(*this, absl::Seconds(1)));
  Settle();
  script_.log.clear();
  Pass(absl::Minutes(1));
  EXPECT_THAT(script_.log, IsEmpty());
  controller_->Start();
  Settle();
  EXPECT_EQ(script_.made, 2);
  EXPECT_EQ(script_.alive, 1);
  EXPECT_THAT(script_.log, ElementsAre("+a", "-a"));
}

TEST_F(ControllerTest, WorkThatHangsIsSeen) {
  script_.keys = {{"", "a"}};
  script_.takes["a"] = absl::Hours(1);
  Start();
  for (int i = 0; i < 20; ++i) Pass(absl::Milliseconds(500));
  EXPECT_THAT(Metrics(),
              HasSubstr(R"(workqueue_unfinished_work_seconds{controller="c",name="c"} 10)"));
  EXPECT_THAT(Metrics(), HasSubstr(R"(controller_runtime_active_workers{controller="c"} 1)"));
}

}  // namespace
}  // namespace steward::controllers
