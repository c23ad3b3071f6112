// Runs the random schedules of virtual_resource/ over PlanPreviews.
#include "apiserver/views/virtual_resource/testing/model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "apiserver/views/plan_preview/object.h"
#include "apiserver/views/plan_preview/projection.h"
#include "apiserver/views/plan_preview/test_plans.h"
#include "apiserver/views/virtual_resource/testing/stream_simulation.h"
#include "apiserver/views/virtual_resource/testing/watch_simulation.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/plan_outlook.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"

namespace steward::views {
namespace {

const Clock& TheClock() {
  static const Clock& clock = *new FakeClock;
  return clock;
}

// Makes random changes of InstallPlans, definitions and OperatorGroups.
class PlanWrites : public Writes {
 public:
  void Begin(Etcd& etcd) override {
    PutDefinition(etcd, "Reed", true);
    for (const char* ns : {"a", "b"}) {
      etcd.Put(storage::kPlanGroupSource, {ns, "group"}, GroupOf(ns, "group"));
    }
  }

  void Write(Etcd& etcd, unsigned a, unsigned b, unsigned c) override {
    ++uid_;
    const unsigned kind = a % 11;
    if (kind == 10) {
      const kube::NamespacedName key = {std::string(1, "abcd"[b % 4]), b / 4 % 2 == 0 ? "g" : "h"};
      return etcd.Put(
          storage::kPlanGroupSource, key,
          c % 3 == 0 ? nullptr : GroupOf(key.ns, key.name, c % 3 == 1 ? "" : "deployer"));
    }
    if (kind == 0) {
      const std::string name = b % 2 == 0 ? "ServiceMonitor" : "PrometheusRule";
      return etcd.Put(storage::kDefinitionSource, {"", StrCat(name, ".monitoring.coreos.com")},
                      nullptr);
    }
    if (kind < 4) {
      return PutDefinition(etcd, b % 2 == 0 ? "ServiceMonitor" : "PrometheusRule", c % 4 > 0);
    }
    const kube::NamespacedName key = {std::string(1, "abcd"[b % 4]), std::string(1, "xyz"[c % 3])};
    if (kind == 4) return etcd.Put(storage::kInstallPlanSource, key, nullptr);
    TestPlan plan;
    plan.ns = key.ns;
    plan.name = key.name;
    plan.uid = std::to_string(uid_);
    const auto old = etcd.Find<olm::PlanFacts>(storage::kInstallPlanSource, key);
    if (old != nullptr && kind > 5) plan.uid = old->uid;
    plan.approved = c / 3 % 3 > 0;
    plan.phase = c / 9 % 3 == 0 ? "Planning" : "Installing";
    plan.status = c / 9 % 2 == 0 ? "Unknown" : "NotCreated";
    if (c / 18 % 2 == 0) plan.labels = R"("color":"red")";
    etcd.Put(storage::kInstallPlanSource, key, PlanOf(plan));
  }

 private:
  static void PutDefinition(Etcd& etcd, const std::string& kind, bool established) {
    const olm::DefinitionFactsPtr definition = DefinitionOf(kind, established);
    etcd.Put(storage::kDefinitionSource, {"", definition->name}, definition);
  }

  uint64_t uid_ = 0;
};

// The oracle of the projection.
View ViewOf(const storage::WorldPtr& world, const rest::Selection& selection) {
  storage::PlanOutlooks outlooks;
  View view;
  for (const auto& [key, outlook] : *outlooks.Of(world)) {
    if (!selection.ns.empty() && selection.ns != key.ns) continue;
    if (!selection.labels.Matches(outlook->plan->labels)) continue;
    if (!selection.fields.Matches([key = key](std::string_view path) -> std::string_view {
          return path == "metadata.name" ? key.name : key.ns;
        })) {
      continue;
    }
    view[key] = SeenOf(PlanPreviewObject(outlook, true, TheClock()));
  }
  return view;
}

// All replicas share one PlanOutlooks, whose results must depend on the World alone.
const Subject& TheSubject() {
  static auto& outlooks = *new storage::PlanOutlooks;
  static const Subject& subject =
      *new Subject{std::make_shared<const PlanPreviewProjection>(outlooks, true, TheClock()),
                   &ViewOf, [] { return std::make_unique<PlanWrites>(); }};
  return subject;
}

TEST(PlanPreviewWatchModelTest, ClientsEndWithTheTruth) {
  watch_simulation::ClientsEndWithTheTruth(TheSubject());
}
TEST(PlanPreviewWatchModelTest, RestoredEtcd) { watch_simulation::RestoredEtcd(TheSubject()); }
TEST(PlanPreviewWatchModelTest, LongHistories) { watch_simulation::LongHistories(TheSubject()); }
TEST(PlanPreviewStreamModelTest, PagesAndStreamsAreWhole) {
  stream_simulation::PagesAndStreamsAreWhole(TheSubject());
}

}  // namespace
}  // namespace steward::views
