#include "olm/cleanup/guards.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/opt_in.h"
#include "olm/cleanup/record.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"
#include "olm/targets.h"

namespace steward::olm {
namespace {

constexpr size_t kMaxObjects = 100;

// The group of the kinds that OLM itself consists of.
constexpr std::string_view kOlmGroup = "operators.coreos.com";

std::string NameOf(const kube::NamespacedName& key) { return StrCat(key.ns, "/", key.name); }

CleanupBlocker Blocker(CleanupReason reason, std::string message,
                       std::vector<std::string> objects = {}) {
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  if (objects.size() > kMaxObjects) objects.resize(kMaxObjects);
  return {reason, std::move(message), std::move(objects)};
}

bool IsOlmKind(const std::string& crd) {
  const std::string_view group = std::string_view(crd).substr(crd.find('.') + 1);
  return group == kOlmGroup || group.ends_with(StrCat(".", kOlmGroup));
}

// A blocker that follows from the ClusterServiceVersion itself.
CleanupBlocker Own(CleanupReason reason, std::string message) {
  return {reason, std::move(message), {}, BlockerWeight::kOwn};
}

// A blocker for an object that could not be read.
CleanupBlocker Unknown(CleanupReason reason, std::string message,
                       std::vector<std::string> objects = {}) {
  return {reason, std::move(message), std::move(objects), BlockerWeight::kUnknown};
}

void CheckRecord(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  const CsvFacts& csv = *inputs.csv;
  if (!csv.record.has_value()) {
    // Anyone who may write the status can claim that a cleanup waits; that claim deletes nothing.
    if (MayHaveSent(inputs)) {
      blockers.push_back(Own(CleanupReason::kRecordRemoved,
                             StrCat("annotation ", kRecordAnnotation, " was removed")));
    }
    return;
  }
  const absl::StatusOr<CleanupRecord> record = DecodeRecord(*csv.record);
  if (!record.ok()) {
    blockers.push_back(Own(
        CleanupReason::kRecordInvalid,
        StrCat("annotation ", kRecordAnnotation, " is no record: ", record.status().message())));
  } else if (record->csv_uid != csv.uid) {
    blockers.push_back(Own(
        CleanupReason::kRecordOfAnotherObject,
        StrCat("annotation ", kRecordAnnotation, " was written for another object of this name")));
  }
}

bool Intersects(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&b](const std::string& name) { return b.contains(name); });
}

// All other ClusterServiceVersions: the live ones, then those known only from earlier.
std::vector<const CsvFacts*> OtherCsvs(const CleanupInputs& inputs) {
  std::set<kube::NamespacedName> seen = {inputs.csv->key};
  std::vector<const CsvFacts*> others;
  if (!inputs.csvs.ok()) return others;
  const auto take = [&](const CsvFacts& csv) {
    if (seen.insert(csv.key).second) others.push_back(&csv);
  };
  for (const auto* csvs : {&*inputs.csvs, &inputs.known}) {
    for (const CsvFacts& csv : *csvs) take(csv);
  }
  for (const DepartedCsv& departed : inputs.departed) take(departed.csv);
  return others;
}

OtherOperators RelatedOf(const CleanupInputs& inputs, const std::vector<const CsvFacts*>& others) {
  if (inputs.others.has_value()) return *inputs.others;
  OtherOperators related;
  const CsvFacts& csv = *inputs.csv;
  const std::set<std::string> definitions = DefinitionsOf(inputs);
  for (const CsvFacts* other : others) {
    if (Intersects(other->owned_crds, definitions)) related.owners.push_back(other->key);
    if (Intersects(other->required_crds, definitions)) related.requirers.push_back(other->key);
    if (other->key.ns == csv.key.ns && other->replaces == csv.key.name) {
      related.replacers.push_back(other->key);
    }
  }
  return related;
}

