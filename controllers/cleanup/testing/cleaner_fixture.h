// A cluster, a client that fails on command, and a cleaner, for tests. Not thread-safe.
#ifndef CONTROLLERS_CLEANUP_TESTING_CLEANER_FIXTURE_H_
#define CONTROLLERS_CLEANUP_TESTING_CLEANER_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

inline const std::string kFinalizer(olm::kCleanupFinalizer);

class TestEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override {
    EXPECT_EQ(about.name.ns.empty(), false);
    events.push_back(
        StrCat(type == EventType::kWarning ? "Warning " : "Normal ", reason, ": ", message));
  }
  std::vector<std::string> events;
};

class CleanerTest : public ::testing::Test {
 protected:
  void Start(ClusterShape shape = {}, CleanerOptions options = {}) {
    cluster_ = std::make_unique<TestCluster>(shape);
    faults_ = std::make_unique<kube::HookClient>(cluster_->client(), cluster_->clock());
    options_ = options;
    Restart();
  }
  // Replaces the process by a new one.
  void Restart() {
    cleaner_.reset();
    CleanerDeps deps{*faults_, leader_, events_, cluster_->clock(), metrics_, known_};
    cleaner_ = std::make_unique<Cleaner>(deps, options_);
  }
  void TearDown() override { cleaner_.reset(); }

  absl::StatusOr<ReconcileResult> Pass(const kube::NamespacedName& name = kCsv) {
    cluster_->clock().Advance(absl::Milliseconds(10));
    return cluster_->Run(cleaner_->Reconcile(name));
  }
  // Makes passes until nothing is left to do, or `passes` were made; time passes between them.
  void Passes(int passes = 30) { PassesOver(kCsv, passes); }
  void PassesOver(const kube::NamespacedName& csv, int passes = 30) {
    for (int i = 0; i < passes; ++i) {
      const absl::StatusOr<ReconcileResult> result = Pass(csv);
      if (!result.ok()) {
        cluster_->clock().Advance(absl::Seconds(1));
      } else if (result->requeue_after.has_value()) {
        cluster_->clock().Advance(*result->requeue_after);
      } else {
        return;
      }
    }
  }
  void Add(const std::vector<std::string>& widgets, bool with_finalizer = false) {
    for (const std::string& widget : widgets) {
      const size_t slash = widget.find('/');
      cluster_->Run(
          cluster_->AddWidget(widget.substr(0, slash), widget.substr(slash + 1), with_finalizer));
    }
  }
  int Deletes(const kube::GroupVersionResource& gvr = kWidgets) {
    return faults_->calls({kube::ClientVerb::kDelete, gvr});
  }
  int Patches() { return faults_->calls({kube::ClientVerb::kPatch, kCsvs}); }
  // Adds another opted-in operator in "ops"; `owned`: entries of its owned definitions.
  void AddOptedIn(const std::string& name, const std::string& owned, const std::string& phase) {
    cluster_->Run(cluster_->Create(
        kCsvs, "ops",
        StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
               R"("metadata":{"name":")", name, R"(","labels":{")", olm::kConfirmedLabel, R"(":")",
               cluster_->Proof(), R"("},"finalizers":[")", kFinalizer,
               R"("]},"spec":{"cleanup":{"enabled":true},"customresourcedefinitions":{"owned":[)",
               owned, "]}}}")));
    Merge(kCsvs, {"ops", name}, StrCat(R"({"status":{"phase":")", phase, R"("}})"), "status");
  }
  bool Released() { return !cluster_->HasFinalizer(kFinalizer); }
  std::string Record() { return cluster_->Annotation(olm::kRecordAnnotation); }
  std::string MetricsText() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }
  void Merge(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
             const std::string& patch, const std::string& subresource = "") {
    cluster_->Run(cluster_->Merge(gvr, name, patch, subresource));
  }

  AlwaysLeader leader_;
  TestEvents events_;
  prometheus::Registry registry_;
  CleanupMetrics metrics_{registry_};
  KnownCsvs known_;
  CleanerOptions options_;
  std::unique_ptr<TestCluster> cluster_;
  std::unique_ptr<kube::HookClient> faults_;
  std::unique_ptr<Cleaner> cleaner_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_CLEANER_FIXTURE_H_
