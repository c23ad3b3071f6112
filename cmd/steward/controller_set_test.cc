#include "cmd/steward/controller_set.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/flags/flag_values.h"
#include "base/status/matchers.h"
#include "cmd/steward/controllers_options.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "controllers/runtime/testing/sample_reconciler.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward {
namespace {

using controllers::kSample;
using controllers::kSamples;
using ::testing::HasSubstr;
using ::testing::Not;

// The list that `steward controllers` would have with the sample reconciler: adding one takes only
// its folder and this line.
const std::vector<controllers::KnownReconciler>& Known() {
  static const auto& known =
      *new std::vector<controllers::KnownReconciler>{controllers::KnownSample()};
  return known;
}

class ControllerSetTest : public ::testing::Test {
 protected:
  ControllerSetTest() {
    cluster_.Serve(kSamples);
    cluster_.Serve(kube::kDeployments);
    cluster_.Put(kSamples, R"({"metadata":{"name":"sample"}})");
    storage::WorldWriter writer(storage::kOperatorSources);
    for (const auto source :
         {storage::kCsvSource, storage::kOperatorGroupSource, storage::kNamespaceSource}) {
      writer.ReplaceAbsent(source);
    }
    worlds_.Publish(writer.Snapshot());
  }
  ~ControllerSetTest() override {
    stop_.Set();
    Settle();
    EXPECT_TRUE(ended_ || set_ == nullptr);
    RunOn(io_, tasks_.Stop());
  }

  void Start(const std::vector<std::string>& args,
             const std::vector<controllers::KnownReconciler>& known = Known(),
             const std::vector<FeatureGate>& gates = {}) {
    ASSERT_OK_AND_ASSIGN(const ControllersOptions options,
                         ParseControllersOptions(args, known, gates));
    set_ =
        std::make_unique<ControllerSet>(options, ControllerSetDeps{.known = known,
                                                                   .executor = io_.get_executor(),
                                                                   .clock = clock_,
                                                                   .random = random_,
                                                                   .watches = cluster_,
                                                                   .reads = cluster_,
                                                                   .writes = cluster_,
                                                                   .worlds = worlds_,
                                                                   .registry = registry_,
                                                                   .instance = "test"});
    tasks_.Spawn("controllers", Run(*this));
    Settle();
  }
  static VoidTask Run(ControllerSetTest& test) {
    co_await test.set_->Run(test.stop_);
    test.ended_ = true;
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void SetOlm(int replicas) {
    cluster_.Put(kube::kDeployments, R"({"metadata":{"namespace":"olm","name":"olm-operator"},)"
                                     R"("status":{"availableReplicas":)" +
                                         std::to_string(replicas) + "}}");
  }
  std::string Sample() { return cluster_.Objects(kSamples).at(kSample); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  kube::FakeClient cluster_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  StopSignal stop_;
  bool ended_ = false;
  std::unique_ptr<ControllerSet> set_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(ControllerSetTest, RunsAReconcilerByItsNameWithItsFlags) {
  Start({"--leader-elect=false", "--reconcilers=sample", "--sample-greeting=good morning"});
  EXPECT_THAT(Sample(), HasSubstr(R"("greeting":"good morning")"));
}

TEST_F(ControllerSetTest, AReconcilersFlagsAreCheckedAndShown) {
  EXPECT_THAT(ParseControllersOptions({"--reconcilers=sample", "--sample-greeting="}, Known(), {}),
              StatusIs(absl::StatusCode::kInvalidArgument, "--sample-greeting: must not be empty"));
  EXPECT_THAT(ControllersHelpText(Known(), {}), HasSubstr("--sample-greeting STRING=hello"));
  EXPECT_THAT(Sample(), Not(HasSubstr("greeting")));
}

TEST_F(ControllerSetTest, BesideOlmWhatItDoesIsNotRun) {
  SetOlm(1);
  Start({"--leader-elect=false", "--reconcilers=sample"});
  EXPECT_THAT(Sample(), Not(HasSubstr("greeting")));
  SetOlm(0);
  clock_.Advance(absl::Minutes(1));
  Settle();
  EXPECT_THAT(Sample(), HasSubstr(R"("greeting":"hello")"));
}

TEST_F(ControllerSetTest, AsLongAsOlmIsNotKnownWhatItDoesIsNotRun) {
  cluster_.Withdraw(kube::kDeployments);
  Start({"--leader-elect=false", "--reconcilers=sample"});
  clock_.Advance(absl::Minutes(1));
  Settle();
  EXPECT_THAT(Sample(), Not(HasSubstr("greeting")));
}

TEST_F(ControllerSetTest, TakeoverRunsItAllTheSame) {
  SetOlm(1);
  Start({"--leader-elect=false", "--reconcilers=sample", "--takeover"});
  EXPECT_THAT(Sample(), HasSubstr(R"("greeting":"hello")"));
}

TEST_F(ControllerSetTest, ReconcilersSeeTheFeatureGates) {
  static std::vector<bool> seen;
  static const auto& known = *new std::vector<controllers::KnownReconciler>{[] {
    controllers::KnownReconciler gated = controllers::KnownSample();
    gated.prepare = [](const FlagValues& values, prometheus::Registry& registry) {
      return [make = controllers::KnownSample().prepare(values, registry)](
                 const controllers::ReconcilerDeps& deps) {
        seen = {deps.gates.IsOn("Alpha"), deps.gates.IsOn("Beta")};
        return make(deps);
      };
    };
    return gated;
  }()};
  Start({"--reconcilers=sample", "--leader-elect=false", "--feature-gates=Alpha=true"}, known,
        {{"Alpha", false, ""}, {"Beta", false, ""}});
  EXPECT_EQ(seen, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace steward