// Copies whose original is nowhere. Either OLM has yet to delete them, as after an upgrade, or
// somebody set the label.
std::set<kube::NamespacedName> LeftCopies(const std::vector<const CsvFacts*>& others) {
  std::set<kube::NamespacedName> originals, left;
  for (const CsvFacts* other : others) {
    if (!other->copied_from.has_value()) originals.insert(other->key);
  }
  for (const CsvFacts* other : others) {
    if (!other->copied_from.has_value()) continue;
    if (!originals.contains({*other->copied_from, other->key.name})) left.insert(other->key);
  }
  return left;
}

std::vector<std::string> NamesOf(const std::vector<kube::NamespacedName>& keys) {
  std::vector<std::string> names;
  for (const kube::NamespacedName& key : keys) names.push_back(NameOf(key));
  return names;
}

// The time since the last of the operators went, if all are gone.
std::optional<absl::Duration> AllGoneFor(const CleanupInputs& inputs,
                                         const std::vector<const CsvFacts*>& others,
                                         const std::vector<kube::NamespacedName>& keys) {
  std::optional<absl::Duration> last;
  for (const kube::NamespacedName& key : keys) {
    const auto found = std::find_if(
        inputs.departed.begin(), inputs.departed.end(), [&](const DepartedCsv& departed) {
          // An operator that exists again is not gone.
          return departed.csv.key == key &&
                 std::find(others.begin(), others.end(), &departed.csv) != others.end();
        });
    if (found == inputs.departed.end()) return std::nullopt;
    last = std::min(last.value_or(absl::InfiniteDuration()), found->ago);
  }
  return last;
}

std::string GoneText(const CsvFacts& csv, std::string_view did, absl::Duration ago) {
  return StrCat("an operator that ", did, " the same definitions was uninstalled ",
                absl::ToInt64Seconds(ago), " s ago, and its custom resources were to be kept. ",
                csv.deleting() ? "If nobody needs them, delete them yourself"
                               : "It counts for a minute: uninstall this operator after that");
}

void CheckOthers(const CleanupInputs& inputs, const std::vector<const CsvFacts*>& all,
                 const OtherOperators& others, std::vector<CleanupBlocker>& blockers) {
  if (!others.owners.empty()) {
    const std::optional<absl::Duration> ago = AllGoneFor(inputs, all, others.owners);
    blockers.push_back(Blocker(CleanupReason::kSharedOwner,
                               ago.has_value() ? GoneText(*inputs.csv, "owned", *ago)
                                               : "other operators own the same definitions",
                               NamesOf(others.owners)));
  }
  if (!others.requirers.empty()) {
    const std::optional<absl::Duration> ago = AllGoneFor(inputs, all, others.requirers);
    blockers.push_back(Blocker(CleanupReason::kRequiredByOther,
                               ago.has_value() ? GoneText(*inputs.csv, "required", *ago)
                                               : "other operators require its definitions",
                               NamesOf(others.requirers)));
  }
  if (!others.replacers.empty()) {
    blockers.push_back(Blocker(CleanupReason::kBeingReplaced,
                               "another version is to take its place", NamesOf(others.replacers)));
  }
}

// If only copies whose original is gone block, the verdict is Unknown at first, because OLM may
// delete these copies at any moment. After inputs.copies_had_time they count as operators.
void CheckOthers(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  const std::vector<const CsvFacts*> others = OtherCsvs(inputs);
  OtherOperators related = RelatedOf(inputs, others);
  const std::set<kube::NamespacedName> left =
      inputs.copies_had_time ? std::set<kube::NamespacedName>() : LeftCopies(others);
  std::vector<std::string> waited_for;
  for (std::vector<kube::NamespacedName>* keys :
       {&related.owners, &related.requirers, &related.replacers}) {
    const bool all_left =
        std::all_of(keys->begin(), keys->end(),
                    [&left](const kube::NamespacedName& key) { return left.contains(key); });
    if (keys->empty() || !all_left) continue;
    for (std::string& name : NamesOf(*keys)) waited_for.push_back(std::move(name));
    keys->clear();
  }
  CheckOthers(inputs, others, related, blockers);
  if (waited_for.empty()) return;
  CleanupBlocker blocker = Blocker(
      CleanupReason::kCopiesLeft,
      "copies of operators that are gone own, require or replace the same", std::move(waited_for));
  blocker.weight = BlockerWeight::kUnknown;
  blockers.push_back(std::move(blocker));
}

