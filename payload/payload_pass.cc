#include "payload/payload_pass.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/async/in_flight.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "olm/payload/contradictions.h"
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
using Action = TaskReport::Action;

// The number of nodes that are applied at the same time.
constexpr size_t kWidth = 16;
constexpr size_t kReconcilingWidth = 4;
// The time that an object waits for a namespace or definition that another component of its level
// creates at the same time.
constexpr absl::Duration kMadeBesideTakes = absl::Seconds(30);
constexpr absl::Duration kMadeBesidePause = absl::Milliseconds(200);
// The time for which a confirmation holds that no other process has changed the record. Objects are
// written within it without another confirmation.
constexpr absl::Duration kConfirmedFor = absl::Seconds(5);

Action ActionOf(ApplyAction action) {
  switch (action) {
    case ApplyAction::kCreate:
      return Action::kCreated;
    case ApplyAction::kUpdate:
      return Action::kUpdated;
    case ApplyAction::kUnchanged:
      return Action::kUnchanged;
    case ApplyAction::kLeft:
      return Action::kLeft;
  }
  return Action::kUnchanged;
}

Action ActionOf(const std::optional<Removal>& removal) {
  if (!removal) return Action::kKept;
  switch (removal->state) {
    case olm::RemovalState::kOngoing:
      return Action::kRemoving;
    case olm::RemovalState::kCompleted:
      return Action::kRemoved;
    default:
      return Action::kKept;
  }
}

std::set<olm::PayloadIdentity> DeletedBy(const std::vector<PayloadManifest>& manifests) {
  std::set<olm::PayloadIdentity> deleted;
  for (const PayloadManifest& each : manifests) {
    if (each.deletes) deleted.insert(each.identity);
  }
  return deleted;
}

// Forgets ended removals of objects that are now applied or that the payload no longer names. A
// delete manifest that is not included now still counts as naming its object: its recorded removal
// shows that an object that comes back is a new one.
void Prune(const Release& release, const std::vector<PayloadManifest>& included,
           PayloadRecord& record) {
  std::set<olm::PayloadIdentity> applied;
  for (const PayloadManifest& each : included) {
    if (!each.deletes) applied.insert(each.identity);
  }
  const std::set<olm::PayloadIdentity> deleted = DeletedBy(release.payload.manifests);
  std::erase_if(record.removals, [&](const auto& entry) {
    const auto& [identity, removal] = entry;
    return !removal.holds() && (applied.contains(identity) || !deleted.contains(identity));
  });
}

std::map<olm::PayloadIdentity, Removal> HoldingOf(const PayloadRecord& record) {
  std::map<olm::PayloadIdentity, Removal> holding = record.removals;
  std::erase_if(holding, [](const auto& entry) { return !entry.second.holds(); });
  return holding;
}

// Returns a remover that follows removals and deletes nothing.
ObjectRemover FollowerOf(const PassDeps& deps, ObjectRemover::Changed changed) {
  ObjectRemoverOptions options;
  options.state = PayloadState::kReconciling;
  return {deps.client, deps.mapper, deps.clock, deps.record, options, std::move(changed)};
}

Task<std::optional<Removal>> Follow(const PassDeps& deps, const PassObserver& observer,
                                    olm::PayloadIdentity identity) {
  ObjectRemover follower = FollowerOf(deps, observer.removal);
  co_return co_await follower.Remove(std::move(identity), "");
}

}  // namespace

std::string_view NameOf(TaskReport::Action action) {
  switch (action) {
    case Action::kCreated:
      return "created";
    case Action::kUpdated:
      return "updated";
    case Action::kUnchanged:
      return "unchanged";
    case Action::kLeft:
      return "left as it is";
    case Action::kRemoved:
      return "removed";
    case Action::kRemoving:
      return "being removed";
    case Action::kKept:
      return "kept";
    case Action::kFailed:
      return "failed";
  }
  return "";
}

std::string VersionOf(const Release& release, const PayloadOptions& options) {
  return options.version.empty() ? release.version : options.version;
}

olm::TemplateFields TemplateFieldsOf(const PayloadOptions& options) {
  return {options.release_image, options.choices.profile};
}

