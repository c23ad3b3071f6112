#include "plugin/cluster/operands.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/list_tries.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

using Places = std::vector<std::string>;

// The namespaces in which the plan deletes objects; {""} = everywhere.
Places TargetsOf(const olm::CrdPlan& plan) {
  if (plan.cluster_scoped || plan.targets.all()) return Places(1, "");
  return Places(plan.targets.names().begin(), plan.targets.names().end());
}

// Visits the objects in `places` once.
StatusTask VisitPlaces(kube::Client& client, kube::GroupVersionResource gvr, const Places& places,
                       bool metadata_only, const OperandVisitor& visitor) {
  const auto visit = [&](const kube::RawObject& raw) { return visitor.visit(raw, gvr.version); };
  visitor.begin();
  for (const std::string& place : places) {
    CO_RETURN_IF_ERROR(co_await VisitAll(client, gvr, place, metadata_only, visit));
  }
  co_return absl::OkStatus();
}

// Sets `everywhere`: whether the user may list the whole cluster.
StatusTask VisitByVersion(kube::Client& client, const olm::CrdPlan& plan, std::string version,
                          bool metadata_only, const OperandVisitor& visitor, bool& everywhere) {
  const kube::GroupVersionResource gvr = plan.Resource(version);
  Places places(1, "");
  const auto visit = [&] { return VisitPlaces(client, gvr, places, metadata_only, visitor); };
  everywhere = true;
  absl::Status status = co_await kube::RestartExpired(visit);
  const Places targets = TargetsOf(plan);
  if (kube::IsForbidden(status) && targets != places && !targets.empty()) {
    everywhere = false;
    places = targets;
    status = co_await kube::RestartExpired(visit);
  }
  co_return status;
}

// Why objects of the definition are kept.
std::string WhyKept(const olm::CrdPlan& plan) {
  if (plan.kept == olm::kReservedGroup) return "their group is Kubernetes' or OLM's own";
  if (plan.kept == olm::kUnmanaged) {
    return "OLM did not install their definition (--cleanup-unmanaged-definitions of the "
           "controllers "
           "deletes them all the same)";
  }
  if (plan.cluster_scoped) {
    return "cluster-scoped, and the operator does not work in all namespaces";
  }
  return "in namespaces where the operator does not work";
}

}  // namespace

Task<std::vector<olm::CrdPlan>> ReadPlans(kube::Client& client, std::set<std::string> owned,
                                          olm::TargetSet targets) {
  olm::CleanupInputs inputs;
  std::map<std::string, olm::Read<olm::CrdFacts>>& crds = inputs.crds;
  for (const std::string& name : owned) {
    const kube::NamespacedName key{"", name};
    const absl::StatusOr<kube::RawObject> raw = co_await client.Get(kCrds, key);
    if (kube::IsNotFound(raw.status(), name)) {
      crds.emplace(name, olm::Read<olm::CrdFacts>::Absent());
      continue;
    }
    if (!raw.ok()) {
      co_return WithContext(StrCat("reading the CustomResourceDefinition ", name), raw.status());
    }
    CO_ASSIGN_OR_RETURN(olm::CrdFacts facts, olm::DecodeCrdFacts(raw->json));
    crds.emplace(name, olm::Read<olm::CrdFacts>::Ok(std::move(facts)));
  }
  olm::CsvFacts csv;
  csv.owned_crds = std::move(owned);
  inputs.csv = olm::Read<olm::CsvFacts>::Ok(std::move(csv));
  co_return olm::PlanCleanup(inputs, targets, targets);
}

Task<bool> VisitOperands(kube::Client& client, const olm::CrdPlan& plan, bool metadata_only,
                         OperandVisitor visitor) {
  bool everywhere = true;
  const auto by_version = [&](std::string version) {
    return VisitByVersion(client, plan, std::move(version), metadata_only, visitor, everywhere);
  };
  const absl::Status status = co_await kube::ListByAnyVersion(plan.versions, by_version);
  if (!status.ok()) co_return WithContext(StrCat("listing ", plan.crd), status);
  co_return everywhere;
}

int64_t CrdCount::pending() const {
  int64_t sum = 0;
  for (const auto& [ns, count] : to_delete) sum += count;
  return sum;
}

int64_t OperandCounts::pending() const {
  int64_t sum = 0;
  for (const CrdCount& crd : crds) sum += crd.pending();
  return sum;
}

int64_t OperandCounts::kept() const {
  int64_t sum = 0;
  for (const CrdCount& crd : crds) sum += crd.kept;
  return sum;
}

namespace {

// Keeps the kMostHeld oldest of `held`, the oldest first.
void KeepOldest(std::vector<HeldOperand>& held) {
  std::sort(held.begin(), held.end(), [](const HeldOperand& a, const HeldOperand& b) {
    return std::tie(a.since, a.crd, a.name) < std::tie(b.since, b.crd, b.name);
  });
  if (held.size() > kMostHeld) held.resize(kMostHeld);
}

struct CountOfOne {
  CrdCount count;
  std::vector<HeldOperand> held;
};

absl::Status Add(const olm::CrdPlan& plan, const kube::RawObject& raw, CountOfOne& one) {
  ASSIGN_OR_RETURN(olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
  if (olm::FateOf(plan, facts.key.ns, facts.deleting()) == olm::OperandFate::kKeep) {
    ++one.count.kept;
    return absl::OkStatus();
  }
  ++one.count.to_delete[facts.key.ns];
  if (!facts.deleting()) return absl::OkStatus();
  ++one.count.deleting;
  one.held.push_back(
      {plan.crd, std::move(facts.key), facts.deletion_timestamp, std::move(facts.finalizers)});
  if (one.held.size() > 4 * kMostHeld) KeepOldest(one.held);
  return absl::OkStatus();
}

Task<CountOfOne> CountOne(kube::Client& client, const olm::CrdPlan& plan) {
  CountOfOne one;
  OperandVisitor visitor;
  visitor.begin = [&one, &plan] {
    one = CountOfOne();
    one.count.crd = plan.crd;
    one.count.why_kept = WhyKept(plan);
  };
  visitor.visit = [&one, &plan](const kube::RawObject& raw, const std::string&) {
    return Add(plan, raw, one);
  };
  visitor.begin();
  if (plan.HasObjects()) {
    CO_ASSIGN_OR_RETURN(const bool everywhere,
                        co_await VisitOperands(client, plan, /*metadata_only=*/true, visitor));
    one.count.kept_known = everywhere;
  }
  co_return std::move(one);
}

}  // namespace

Task<OperandCounts> CountOperands(kube::Client& client, std::vector<olm::CrdPlan> plans) {
  OperandCounts counts;
  for (const olm::CrdPlan& plan : plans) {
    CO_ASSIGN_OR_RETURN(CountOfOne one, co_await CountOne(client, plan));
    counts.crds.push_back(std::move(one.count));
    counts.oldest.insert(counts.oldest.end(), std::make_move_iterator(one.held.begin()),
                         std::make_move_iterator(one.held.end()));
    KeepOldest(counts.oldest);
  }
  co_return std::move(counts);
}

}  // namespace steward::plugin