void CheckGroup(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  if (inputs.groups.unreadable()) return;
  const CsvFacts& csv = *inputs.csv;
  const std::string& ns = csv.key.ns;
  if (inputs.groups.absent() || inputs.groups->empty()) {
    blockers.push_back(Blocker(CleanupReason::kOperatorGroupGone,
                               StrCat("there is no OperatorGroup in namespace ", ns)));
    return;
  }
  std::vector<std::string> names;
  for (const GroupFacts& group : *inputs.groups) names.push_back(NameOf(group.group.key));
  if (names.size() > 1) {
    blockers.push_back(Blocker(CleanupReason::kOperatorGroupNotUnique,
                               StrCat("there are several OperatorGroups in namespace ", ns),
                               std::move(names)));
    return;
  }
  const GroupFacts& group = inputs.groups->front();
  if (group.deleting) {
    blockers.push_back(
        Blocker(CleanupReason::kOperatorGroupGone, "the OperatorGroup is being deleted", names));
  }
  const std::string& unreadable =
      group.group.unreadable.empty() ? group.group.invalid_status : group.group.unreadable;
  if (!unreadable.empty()) {
    blockers.push_back(Unknown(CleanupReason::kOperatorGroupUnreadable,
                               StrCat("the OperatorGroup cannot be read: ", unreadable), names));
  } else if (KindOfTargets(group.group) == TargetKind::kNone) {
    blockers.push_back(
        Blocker(CleanupReason::kOperatorGroupInvalid,
                StrCat("the OperatorGroup's spec cannot be used: ", group.group.invalid), names));
  }
  // Check both records: the annotation may have been edited, the remembered record cannot be.
  bool changed = inputs.remembered.has_value() && inputs.remembered->group_uid != group.group.uid;
  if (csv.record.has_value()) {
    const absl::StatusOr<CleanupRecord> record = DecodeRecord(*csv.record);
    changed = changed || (record.ok() && record->group_uid != group.group.uid);
  }
  if (changed) {
    blockers.push_back(Blocker(CleanupReason::kOperatorGroupChanged,
                               "it is another OperatorGroup than when cleanup began", names));
    return;
  }
  // CheckCsvDefinition refuses a time that cannot be read. An equal time counts as earlier, because
  // a user who recreates the group in that second could have edited it before just as well.
  const absl::StatusOr<absl::Time> deleted = kube::ParseRfc3339(csv.deletion_timestamp);
  if (!deleted.ok() || group.created <= *deleted) return;
  blockers.push_back(Blocker(CleanupReason::kOperatorGroupChanged,
                             "the OperatorGroup was made after it had been deleted", names));
}

// A record that is too large could never be written, so the ClusterServiceVersion would wait for
// ever. A record that was written once fits.
void CheckRoomForRecord(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  if (MayHaveSent(inputs) || !inputs.groups.ok() || inputs.groups->size() != 1) return;
  const CleanupRecord record = NewRecord(inputs);
  if (HasRoomFor(record, inputs.csv->other_annotations)) return;
  blockers.push_back(Blocker(
      CleanupReason::kRecordTooLarge,
      StrCat("the record of its ", record.targets.names().size(), " target namespaces takes ",
             SizeOf(record), " bytes, its other annotations take ", inputs.csv->other_annotations,
             ", and an object's annotations may not take more than ", kMaxAnnotationBytes)));
}

