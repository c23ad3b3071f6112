#include "payload/payload_pass.h"

#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "olm/payload/protected_objects.h"
#include "olm/payload/release_version.h"
#include "olm/payload/update_precondition.h"
#include "payload/cluster_choices.h"
#include "payload/rights.h"

namespace steward::payload {
namespace {

using olm::PayloadManifest;
using olm::PayloadRecord;
using olm::PayloadState;
using olm::Removal;
using Did = TaskReport::Did;

// Nodes that are worked on at a time.
constexpr size_t kWidth = 16;
constexpr size_t kReconcilingWidth = 4;

Did DidOf(ApplyAction action) {
  switch (action) {
    case ApplyAction::kCreate:
      return Did::kCreated;
    case ApplyAction::kUpdate:
      return Did::kUpdated;
    case ApplyAction::kUnchanged:
      return Did::kUnchanged;
    case ApplyAction::kLeft:
      return Did::kLeft;
  }
  return Did::kUnchanged;
}

Did DidOf(const std::optional<Removal>& removal) {
  if (!removal || removal->state == olm::RemovalState::kReappeared) return Did::kKept;
  return removal->holds() ? Did::kRemoving : Did::kRemoved;
}

// Forgets removals of objects that the cluster takes to be applied now, and those that have ended
// and of whose objects the payload says nothing any more. A delete manifest that is left out at the
// moment still says of its object that what comes back is another one.
void Prune(const Release& release, const std::vector<PayloadManifest>& included,
           PayloadRecord& record) {
  std::set<olm::PayloadIdentity> applied;
  std::set<olm::PayloadIdentity> deleted;
  for (const PayloadManifest& each : included) {
    if (!each.deletes) applied.insert(each.identity);
  }
  for (const PayloadManifest& each : release.payload.manifests) {
    if (each.deletes) deleted.insert(each.identity);
  }
  std::erase_if(record.removals, [&](const auto& entry) {
    const auto& [identity, removal] = entry;
    return applied.contains(identity) || (!removal.holds() && !deleted.contains(identity));
  });
}

}  // namespace

std::string_view NameOf(TaskReport::Did did) {
  switch (did) {
    case Did::kCreated:
      return "created";
    case Did::kUpdated:
      return "updated";
    case Did::kUnchanged:
      return "unchanged";
    case Did::kLeft:
      return "left as it is";
    case Did::kRemoved:
      return "removed";
    case Did::kRemoving:
      return "being removed";
    case Did::kKept:
      return "kept";
    case Did::kFailed:
      return "failed";
  }
  return "";
}

std::string VersionOf(const Release& release, const PayloadOptions& options) {
  return options.version.empty() ? release.version : options.version;
}

std::vector<olm::PayloadFault> FaultsOf(const Release& release, const PayloadOptions& options) {
  std::vector<olm::PayloadFault> faults = release.payload.faults;
  size_t deletions = 0;
  for (const PayloadManifest& each : release.payload.manifests) {
    if (!each.deletes) continue;
    ++deletions;
    if (auto reason = olm::ReasonNotToDelete(each.identity, options.record_namespace)) {
      faults.push_back({each.where, StrCat(each.identity.ToString(), ": ", *reason)});
    }
  }
  if (deletions > olm::kMaxRemovals) {
    faults.push_back({"the payload", StrCat("it deletes ", deletions, " objects; at most ",
                                            olm::kMaxRemovals, " can be recorded")});
  }
  const std::string version = VersionOf(release, options);
  if (version.empty()) {
    faults.push_back({"release-metadata",
                      "the payload's version is not known: there is no such file, and "
                      "--payload-version is not given"});
  } else if (!olm::ReleaseVersion::Parse(version).ok()) {
    faults.push_back({"release-metadata", StrCat(version, " is no version of a release")});
  }
  return faults;
}

Task<PassPlan> MakePassPlan(const PassDeps& deps, const Release& release,
                            const PayloadOptions& options) {
  PassPlan plan;
  plan.version = VersionOf(release, options);
  CO_ASSIGN_OR_RETURN(const olm::ReleaseVersion version, olm::ReleaseVersion::Parse(plan.version));
  CO_ASSIGN_OR_RETURN(
      olm::ClusterChoices choices,
      co_await ReadClusterChoices(deps.client, deps.mapper, options.choices, plan.version));
  choices.major = version.major;
  for (const PayloadManifest& each : release.payload.manifests) {
    if (std::optional<std::string> reason = olm::ReasonToLeaveOut(each, choices)) {
      plan.left_out.push_back({each.where, StrCat(each.identity.ToString(), ": ", *reason)});
    } else {
      plan.included.push_back(each);
    }
  }
  plan.hash = olm::PayloadHash(plan.version, plan.included);
  const PayloadRecord& record = deps.record.record();
  const bool known = record.hash == plan.hash;
  plan.begins = !known;
  if (known && record.completed) {
    plan.state = PayloadState::kReconciling;
  } else if (options.initial) {
    plan.state = PayloadState::kInitializing;
  }
  if (!plan.begins) co_return plan;
  olm::UpdateQuestion question{record, version, plan.included, {}, options.allow_stale_deletes};
  CO_ASSIGN_OR_RETURN(question.not_upgradeable,
                      co_await ReadNotUpgradeable(deps.client, deps.mapper));
  plan.preconditions = olm::ReasonsNotToUpdate(question);
  co_return plan;
}

PayloadPass::PayloadPass(const PassDeps& deps, const Release& release,
                         const PayloadOptions& options, const PassObserver& observer)
    : deps_(deps), release_(release), options_(options), observer_(observer) {}

boost::asio::awaitable<PassResult> PayloadPass::Run(bool check_rights) {
  result_.error = co_await Prepare(check_rights);
  if (!result_.error.ok() || !result_.refused.empty()) co_return std::move(result_);
  co_await RunGraph();
  result_.error = co_await Finish();
  co_return std::move(result_);
}

StatusTask PayloadPass::Prepare(bool check_rights) {
  CO_RETURN_IF_ERROR(co_await deps_.record.Load());
  CO_ASSIGN_OR_RETURN(plan_, co_await MakePassPlan(deps_, release_, options_));
  result_.state = plan_.state;
  (options_.force ? result_.warnings : result_.refused) = plan_.preconditions;
  if (!result_.refused.empty()) co_return absl::OkStatus();
  if ((check_rights || plan_.begins) && plan_.state != PayloadState::kReconciling) {
    const bool deletes = plan_.state == PayloadState::kUpdating;
    CO_ASSIGN_OR_RETURN(
        const std::vector<std::string> missing,
        co_await FindMissingRights(deps_.client, deps_.mapper, plan_.included, deletes));
    for (const std::string& each : missing) {
      result_.refused.push_back(StrCat("a right is missing: ", each));
    }
    if (!missing.empty()) co_return absl::OkStatus();
  }
  co_return co_await Begin();
}

// The record says what is begun before anything else is written.
StatusTask PayloadPass::Begin() {
  CO_RETURN_IF_ERROR(co_await deps_.record.Change([this](PayloadRecord& record) {
    if (plan_.begins) {
      record.completed.reset();
      Prune(release_, plan_.included, record);
    }
    record.version = plan_.version;
    record.hash = plan_.hash;
    record.state = plan_.state;
  }));
  applier_.emplace(deps_.client, deps_.mapper, deps_.clock);
  ObjectRemoverOptions removing;
  removing.state = plan_.state;
  removing.version = plan_.version;
  removing.redelete = options_.redelete;
  removing.wait = options_.wait_for_deletions;
  remover_.emplace(deps_.client, deps_.mapper, deps_.clock, deps_.record, removing,
                   observer_.removal);
  if (observer_.begins) observer_.begins(plan_.state, plan_.included.size());
  co_return absl::OkStatus();
}

VoidTask PayloadPass::RunGraph() {
  const bool ordered = plan_.state == PayloadState::kUpdating;
  const olm::TaskGraph graph =
      ordered ? olm::UpdateGraph(plan_.included) : olm::FlatGraph(plan_.included);
  const size_t width = plan_.state == PayloadState::kReconciling ? kReconcilingWidth : kWidth;
  for (const olm::TaskStage& stage : graph) {
    if (failed_) {
      for (const olm::TaskNode& node : stage) result_.not_begun += node.size();
      continue;
    }
    co_await ForEachInFlight(stage.size(), width,
                             [this, &stage](size_t i) { return RunNode(stage[i]); });
  }
}

VoidTask PayloadPass::RunNode(const olm::TaskNode& node) {
  for (size_t i = 0; i < node.size(); ++i) {
    const PayloadManifest& manifest = plan_.included[node[i]];
    TaskReport report;
    report.identity = manifest.identity;
    report.where = manifest.where;
    const absl::StatusOr<Did> did = co_await RunTask(manifest);
    report.did = did.ok() ? *did : Did::kFailed;
    report.error = did.status();
    if (observer_.did) observer_.did(report);
    if (did.ok()) continue;
    failed_ = true;
    result_.failed.push_back(report);
    result_.not_begun += node.size() - i - 1;
    break;
  }
}

Task<Did> PayloadPass::RunTask(const PayloadManifest& manifest) {
  if (!manifest.deletes) {
    const bool wait = plan_.state == PayloadState::kUpdating;
    CO_ASSIGN_OR_RETURN(const ApplyPlan applied, co_await applier_->Apply(manifest, wait));
    co_return DidOf(applied.action);
  }
  CO_ASSIGN_OR_RETURN(const std::optional<Removal> removal,
                      co_await remover_->Remove(manifest.identity, manifest.gvk.version));
  co_return DidOf(removal);
}

StatusTask PayloadPass::Finish() {
  if (failed_ || plan_.state == PayloadState::kReconciling) co_return absl::OkStatus();
  const absl::Time now = deps_.clock.Now();
  CO_RETURN_IF_ERROR(co_await deps_.record.Change([now](PayloadRecord& record) {
    record.completed = now;
    record.state = PayloadState::kReconciling;
  }));
  result_.completed = true;
  co_return absl::OkStatus();
}

StatusTask FollowRemovals(const PassDeps& deps, const PassObserver& observer) {
  CO_RETURN_IF_ERROR(co_await deps.record.Load());
  ObjectRemoverOptions options;
  options.state = PayloadState::kReconciling;
  ObjectRemover remover(deps.client, deps.mapper, deps.clock, deps.record, options,
                        observer.removal);
  std::vector<olm::PayloadIdentity> holding;
  for (const auto& [identity, removal] : deps.record.record().removals) {
    if (removal.holds()) holding.push_back(identity);
  }
  absl::Status first;
  for (const olm::PayloadIdentity& identity : holding) {
    const absl::Status looked = (co_await remover.Remove(identity, "")).status();
    if (!looked.ok()) first.Update(WithContext(identity.ToString(), looked));
  }
  co_return first;
}

}  // namespace steward::payload
