#include "plugin/cleanup/preview.h"

#include <algorithm>
#include <utility>

#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/verdict.h"
#include "olm/copy.h"
#include "plugin/cleanup/original.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace {

bool IsReason(const CleanupStatus::Blocker& blocker, olm::CleanupReason reason) {
  return blocker.reason == olm::ToString(reason);
}

// Before the opt-in, Steward need not name the namespaces where operands would be deleted. The
// status that OLM wrote into the only OperatorGroup always includes them.
Task<olm::TargetSet> SyncedTargets(kube::Client& client, std::string ns) {
  std::vector<olm::GroupFacts> groups;
  const auto take = [&groups](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(olm::GroupFacts facts, olm::DecodeOperatorGroupFacts(raw.json));
    groups.push_back(std::move(facts));
    return absl::OkStatus();
  };
  const absl::Status status =
      co_await VisitAll(client, kOperatorGroups, std::move(ns), /*metadata_only=*/false, take);
  if (!status.ok()) co_return WithContext("listing OperatorGroups", status);
  if (groups.size() != 1 || !groups[0].synced.has_value()) co_return olm::TargetSet();
  const std::vector<std::string>& names = *groups[0].synced;
  if (std::find(names.begin(), names.end(), "") != names.end()) co_return olm::TargetSet::All();
  co_return olm::TargetSet::Of(names);
}

}  // namespace

absl::StatusOr<OptInChange> OptInChangeFor(OperandPolicy policy, const olm::CsvFacts& facts) {
  const bool opted_in = facts.HasFinalizer(olm::kCleanupFinalizer);
  OptInChange opt_in_change;
  if (policy == OperandPolicy::kDelete && !facts.cleanup_enabled) {
    return Refused(StrCat(
        "its author does not say that the operator cleans up (spec.cleanup.enabled is not true), ",
        "so its custom resources are kept. To uninstall it all the same, leave out --cleanup"));
  }
  if (facts.deleting()) {
    if (policy == OperandPolicy::kDelete && !opted_in) {
      return Refused(
          "it is being deleted already, without cleanup, and nobody can opt in any more");
    }
    if (policy == OperandPolicy::kKeep && facts.OptedIn()) {
      return Refused(StrCat("it is being deleted with cleanup already; to stop that: kubectl ",
                            "steward abort ", facts.key.name, " -n ", facts.key.ns));
    }
    opt_in_change.deletes_operands = facts.OptedIn();
    return opt_in_change;
  }
  opt_in_change.opt_out = policy == OperandPolicy::kKeep && opted_in;
  opt_in_change.opt_in = policy == OperandPolicy::kDelete && !opted_in;
  opt_in_change.deletes_operands =
      opt_in_change.opt_in || (facts.OptedIn() && !opt_in_change.opt_out);
  return opt_in_change;
}

std::vector<CleanupStatus::Blocker> Preview::Blockers() const {
  std::vector<CleanupStatus::Blocker> blockers;
  if (!opt_in_change.deletes_operands) return blockers;
  for (const CleanupStatus::Blocker& blocker : status.blockers) {
    // The ClusterServiceVersion itself shows the two consents, and sooner.
    if (IsReason(blocker, olm::CleanupReason::kNotOptedIn)) continue;
    if (IsReason(blocker, olm::CleanupReason::kNotSupported)) continue;
    blockers.push_back(blocker);
  }
  return blockers;
}

Task<olm::TargetSet> ReadTargets(kube::Client& client, CleanupStatus status) {
  if (!status.targets.empty()) co_return std::move(status.targets);
  co_return co_await SyncedTargets(client, std::move(status.csv.ns));
}

Task<Preview> MakePreview(kube::Client& client, kube::NamespacedName name, OperandPolicy policy) {
  Preview preview;
  CO_ASSIGN_OR_RETURN(preview.csv, co_await ReadOriginal(client, name, "uninstall"));
  const olm::CsvFacts& facts = preview.csv.facts;
  CO_ASSIGN_OR_RETURN(preview.opt_in_change, OptInChangeFor(policy, facts));
  CO_ASSIGN_OR_RETURN(preview.status, co_await ReadCleanupStatus(client, name));
  CO_ASSIGN_OR_RETURN(preview.targets, co_await ReadTargets(client, preview.status));
  CO_ASSIGN_OR_RETURN(preview.related, co_await FindRelated(client, name));
  absl::StatusOr<std::vector<olm::CrdPlan>> plans =
      co_await ReadPlans(client, facts.owned_crds, preview.targets);
  absl::Status counted = plans.status();
  if (plans.ok()) {
    preview.plans = *std::move(plans);
    absl::StatusOr<OperandCounts> counts = co_await CountOperands(client, preview.plans);
    counted = counts.status();
    if (counts.ok()) preview.operands = *std::move(counts);
  }
  // A failed count does not matter if the operands are kept.
  if (!counted.ok() && preview.opt_in_change.deletes_operands) co_return counted;
  preview.why_uncounted = ToStd(counted.message());
  co_return std::move(preview);
}

}  // namespace steward::plugin