// The operator's Deployments that are gone or being deleted.
std::vector<std::string> LostDeployments(const CleanupInputs& inputs) {
  std::vector<std::string> lost;
  if (inputs.without_deployments) return lost;
  for (const std::string& name : inputs.csv->deployments) {
    const auto found = inputs.deployments.find(name);
    if (found == inputs.deployments.end() || found->second.unreadable()) continue;
    if (found->second.absent() || found->second->deleting) {
      lost.push_back(NameOf({inputs.csv->key.ns, name}));
    }
  }
  return lost;
}

bool Lists(const std::vector<CsvFacts>& csvs, const CsvFacts& wanted) {
  return std::any_of(csvs.begin(), csvs.end(),
                     [&wanted](const CsvFacts& csv) { return csv.uid == wanted.uid; });
}

template <typename T>
void Require(std::string_view what, const Read<T>& read, std::vector<CleanupBlocker>& blockers) {
  if (!read.unreadable()) return;
  blockers.push_back(Unknown(CleanupReason::kUnreadable, StrCat(what, ": ", read.why())));
}

template <typename T>
void RequireEach(std::string_view what, const std::set<std::string>& names,
                 const std::map<std::string, Read<T>>& reads,
                 std::vector<CleanupBlocker>& blockers) {
  for (const std::string& name : names) {
    const auto read = reads.find(name);
    Require(StrCat(what, " ", name), read == reads.end() ? Read<T>() : read->second, blockers);
  }
}

// Adds the refusals that follow from the ClusterServiceVersion alone.
void CheckItself(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  const CsvFacts& csv = *inputs.csv;
  const auto refuse = [&blockers](CleanupReason reason, std::string message) {
    blockers.push_back(Own(reason, std::move(message)));
  };
  if (!csv.cleanup_enabled) {
    refuse(CleanupReason::kNotSupported, "spec.cleanup.enabled is not true");
  }
  if (!csv.HasFinalizer(kCleanupFinalizer)) {
    refuse(CleanupReason::kNotOptedIn, StrCat("finalizer ", kCleanupFinalizer, " is not there"));
  }
  if (csv.MayBeCopy()) refuse(CleanupReason::kCopied, "it is a copy that OLM made");
  if (csv.phase != "Succeeded") {
    refuse(CleanupReason::kPhaseNotSucceeded,
           StrCat("its phase is \"", csv.phase, "\", not \"Succeeded\""));
  }
  if (csv.HasFinalizer(kForegroundFinalizer)) {
    refuse(CleanupReason::kOperatorGone,
           "it is deleted in the foreground: its Deployments go before it");
  }
  if (csv.HasFinalizer(kOrphanFinalizer)) {
    refuse(CleanupReason::kOrphanRequested, "it is deleted with the wish to keep what it owns");
  }
  if (csv.opt_out.has_value() && *csv.opt_out != "false" && !csv.opt_out->empty()) {
    refuse(CleanupReason::kOperandDeleteDisabled,
           StrCat("annotation ", kOptOutAnnotation, " is \"", *csv.opt_out, "\""));
  }
  // The garbage collector uninstalls the operator when its last owner is deleted, and nothing
  // checks whether the user who deleted that owner may uninstall. OLM sets no owners on the
  // ClusterServiceVersions that it installs.
  if (!csv.owners.empty()) {
    refuse(CleanupReason::kHasOwners,
           StrCat("metadata.ownerReferences has ", csv.owners.front(),
                  ": whoever deletes the last of its owners would uninstall it"));
  }
  if (!csv.malformed.empty()) refuse(CleanupReason::kInvalidSpec, csv.malformed);
  if (std::any_of(csv.owned_crds.begin(), csv.owned_crds.end(), IsOlmKind)) {
    refuse(CleanupReason::kOwnsOlmKinds, StrCat("it owns kinds of ", kOlmGroup));
  }
  if (csv.refusal.has_value()) {
    refuse(CleanupReason::kRefusedBefore,
           StrCat("annotation ", kRefusalAnnotation, " is there: ", *csv.refusal));
  }
  CheckRecord(inputs, blockers);
  if (csv.rights_released.has_value()) {
    refuse(CleanupReason::kRightsReleased,
           StrCat("its rights were let go of: ", *csv.rights_released));
  }
}