std::vector<olm::PayloadFault> FaultsOf(const Release& release, const PayloadOptions& options) {
  std::vector<olm::PayloadFault> faults = release.payload.faults;
  size_t deletions = 0;
  for (const PayloadManifest& each : release.payload.manifests) {
    if (each.deletes) ++deletions;
    if (auto reason = olm::ReasonNotToName(each, options.record_namespace)) {
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

// Finds the faults that only show in the live cluster.
Task<std::vector<olm::PayloadFault>> LiveFaultsOf(const PassDeps& deps,
                                                  const std::vector<PayloadManifest>& included,
                                                  const PayloadOptions& options) {
  std::vector<olm::PayloadFault> faults;
  std::map<std::string, std::string> deleted_definitions;  // by name: where it is deleted
  for (const PayloadManifest& each : included) {
    if (each.deletes && each.identity.kind == "CustomResourceDefinition") {
      deleted_definitions[each.identity.name] = each.where;
    }
  }
  // A definition that was removed once and came back is kept anyway, unless `redelete` is set.
  const auto takes_operators = [&](const PayloadManifest& each) {
    const std::optional<Removal> known = deps.record.record().Find(each.identity);
    return each.deletes && olm::DefinesOlm(each.identity) && !options.allow_olm_deletes &&
           (!known || known->holds() || options.redelete);
  };
  bool operators = false;
  if (std::any_of(included.begin(), included.end(), takes_operators)) {
    CO_ASSIGN_OR_RETURN(operators, co_await HasOperators(deps.client, deps.mapper));
  }
  for (const PayloadManifest& each : included) {
    const auto say = [&](std::string_view what) {
      faults.push_back({each.where, StrCat(each.identity.ToString(), ": ", what)});
    };
    if (operators && takes_operators(each)) say(kOperatorsWouldGo);
    const absl::StatusOr<std::optional<kube::RestMapping>> mapping =
        co_await deps.mapper.Find(each.gvk);
    // An unavailable API only holds up its own objects, when their turn comes.
    if (!mapping.ok() || !*mapping) continue;
    const absl::Status named = NameUnder(**mapping, each.identity).status();
    // For well-known kinds this fault was reported before.
    if (!named.ok() && !each.identity.IsNamespaced()) say(ToStd(named.message()));
    const auto definition = deleted_definitions.find((*mapping)->gvr.GroupResource());
    if (!each.deletes && definition != deleted_definitions.end()) {
      say(StrCat("it is applied, and its definition is deleted by ", definition->second));
    }
  }
  co_return faults;
}

// Returns the record with the present states of removals that had not ended. Only reads.
Task<PayloadRecord> FollowedRecord(const PassDeps& deps) {
  PayloadRecord record = deps.record.record();
  ObjectRemover follower = FollowerOf(deps, nullptr);
  for (auto& [identity, removal] : record.removals) {
    if (!removal.holds()) continue;
    const absl::StatusOr<RemovalInspection> look = co_await follower.Inspect(identity, "");
    // If the object cannot be read, the removal keeps its recorded state.
    if (!look.ok()) continue;
    if (look->decision.removal) removal = *look->decision.removal;
  }
  co_return record;
}

ObjectRemoverOptions RemovalOptionsOf(const PassPlan& plan, const PayloadOptions& options) {
  ObjectRemoverOptions removing;
  removing.state = plan.state;
  removing.version = plan.version;
  removing.redelete = options.redelete;
  removing.allow_olm_deletes = options.allow_olm_deletes;
  removing.wait = options.wait_for_deletions;
  return removing;
}

olm::TaskGraph GraphOf(const PassPlan& plan) {
  return plan.state == PayloadState::kUpdating ? olm::UpdateGraph(plan.included)
                                               : olm::FlatGraph(plan.included);
}

Task<PassPlan> MakePassPlan(const PassDeps& deps, const Release& release,
                            const PayloadOptions& options) {
  PassPlan plan;
  plan.version = VersionOf(release, options);
  plan.faults = FaultsOf(release, options);
  const absl::StatusOr<olm::ReleaseVersion> version = olm::ReleaseVersion::Parse(plan.version);
  CO_ASSIGN_OR_RETURN(
      olm::ClusterChoices choices,
      co_await ReadClusterChoices(deps.client, deps.mapper, options.choices, plan.version));
  if (version.ok()) choices.major = version->major;
  if (!choices.capabilities) {
    const auto named = olm::ChoicesNamedBy(release.payload.manifests).capabilities;
    if (!named.empty()) {
      plan.notes.push_back(
          StrCat("nothing says which capabilities are on, so all that the payload ",
                 "names are: ", absl::StrJoin(named, ", ")));
    }
  }
  for (const PayloadManifest& each : release.payload.manifests) {
    if (std::optional<std::string> reason = olm::ReasonToLeaveOut(each, choices)) {
      plan.left_out.push_back({each.where, StrCat(each.identity.ToString(), ": ", *reason)});
    } else {
      plan.included.push_back(each);
    }
  }
  CO_ASSIGN_OR_RETURN(const std::vector<olm::PayloadFault> live,
                      co_await LiveFaultsOf(deps, plan.included, options));
  for (const auto& more : {olm::ContradictionsAmong(plan.included), live}) {
    plan.faults.insert(plan.faults.end(), more.begin(), more.end());
  }
  if (!plan.faults.empty()) co_return plan;
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
  CO_ASSIGN_OR_RETURN(const PayloadRecord followed, co_await FollowedRecord(deps));
  olm::UpdateQuestion question{followed, *version, plan.included, {}, options.allow_stale_deletes};
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
  if (!result_.error.ok() || !result_.refused.empty() || !result_.faults.empty())
    co_return std::move(result_);
  co_await RunGraph();
  result_.error = co_await Finish();
  co_return std::move(result_);
}

StatusTask PayloadPass::Prepare(bool check_rights) {
  CO_RETURN_IF_ERROR(co_await deps_.record.Load());
  CO_ASSIGN_OR_RETURN(plan_, co_await MakePassPlan(deps_, release_, options_));
  result_.state = plan_.state;
  result_.faults = plan_.faults;
  if (!result_.faults.empty()) co_return absl::OkStatus();
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

// Stores in the record what this pass begins, before anything else is written.
StatusTask PayloadPass::Begin() {
  CO_RETURN_IF_ERROR(co_await deps_.record.Change([this](PayloadRecord& record) {
    if (plan_.begins) record.completed.reset();
    // Ended removals are forgotten when the payload is complete, or earlier if the record is full.
    if (record.removals.size() > olm::kMaxRemovals) Prune(release_, plan_.included, record);
    record.version = plan_.version;
    record.hash = plan_.hash;
    record.state = plan_.state;
  }));
  ObjectApplierOptions applying;
  applying.patience = options_.wait_for_health;
  confirmed_ = deps_.clock.Monotonic();
  applier_.emplace(deps_.client, deps_.mapper, deps_.clock, applying, observer_.waits,
                   [this] { return MayWrite(); });
  remover_.emplace(deps_.client, deps_.mapper, deps_.clock, deps_.record,
                   RemovalOptionsOf(plan_, options_), observer_.removal);
  if (observer_.begins) observer_.begins(plan_.state, plan_.included.size());
  co_return absl::OkStatus();
}

VoidTask PayloadPass::RunGraph() {
  const olm::TaskGraph graph = GraphOf(plan_);
  dependencies_.emplace(plan_.included, graph);
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
    const absl::StatusOr<Action> action = co_await RunTask(node[i]);
    report.action = action.ok() ? *action : Action::kFailed;
    report.error = action.status();
    if (observer_.done) observer_.done(report);
    if (action.ok()) continue;
    failed_ = true;
    result_.failed.push_back(report);
    result_.not_begun += node.size() - i - 1;
    break;
  }
}

Task<Action> PayloadPass::RunTask(size_t index) {
  const PayloadManifest& manifest = plan_.included[index];
  if (!manifest.deletes) {
    const bool wait = plan_.state == PayloadState::kUpdating;
    const absl::Duration until = deps_.clock.Monotonic() + kMadeBesideTakes;
    while (true) {
      const absl::StatusOr<ApplyPlan> applied = co_await applier_->Apply(manifest, wait);
      if (applied.ok()) co_return ActionOf(applied->action);
      if (failed_ || deps_.clock.Monotonic() >= until) co_return applied.status();
      CO_ASSIGN_OR_RETURN(const bool beside, co_await IsMadeBeside(index, applied.status()));
      if (!beside) co_return applied.status();
      co_await deps_.clock.Sleep(kMadeBesidePause);
    }
  }
  CO_ASSIGN_OR_RETURN(const std::optional<Removal> removal,
                      co_await remover_->Remove(manifest.identity, manifest.StoredVersion()));
  co_return ActionOf(removal);
}

Task<bool> PayloadPass::IsMadeBeside(size_t index, absl::Status lack) {
  const PayloadManifest& manifest = plan_.included[index];
  const std::optional<size_t> ns = dependencies_->NamespaceOf(index);
  if (ns && dependencies_->AreBeside(*ns, index) && kube::IsNotFound(lack, manifest.identity.ns)) {
    co_return true;
  }
  const std::optional<size_t> definition = dependencies_->DefinitionOf(index);
  if (!definition || !dependencies_->AreBeside(*definition, index)) co_return false;
  CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                      co_await deps_.mapper.Find(manifest.gvk));
  co_return !mapping;
}

StatusTask PayloadPass::Finish() {
  if (failed_) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(co_await FollowUnasked());
  if (plan_.state == PayloadState::kReconciling) co_return absl::OkStatus();
  const absl::Time now = deps_.clock.Now();
  CO_RETURN_IF_ERROR(co_await deps_.record.Change([now](PayloadRecord& record) {
    record.completed = now;
    record.state = PayloadState::kReconciling;
  }));
  result_.completed = true;
  co_return absl::OkStatus();
}

// While this process waits or is held up, another one may have begun a pass.
StatusTask PayloadPass::MayWrite() {
  const absl::Duration now = deps_.clock.Monotonic();
  if (now - confirmed_ < kConfirmedFor) co_return absl::OkStatus();
  confirmed_ = now;
  co_return co_await deps_.record.Confirm();
}

StatusTask PayloadPass::FollowUnasked() {
  const std::set<olm::PayloadIdentity> asked = DeletedBy(plan_.included);
  const bool deletes = plan_.state == PayloadState::kUpdating || options_.redelete;
  std::vector<Removal> never_accepted;
  for (const auto& [identity, removal] : HoldingOf(deps_.record.record())) {
    if (deletes && asked.contains(identity)) continue;
    const absl::StatusOr<std::optional<Removal>> looked =
        co_await Follow(deps_, observer_, identity);
    // A removal that cannot be read keeps its state. FollowRemovals reports the reason.
    if (!looked.ok() || !*looked || !(*looked)->holds()) continue;
    if ((*looked)->state != olm::RemovalState::kOngoing) never_accepted.push_back(**looked);
  }
  const absl::Time now = deps_.clock.Now();
  CO_RETURN_IF_ERROR(co_await deps_.record.Change([&](PayloadRecord& record) {
    for (const Removal& each : never_accepted) {
      if (!asked.contains(each.identity)) {
        record.removals.erase(each.identity);
        continue;
      }
      // No manifest deletes the object now, so it is kept like one that reappeared.
      Removal& kept = record.removals[each.identity];
      kept.state = olm::RemovalState::kReappeared;
      kept.since = now;
      kept.note = "its deletion was never accepted; it is kept";
    }
    Prune(release_, plan_.included, record);
  }));
  for (const Removal& each : never_accepted) {
    if (observer_.dropped && !asked.contains(each.identity)) observer_.dropped(each);
  }
  co_return absl::OkStatus();
}

StatusTask FollowRemovals(const PassDeps& deps, const PassObserver& observer) {
  CO_RETURN_IF_ERROR(co_await deps.record.Load());
  absl::Status first;
  for (const auto& [identity, removal] : HoldingOf(deps.record.record())) {
    const absl::Status looked = (co_await Follow(deps, observer, identity)).status();
    if (!looked.ok()) first.Update(WithContext(identity.ToString(), looked));
  }
  co_return first;
}

}  // namespace steward::payload
