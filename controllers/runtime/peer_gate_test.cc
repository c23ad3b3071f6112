#include "controllers/runtime/peer_gate.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/reconciler.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::Calls;
using kube::ClientVerb;
using ::testing::HasSubstr;
using ::testing::Not;

const Calls kLists = {ClientVerb::kList, kube::kDeployments};

// A reconciler that works on one key for hours.
class BusyReconciler : public Reconciler {
 public:
  BusyReconciler(Clock& clock, int& working) : clock_(clock), working_(working) {}

  VoidTask Feed(WorkQueue& queue) override {
    queue.Add({"", "key"});
    co_await clock_.Sleep(absl::Hours(1000));
  }
  Task<ReconcileResult> Reconcile(Key) override {
    struct Working {
      int& working;
      explicit Working(int& w) : working(w) { ++working; }
      ~Working() { --working; }
    } note(working_);
    co_await clock_.Sleep(absl::Hours(1000));
    co_return ReconcileResult::Done();
  }

 private:
  Clock& clock_;
  int& working_;
};

class PeerGateTest : public ::testing::Test {
 protected:
  PeerGateTest() { cluster_.Serve(kube::kDeployments); }
  ~PeerGateTest() override {
    network_.ForgetFaults(kube::kDeployments);
    End();
    RunOn(io_, tasks_.Stop());
  }