void CheckCsvs(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  if (inputs.others.has_value()) return;
  Require("ClusterServiceVersions", inputs.csvs, blockers);
  // The list must contain the ClusterServiceVersion itself.
  if (inputs.csvs.absent()) {
    blockers.push_back(Unknown(CleanupReason::kUnreadable, "ClusterServiceVersions: not served"));
  } else if (inputs.csvs.ok() && !Lists(*inputs.csvs, *inputs.csv)) {
    blockers.push_back(
        Unknown(CleanupReason::kUnreadable, "ClusterServiceVersions: the list lacks this one"));
  }
}

// Checks that the OperatorGroup's status already reflects its spec. Before the record is written, a
// namespace that the status lacks would be missing from the record for good (R-000-88). Afterwards,
// a status that lags merely narrows the targets for a while (R-000-62).
void CheckSynced(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  if (!inputs.groups.ok() || inputs.groups->size() != 1) return;
  const GroupFacts& group = inputs.groups->front();
  const TargetKind kind = KindOfTargets(group.group);
  if (kind == TargetKind::kSelector && !inputs.selected.ok()) {
    blockers.push_back(
        Unknown(CleanupReason::kUnreadable, StrCat("namespaces: ", inputs.selected.why())));
    return;
  }
  if (kind == TargetKind::kNone || group.deleting || !group.group.invalid_status.empty()) return;
  const std::vector<std::string> objects = {NameOf(group.group.key)};
  // Nothing that was recorded is left in the targets, so the group's status does not matter.
  if (MayHaveSent(inputs) && EffectiveTargets(inputs).empty()) return;
  if (!group.synced.has_value()) {
    blockers.push_back(Unknown(CleanupReason::kOperatorGroupNotSynced,
                               "the OperatorGroup's status.namespaces is not there", objects));
  } else if (!MayHaveSent(inputs) && SyncedTargets(group) != SpecTargets(inputs)) {
    blockers.push_back(Unknown(CleanupReason::kOperatorGroupNotSynced,
                               "the OperatorGroup's status.namespaces is not what its spec says",
                               objects));
  }
}

// True if the install namespace is being deleted or gone, and no operator is left to finish
// deletions. Then cleanup is refused whatever the definitions are. APIs that the operator serves by
// itself go with the namespace and could never be read again, so they must not count as unreadable
// (R-000-86).
bool EndsWithItsNamespace(const CleanupInputs& inputs) {
  const Read<InstallNamespaceFacts>& ns = inputs.install_namespace;
  const bool ends = ns.absent() || (ns.ok() && ns->terminating);
  return ends && (!MayHaveSent(inputs) || NobodyCanFinish(inputs));
}

void CheckReadings(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  Require(StrCat("namespace ", inputs.csv->key.ns), inputs.install_namespace, blockers);
  Require("OperatorGroups", inputs.groups, blockers);
  CheckCsvs(inputs, blockers);
  if (!inputs.watched_only) {
    Require("the definition of ClusterServiceVersions", inputs.csv_definition, blockers);
    if (!EndsWithItsNamespace(inputs)) {
      RequireEach("CustomResourceDefinition", inputs.csv->owned_crds, inputs.crds, blockers);
    }
    if (!inputs.without_deployments) {
      RequireEach("Deployment", inputs.csv->deployments, inputs.deployments, blockers);
    }
    if (!inputs.allow_unprotected) {
      Require("the admission policies", inputs.protection, blockers);
      if (inputs.protection.absent()) {
        blockers.push_back(Unknown(CleanupReason::kUnreadable, "the admission policies: not read"));
      }
    }
  }
  CheckSynced(inputs, blockers);
}

