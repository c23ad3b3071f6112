// A process that runs the reconciler "copied-csvs" on a CopyCluster. Not thread-safe.
#ifndef CONTROLLERS_COPIED_CSV_TESTING_COPIES_PROCESS_H_
#define CONTROLLERS_COPIED_CSV_TESTING_COPIES_PROCESS_H_

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/text/str_cat.h"
#include "controllers/copied_csv/copied_csv.h"
#include "controllers/copied_csv/copied_csv_metrics.h"
#include "controllers/copied_csv/known_copied_csvs.h"
#include "controllers/copies/copy_state.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/reconciler_deps.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/testing/hook_client.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// "<reason> <namespace>/<name>: <message>", each once.
class CopyEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType, std::string_view reason,
              std::string_view message) override {
    told.insert(StrCat(reason, " ", about.name.ns, "/", about.name.name, ": ", message));
    uids.insert(about.uid);
  }
  std::set<std::string> told;
  std::set<std::string> uids;
};

// Worlds show the cluster as it was at the last Look.
class CopiesProcess {
 public:
  CopiesProcess(CopyCluster& cluster, FakeClock& clock, boost::asio::io_context& io,
                CopyToggleDefaults toggle = {})
      : cluster_(cluster),
        clock_(clock),
        io_(io),
        faults_(cluster, clock),
        watches_(faults_, clock, random_, io.get_executor()),
        controller_(
            KnownCopiedCsvs(nullptr).options,
            [this, toggle] {
              return std::make_unique<CopiedCsvReconciler>(
                  Deps(), metrics_, copy_state,
                  CopiedCsvReconciler::Options{.writer = {}, .toggle = toggle});
            },
            io.get_executor(), clock, registry_) {
    controller_.Start();
  }
  ~CopiesProcess() {
    RunOn(io_, controller_.Stop(absl::ZeroDuration()));
    RunOn(io_, watches_.Stop());
  }

  kube::HookClient& faults() { return faults_; }
  ReconcilerDeps Deps() {
    return {faults_, leadership, worlds_, watches_, events, clock_, random_, registry_, gates_};
  }
  prometheus::Registry& registry() { return registry_; }
  // Publishes a World of the cluster's present state, and runs everything that is due.
  void Look() {
    cluster_.Observe(writer_, seen_);
    worlds_.Publish(writer_.Snapshot());
    Pass(absl::Milliseconds(600));
  }
  void Pass(absl::Duration time, absl::Duration step = absl::Milliseconds(100)) {
    Settle();
    for (; time > absl::ZeroDuration(); time -= step) {
      clock_.Advance(step);
      Settle();
    }
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  // Requests that write ClusterServiceVersions.
  int writes() const {
    int sum = 0;
    for (const auto verb : {kube::ClientVerb::kCreate, kube::ClientVerb::kUpdate,
                            kube::ClientVerb::kPatch, kube::ClientVerb::kDelete}) {
      sum += faults_.calls({verb, kTestCsvs});
    }
    return sum;
  }
  int reads() const { return faults_.calls({kube::ClientVerb::kGet, kTestCsvs}); }
  std::string Metrics() const {
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

  TestLeadership leadership;
  CopyEvents events;
  CopyState copy_state;

 private:
  CopyCluster& cluster_;
  FakeClock& clock_;
  boost::asio::io_context& io_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  const FeatureGates gates_ = FeatureGates({});
  CopiedCsvMetrics metrics_{registry_};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  CopyCluster::Seen seen_;
  kube::HookClient faults_;
  MetadataWatches watches_;
  Controller controller_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_TESTING_COPIES_PROCESS_H_