  void Make(PeerGateOptions options = {}) {
    gate_ = std::make_unique<PeerGate>(network_, clock_, io_.get_executor(), registry_, options);
    gate_->Guard(copies_, {PeerOperator::kOlmOperator});
    gate_->Guard(plans_, {PeerOperator::kCatalogOperator});
  }
  void Begin() {
    gate_->Begin();
    Settle();
  }
  void End() {
    if (gate_ != nullptr) RunOn(io_, gate_->End());
    RunOn(io_, copies_.Stop(absl::ZeroDuration()));
    RunOn(io_, plans_.Stop(absl::ZeroDuration()));
  }
  void SetOlm(const std::string& name, int replicas) {
    cluster_.Put(kube::kDeployments, R"({"metadata":{"namespace":"olm","name":")" + name +
                                         R"("},"status":{"availableReplicas":)" +
                                         std::to_string(replicas) + "}}");
  }
  std::unique_ptr<Reconciler> NewReconciler() {
    return std::make_unique<BusyReconciler>(clock_, working_);
  }
  static ControllerOptions Named(const std::string& name) {
    ControllerOptions options;
    options.name = name;
    return options;
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    Settle();
    for (; time > absl::ZeroDuration(); time -= absl::Seconds(1)) {
      clock_.Advance(std::min(absl::Duration(absl::Seconds(1)), time));
      Settle();
    }
  }
  int Conflict(const std::string& controller) {
    const std::string metrics = prometheus::TextSerializer().Serialize(registry_.Collect());
    const std::string series = "steward_peer_conflict{controller=\"" + controller + "\"} ";
    const size_t at = metrics.find(series);
    return at == std::string::npos ? -1 : metrics[at + series.size()] - '0';
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  prometheus::Registry registry_;
  kube::FakeClient cluster_;
  kube::HookClient network_{cluster_, clock_};
  int working_ = 0;
  Controller copies_{Named("copies"), [this] { return NewReconciler(); }, io_.get_executor(),
                     clock_, registry_};
  Controller plans_{Named("plans"), [this] { return NewReconciler(); }, io_.get_executor(), clock_,
                    registry_};
  std::unique_ptr<PeerGate> gate_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(PeerGateTest, WithoutOlmAllRunOnceThatIsKnown) {
  Make();
  network_.Hold(kLists);
  Begin();
  EXPECT_FALSE(copies_.running()) << "it is not known yet";
  network_.Release(kLists);
  Settle();
  EXPECT_TRUE(copies_.running());
  EXPECT_TRUE(plans_.running());
  EXPECT_EQ(Conflict("copies"), 0);
}

TEST_F(PeerGateTest, WhatConflictsIsNotStarted) {
  SetOlm("olm-operator", 1);
  Make();
  Begin();
  EXPECT_FALSE(copies_.running());
  EXPECT_TRUE(plans_.running());
  EXPECT_EQ(Conflict("copies"), 1);
  EXPECT_EQ(Conflict("plans"), 0);
}

TEST_F(PeerGateTest, WhatOlmBeginsToDoIsStoppedWithinAMinuteAndStartedWhenItEnds) {
  Make();
  Begin();
  EXPECT_EQ(working_, 2);
  SetOlm("catalog-operator", 2);
  Pass(absl::Seconds(59));
  EXPECT_TRUE(plans_.running());
  ::testing::internal::CaptureStderr();
  Pass(absl::Seconds(1));
  EXPECT_FALSE(plans_.running());
  EXPECT_TRUE(copies_.running());
  EXPECT_EQ(working_, 1) << "what it was doing was cancelled";
  EXPECT_EQ(Conflict("plans"), 1);
  Pass(absl::Minutes(10));
  const std::string log = ::testing::internal::GetCapturedStderr();
  const std::string sentence =
      R"("Does not run beside an operator that does the same; --takeover would run it" )"
      R"(controller="plans" peer="catalog-operator" deployment="olm/catalog-operator")";
  EXPECT_THAT(log, HasSubstr(sentence));
  EXPECT_EQ(log.find(sentence), log.rfind(sentence)) << "said once: " << log;
  SetOlm("catalog-operator", 0);
  Pass(absl::Minutes(1));
  EXPECT_TRUE(plans_.running());
  EXPECT_EQ(working_, 2);
  EXPECT_EQ(Conflict("plans"), 0);
}

TEST_F(PeerGateTest, WhatCannotBeReadStartsNothing) {
  const absl::Status failures[] = {
      kube::ToStatus(kube::Forbidden(kube::kDeployments, "", "no right")),
      kube::ToStatus(kube::InternalError("x")),
      absl::UnavailableError("connection reset"),
  };
  for (const absl::Status& failure : failures) {
    Make();
    network_.FailNext(kLists, failure, 3);
    Begin();
    EXPECT_FALSE(copies_.running()) << failure;
    EXPECT_FALSE(plans_.running());
    EXPECT_EQ(Conflict("copies"), 1);
    Pass(absl::Seconds(29));
    EXPECT_FALSE(copies_.running()) << failure;
    Pass(absl::Seconds(1));
    EXPECT_TRUE(copies_.running()) << "it is asked again soon";
    EXPECT_EQ(Conflict("copies"), 0);
    End();
  }
}

TEST_F(PeerGateTest, AnAnswerThatDoesNotComeIsNone) {
  network_.Hold(kLists);
  Make();
  Begin();
  Pass(absl::Minutes(5));
  EXPECT_FALSE(copies_.running());
  network_.Release(kLists);
  Pass(absl::Seconds(20));
  EXPECT_TRUE(copies_.running());
}

TEST_F(PeerGateTest, WhatRunsOutlivesAFewFailures) {
  Make();
  Begin();
  EXPECT_TRUE(copies_.running());
  network_.FailNext(kLists, absl::UnavailableError("x"), 1000);
  Pass(absl::Seconds(179));
  EXPECT_TRUE(copies_.running());
  EXPECT_EQ(Conflict("copies"), 0);
  Pass(absl::Seconds(11));
  EXPECT_FALSE(copies_.running()) << "for three minutes nobody has known";
  EXPECT_EQ(working_, 0);
  EXPECT_EQ(Conflict("copies"), 1);
  network_.ForgetFaults(kube::kDeployments);
  Pass(absl::Seconds(10));
  EXPECT_TRUE(copies_.running());
}

TEST_F(PeerGateTest, TakeoverRunsThemAllTheSameAndSaysSo) {
  SetOlm("olm-operator", 1);
  Make({.takeover = true});
  ::testing::internal::CaptureStderr();
  Begin();
  EXPECT_TRUE(copies_.running());
  EXPECT_EQ(Conflict("copies"), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("Runs beside an operator that does the same (--takeover)"));
  End();
  network_.FailNext(kLists, absl::UnavailableError("x"));
  Begin();
  EXPECT_TRUE(copies_.running());
  EXPECT_TRUE(plans_.running());
}

TEST_F(PeerGateTest, EachTermLooksAnew) {
  Make();
  Begin();
  EXPECT_TRUE(copies_.running());
  End();
  EXPECT_FALSE(copies_.running());
  SetOlm("olm-operator", 1);
  Pass(absl::Minutes(5));
  EXPECT_FALSE(copies_.running()) << "nobody leads";
  EXPECT_EQ(Conflict("copies"), 0);
  Begin();
  EXPECT_FALSE(copies_.running());
  EXPECT_TRUE(plans_.running());
  End();
  // Knowledge of an earlier term no longer counts.
  SetOlm("olm-operator", 0);
  network_.FailNext(kLists, absl::UnavailableError("x"));
  Begin();
  EXPECT_FALSE(copies_.running());
}

TEST_F(PeerGateTest, ATermEndsInTheMiddleOfALook) {
  Make();
  network_.Hold(kLists);
  Begin();
  End();
  network_.Release(kLists);
  Pass(absl::Minutes(2));
  EXPECT_FALSE(copies_.running());
}

TEST_F(PeerGateTest, WithoutConflictsNothingIsRead) {
  gate_ = std::make_unique<PeerGate>(network_, clock_, io_.get_executor(), registry_);
  EXPECT_FALSE(gate_->Guards(copies_));
  Begin();
  Pass(absl::Minutes(5));
  EXPECT_EQ(network_.calls(kLists), 0);
}

}  // namespace
}  // namespace steward::controllers