// Timestamps have whole seconds, so equal times prove no order.
std::string DeletedBefore(bool same_second, std::string_view what) {
  if (!same_second) return StrCat("it was deleted before ", what, " was made anew");
  return StrCat("it was deleted in the second in which ", what,
                " was made: equal timestamps prove no order, so it may have been deleted before");
}

// Deleting the definition of ClusterServiceVersions deletes all of them, and no admission policy
// judges that (R-000-77). A ClusterServiceVersion that outlives the definition reappears when the
// definition is created anew.
void CheckCsvDefinition(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  const Read<CsvDefinitionFacts>& definition = inputs.csv_definition;
  if (definition.unreadable()) return;
  if (definition.absent() || definition->terminating) {
    blockers.push_back(Blocker(
        CleanupReason::kCsvDefinitionTerminating,
        "the definition of ClusterServiceVersions is gone or being deleted, and they go with it"));
    return;
  }
  if (!inputs.csv->deleting()) return;
  const absl::StatusOr<absl::Time> deleted = kube::ParseRfc3339(inputs.csv->deletion_timestamp);
  if (deleted.ok() && *deleted > definition->created) return;
  blockers.push_back(Blocker(CleanupReason::kCsvDefinitionTerminating,
                             DeletedBefore(deleted.ok() && *deleted == definition->created,
                                           "the definition of ClusterServiceVersions")));
}

void CheckInstallNamespace(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  const Read<InstallNamespaceFacts>& ns = inputs.install_namespace;
  if (ns.unreadable()) return;
  if (ns.absent() || ns->terminating) {
    blockers.push_back(
        Blocker(CleanupReason::kInstallNamespaceTerminating,
                StrCat("namespace ", inputs.csv->key.ns, " is gone or being deleted")));
    return;
  }
  // A ClusterServiceVersion that was deleted with its namespace can outlive it if somebody
  // finalizes the namespace by hand. CheckCsvDefinition refuses a time that cannot be read.
  const absl::StatusOr<absl::Time> deleted = kube::ParseRfc3339(inputs.csv->deletion_timestamp);
  if (!deleted.ok() || *deleted > ns->created) return;
  blockers.push_back(
      Blocker(CleanupReason::kInstallNamespaceTerminating,
              DeletedBefore(*deleted == ns->created, StrCat("namespace ", inputs.csv->key.ns))));
}

void CheckDeployments(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  std::vector<std::string> lost = LostDeployments(inputs);
  if (lost.empty()) return;
  blockers.push_back(Blocker(CleanupReason::kOperatorGone,
                             "Deployments of the operator are gone or being deleted",
                             std::move(lost)));
}

// CheckItself sees the garbage collector's finalizers, but they may be gone by now.
void CheckDeletionMode(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  if (!inputs.csv->deleting()) return;
  switch (inputs.deletion_mode) {
    case DeletionMode::kNotAsked:
    case DeletionMode::kBackground:
      return;
    case DeletionMode::kNotShownYet:
      blockers.push_back(
          Unknown(CleanupReason::kUnreadable, "the watch has not shown yet how it was deleted"));
      return;
    case DeletionMode::kForeground:
      blockers.push_back(Blocker(CleanupReason::kOperatorGone,
                                 "it was deleted in the foreground: its Deployments went first"));
      return;
    case DeletionMode::kOrphan:
      blockers.push_back(Blocker(CleanupReason::kOrphanRequested,
                                 "it was deleted with the wish to keep what it owns"));
      return;
    case DeletionMode::kUnseen:
      // A record proves that this was checked before.
      if (MayHaveSent(inputs)) return;
      blockers.push_back(Blocker(
          CleanupReason::kDeletionNotProtected,
          "no admission policy refuses --cascade=orphan and --cascade=foreground, and no process "
          "of Steward was watching when it was deleted"));
      return;
  }
}

void CheckProtection(const CleanupInputs& inputs, std::vector<CleanupBlocker>& blockers) {
  if (inputs.allow_unprotected || !inputs.protection.ok()) return;
  const ProtectionFacts& protection = *inputs.protection;
  if (!protection.opt_in.bound) {
    blockers.push_back(Blocker(CleanupReason::kOptInNotProtected,
                               StrCat("opting in is not protected: ", protection.opt_in.why_not)));
  } else if (!inputs.csv->MayBeCopy() && !IsConfirmed(*inputs.csv, protection.opt_in)) {
    blockers.push_back(Blocker(CleanupReason::kOptInUnconfirmed, UnconfirmedMessage()));
  }
  if (!protection.uninstall.bound) {
    blockers.push_back(
        Blocker(CleanupReason::kDeletionNotProtected,
                StrCat("deleting it is not protected: ", protection.uninstall.why_not)));
    return;
  }
  // A record proves that this was checked before.
  if (!inputs.csv->deleting() || inputs.csv->record.has_value()) return;
  // CheckCsvDefinition refuses an unreadable time.
  const absl::StatusOr<absl::Time> deleted = kube::ParseRfc3339(inputs.csv->deletion_timestamp);
  if (!deleted.ok() || *deleted > protection.uninstall.since + kDeletionsSettle) return;
  blockers.push_back(
      Blocker(CleanupReason::kDeletionNotProtected,
              StrCat("it was deleted before ValidatingAdmissionPolicy ", kUninstallPolicy,
                     " was in force for ", absl::FormatDuration(kDeletionsSettle),
                     ", or since it was changed: nobody knows whether who did was allowed to")));
}

}  // namespace

std::vector<CleanupBlocker> BlockersOf(const CleanupInputs& inputs) {
  std::vector<CleanupBlocker> blockers;
  if (inputs.csv.unreadable()) {
    blockers.push_back(Unknown(CleanupReason::kUnreadable,
                               StrCat("the ClusterServiceVersion: ", inputs.csv.why())));
    return blockers;
  }
  if (inputs.csv.absent()) {
    blockers.push_back(Own(CleanupReason::kNotOptedIn, "there is no ClusterServiceVersion"));
    return blockers;
  }
  CheckItself(inputs, blockers);
  CheckReadings(inputs, blockers);
  CheckInstallNamespace(inputs, blockers);
  CheckGroup(inputs, blockers);
  CheckRoomForRecord(inputs, blockers);
  CheckOthers(inputs, blockers);
  if (inputs.watched_only) {
    if (inputs.told_unconfirmed) {
      blockers.push_back(Blocker(CleanupReason::kOptInUnconfirmed, UnconfirmedMessage()));
    }
    return blockers;
  }
  CheckCsvDefinition(inputs, blockers);
  CheckDeployments(inputs, blockers);
  CheckDeletionMode(inputs, blockers);
  CheckProtection(inputs, blockers);
  return blockers;
}

TargetSet SpecTargets(const OperatorGroup& group, const std::vector<std::string>& selected) {
  switch (KindOfTargets(group)) {
    case TargetKind::kNone:
      break;
    case TargetKind::kAll:
      return TargetSet::All();
    case TargetKind::kList:
      return TargetSet::Of(group.target_namespaces);
    case TargetKind::kSelector:
      return TargetSet::Of(selected);
  }
  return TargetSet();
}

TargetSet SpecTargets(const CleanupInputs& inputs) {
  return SpecTargets(inputs.groups->front().group,
                     inputs.selected.ok() ? *inputs.selected : std::vector<std::string>());
}

TargetSet SyncedTargets(const GroupFacts& group) {
  if (group.synced->size() == 1 && group.synced->front().empty()) return TargetSet::All();
  return TargetSet::Of(*group.synced);
}

}  // namespace steward::olm
