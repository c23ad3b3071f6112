#include "controllers/apiservice_guard/apiservice_guard.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/apiservice_guard/steward_namespace.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "kube/client/object_meta.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using Phase = WithdrawalRecord::Phase;
using Available = Registration::Available;

constexpr std::string_view kManager = "steward-apiservice-guard";
constexpr absl::Duration kLook = absl::Seconds(5);
// The part of the grace period after which the APIService is withdrawn. The rest covers delays of
// the looks. Kubernetes retries the deletion of a namespace once a minute, so a deletion succeeds
// within the promised grace period plus one minute.
constexpr double kDue = 7.0 / 8;
constexpr absl::Duration kUnreadableLook = absl::Seconds(30);
// Several looks are needed, because a condition that is False may be from before the kube-apiserver
// restarted.
constexpr int kLooksBeforeWithdrawal = 3;
// The longest time until the kube-apiserver notices, because it checks every half minute.
constexpr absl::Duration kNoticed = absl::Seconds(30);
// After so long of being available, a restored APIService counts as settled.
constexpr absl::Duration kSettled = absl::Minutes(10);
const kube::GroupVersionKind kConfigMap = {"", "v1", "ConfigMap"};

kube::NamespacedName Guarded() { return {"", std::string(kGuardedApiService)}; }

// True while it is too early to restore an APIService that was unavailable again soon after its
// last restore.
bool Held(const WithdrawalRecord& record, absl::Time now) {
  return record.again > 0 && now < record.withdrawn + record.Hold();
}

}  // namespace

GuardMetrics::GuardMetrics(prometheus::Registry& registry)
    : withdrawn(GaugeFamily(registry, "steward_apiservice_withdrawn",
                            "1 while there is no APIService, as no replica serves it")
                    .Add({})),
      withdrawals(CounterFamily(registry, "steward_apiservice_withdrawals_total",
                                "How often the APIService was withdrawn")
                      .Add({})) {}

ApiServiceGuard::ApiServiceGuard(const ReconcilerDeps& deps, GuardMetrics& metrics,
                                 ReplicaDialer& dialer, const GuardTerms& terms)
    : deps_(deps), metrics_(metrics), dialer_(dialer), terms_(terms) {}

VoidTask ApiServiceGuard::Feed(WorkQueue& queue) {
  const kube::NamespacedName name = Guarded();
  MetadataSelection selection;
  selection.gvr = kube::kApiServices;
  selection.field_selector = StrCat("metadata.name=", name.name);
  const auto add = [&queue, name](const kube::NamespacedName&) { queue.Add(name); };
  const auto watch = deps_.metadata.Open(std::move(selection),
                                         {.changed = add, .synced = nullptr, .listed = nullptr});
  queue.Add(name);
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> ApiServiceGuard::Reconcile(Key) {
  const absl::Status looked = co_await Look();
  // Somebody wrote the object after it was read, so read it again.
  if (kube::IsConflict(looked) || kube::IsAlreadyExists(looked)) {
    co_return ReconcileResult::After(absl::Seconds(1));
  }
  if (absl::IsDataLoss(looked)) {
    TellOnce("Unreadable", StrCat("nothing is withdrawn or restored: ", looked.message()));
    co_return ReconcileResult::After(kUnreadableLook);
  }
  CO_RETURN_IF_ERROR(looked);
  co_return ReconcileResult::After(kLook);
}

StatusTask ApiServiceGuard::Look() {
  const kube::NamespacedName record_name = {terms_.wanted.ns, std::string(kManager)};
  CO_ASSIGN_OR_RETURN(WithdrawalRecord record, co_await ReadRecord(deps_.client, record_name));
  const kube::NamespacedName name = Guarded();
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kube::kApiServices, name);
  const bool absent = kube::IsNotFound(raw.status(), name.name);
  if (absent || raw.ok()) metrics_.withdrawn.Set(absent ? 1 : 0);
  if (absent) co_return co_await LookForReplicas(record);
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  co_return co_await LookAt(object, record);
}

StatusTask ApiServiceGuard::LookAt(const json::value& object, WithdrawalRecord& record) {
  CO_ASSIGN_OR_RETURN(const Registration registration, ReadRegistration(object));
  // The deletion of the APIService waits for somebody's finalizers.
  if (registration.terminating) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(const ServiceTarget target, TargetOf(object));
  if (target.service != terms_.wanted.Service()) {
    TellOnce("NotGuarded", StrCat("the APIService leads to Service ", target.service.name,
                                  " in namespace ", target.service.ns, ": it is left alone"));
    co_return absl::OkStatus();
  }
  CO_ASSIGN_OR_RETURN(const absl::Time now, co_await deps_.client.ServerTime());
  CO_ASSIGN_OR_RETURN(const bool judged, co_await Follow(registration, target, now, record));
  if (!judged) co_return absl::OkStatus();
  if (!registration.owned) CO_RETURN_IF_ERROR(co_await Adopt(registration));
  if (!terms_.on) co_return absl::OkStatus();

  // Do not probe again while the condition and the last probe agree that nobody answers: a probe
  // takes long then and would delay the next looks.
  if (registration.available != Available::kFalse || !silent_since_.has_value()) {
    CO_RETURN_IF_ERROR((co_await Probe(target, now)).status());
  }
  if (registration.available == Available::kTrue) ForgetUnavailable();
  if (registration.available != Available::kFalse) co_return absl::OkStatus();
  ++seen_unavailable_;
  if (!unavailable_since_.has_value()) unavailable_since_ = now;
  if (seen_unavailable_ < kLooksBeforeWithdrawal ||
      now - DownSince(registration) < kDue * terms_.grace) {
    co_return absl::OkStatus();
  }
  co_return co_await Withdraw(object, registration, now, record);
}

Task<ReplicaAnswer> ApiServiceGuard::Probe(const ServiceTarget& target, absl::Time now) {
  CO_ASSIGN_OR_RETURN(const ReplicaAnswer answer,
                      co_await ProbeReplicas(deps_.client, dialer_, target));
  if (answer == ReplicaAnswer::kTrusted) {
    silent_since_.reset();
  } else if (!silent_since_.has_value()) {
    silent_since_ = now;
  }
  co_return answer;
}

StatusTask ApiServiceGuard::Adopt(const Registration& registration) {
  CO_ASSIGN_OR_RETURN(const std::string owner, co_await OwnerUid());
  if (owner.empty()) co_return absl::OkStatus();
  json::object metadata = {{"resourceVersion", registration.resource_version}};
  metadata["ownerReferences"] = OwnerReferences(owner);
  const absl::Status patched = co_await PatchMetadata(std::move(metadata));
  if (kube::IsConflict(patched)) co_return patched;
  if (!patched.ok() && !kube::IsNotFound(patched, kGuardedApiService)) {
    TellOnce("NotAdopted", StrCat("the APIService does not go with Steward by itself: ",
                                  ToStd(patched.message())));
  }
  co_return absl::OkStatus();
}

Task<std::string> ApiServiceGuard::OwnerUid() {
  const kube::NamespacedName name = {"", std::string(kGuardRole)};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kClusterRoles, name);
  if (kube::IsNotFound(raw.status(), name.name)) {
    TellOnce("NoOwner", StrCat("there is no ClusterRole ", name.name,
                               ": whoever removes Steward has to delete the APIService"));
    co_return std::string();
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const kube::VersionedMeta role, kube::DecodeObjectMeta(*raw));
  co_return role.meta.uid;
}

Task<bool> ApiServiceGuard::Follow(const Registration& registration, const ServiceTarget& target,
                                   absl::Time now, WithdrawalRecord& record) {
  const bool same = record.uid == registration.uid;
  switch (record.phase) {
    case Phase::kNone:
      co_return true;
    case Phase::kWithdrawing:
      // The guard was killed before it deleted the APIService, or before it learned that it had. An
      // APIService of another UID belongs to somebody else.
      if (!same) co_return co_await FollowReturned(registration, target, now, record);
      if (registration.available == Available::kTrue) {
        CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, registration.uid));
      }
      co_return true;
    case Phase::kWithdrawn:
      co_return co_await FollowReturned(registration, target, now, record);
    case Phase::kRestoring:
      // The guard was killed after it had created the APIService.
      CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, registration.uid));
      co_return true;
    case Phase::kRestored: {
      const bool settled =
          registration.available == Available::kTrue && now - registration.since >= kSettled;
      if (!same || settled) CO_RETURN_IF_ERROR(co_await Forget(record));
      co_return true;
    }
  }
  co_return absl::InternalError("unknown phase");
}

Task<bool> ApiServiceGuard::FollowReturned(const Registration& registration,
                                           const ServiceTarget& target, absl::Time now,
                                           WithdrawalRecord& record) {
  bool served = !terms_.on || registration.available == Available::kTrue;
  if (!served && !Held(record, now)) {
    CO_ASSIGN_OR_RETURN(const ReplicaAnswer answer, co_await Probe(target, now));
    served = answer == ReplicaAnswer::kTrusted;
  }
  if (served) {
    CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, registration.uid));
    co_return true;
  }
  CO_RETURN_IF_ERROR(co_await Delete(registration));
  if (record.phase != Phase::kWithdrawn) {
    CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawn, registration.uid));
  }
  metrics_.withdrawn.Set(1);
  metrics_.withdrawals.Increment();
  Tell(record, EventType::kWarning, "WithdrawnAgain",
       "somebody else put the APIService back while nobody serves it: it is withdrawn again. It is "
       "restored once a replica answers");
  co_return false;
}

StatusTask ApiServiceGuard::LookForReplicas(WithdrawalRecord& record) {
  if (record.phase == Phase::kRestored) {
    // Somebody deleted the restored APIService.
    CO_RETURN_IF_ERROR(co_await Forget(record));
  }
  if (record.phase == Phase::kWithdrawing) {
    // The guard was killed before it learned that it had deleted the APIService.
    CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawn, record.uid));
  }
  CO_ASSIGN_OR_RETURN(const bool stands, co_await NamespaceStands(deps_.client, terms_.wanted.ns));
  if (!stands) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(json::value object, co_await NextRegistration(record));
  if (!terms_.on && record.phase != Phase::kNone) {
    co_return co_await Restore(std::move(object), record);
  }
  CO_ASSIGN_OR_RETURN(const absl::Time now, co_await deps_.client.ServerTime());
  CO_ASSIGN_OR_RETURN(const ServiceTarget target, TargetOf(object));
  CO_ASSIGN_OR_RETURN(const ReplicaAnswer answer, co_await Probe(target, now));
  if (answer == ReplicaAnswer::kUntrusted) {
    TellOnce("NotTrusted", StrCat("an API server answers with a certificate that ",
                                  terms_.ca.ToString(), " does not prove: it is not registered"));
  }
  if (answer != ReplicaAnswer::kTrusted && record.phase == Phase::kNone &&
      now - *silent_since_ >= terms_.grace) {
    TellOnce("NotServed", "no API server has answered for the grace period: none is registered");
  }
  if (answer != ReplicaAnswer::kTrusted || Held(record, now)) co_return absl::OkStatus();
  co_return co_await Restore(std::move(object), record);
}

StatusTask ApiServiceGuard::Delete(const Registration& registration) {
  const kube::NamespacedName name = Guarded();
  kube::DeleteOptions options;
  options.uid = registration.uid;
  // Delete exactly the object that was found unavailable.
  options.resource_version = registration.resource_version;
  const absl::Status deleted =
      (co_await deps_.client.Delete(kube::kApiServices, name, options)).status();
  if (kube::IsNotFound(deleted, name.name)) co_return absl::OkStatus();
  co_return deleted;
}

StatusTask ApiServiceGuard::Withdraw(const json::value& object, const Registration& registration,
                                     absl::Time now, WithdrawalRecord& record) {
  // The guard got an answer but the kube-apiserver did not. Then an answer to the guard must not
  // restore the APIService at once.
  if (!silent_since_.has_value()) ++record.again;
  record.object = WithoutOrigin(object);
  // The restored APIService trusts only the authority.
  record.object.as_object()["spec"].as_object().erase("insecureSkipTLSVerify");
  record.withdrawn = now;
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawing, registration.uid));
  CO_RETURN_IF_ERROR(co_await Delete(registration));
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawn, registration.uid));
  metrics_.withdrawn.Set(1);
  metrics_.withdrawals.Increment();
  ForgetUnavailable();
  Tell(record, EventType::kWarning, "Withdrawn",
       StrCat("withdrew the APIService, so that namespaces can be deleted: nobody has served it "
              "for the grace period (",
              registration.message, "). It is restored once a replica answers"));
  co_return absl::OkStatus();
}

Task<json::value> ApiServiceGuard::NextRegistration(const WithdrawalRecord& record) {
  const json::value wanted = terms_.wanted.Object();
  json::value object = record.phase == Phase::kNone ? wanted : record.object;
  // Use the Service and the annotations that the flags name now.
  object.as_object()["spec"].as_object()["service"] = wanted.at("spec").at("service");
  if (!terms_.wanted.annotations.empty()) {
    json::value& notes = object.as_object()["metadata"].as_object()["annotations"];
    if (!notes.is_object()) notes = json::object();
    for (const auto& [key, text] : terms_.wanted.annotations) notes.as_object()[key] = text;
  }
  CO_ASSIGN_OR_RETURN(const std::string bundle,
                      co_await ReadCaBundle(deps_.client, terms_.wanted.ns, terms_.ca));
  if (!bundle.empty()) SetCaBundle(bundle, object);
  co_return object;
}

StatusTask ApiServiceGuard::Restore(json::value object, WithdrawalRecord& record) {
  const bool first = record.phase == Phase::kNone;
  CO_ASSIGN_OR_RETURN(const std::string owner, co_await OwnerUid());
  if (!owner.empty()) SetOwner(owner, object);
  object.as_object()["metadata"].as_object().erase("managedFields");
  // The record is only for withdrawals, so a first registration needs none.
  if (!first) CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestoring, record.uid));
  kube::WriteOptions options;
  options.field_manager = std::string(kManager);
  const absl::StatusOr<json::value> created =
      co_await deps_.client.Create(kube::kApiServices, "", object, options);
  if (kube::IsAlreadyExists(created.status()) && !first) {
    // Somebody else has created an APIService; the next look finds it.
    co_return co_await Store(record, Phase::kWithdrawn, record.uid);
  }
  CO_RETURN_IF_ERROR(created.status());
  metrics_.withdrawn.Set(0);
  if (first) {
    Tell(record, EventType::kNormal, "Registered", "an API server answers: made the APIService");
    co_return absl::OkStatus();
  }
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, kube::MetadataText(*created, "uid")));
  Tell(record, EventType::kNormal, "Restored", "restored the APIService as it was");
  const absl::Status managers = co_await RestoreManagers(record);
  if (!managers.ok()) {
    log::Warning("Guard: the APIService's managedFields are not restored",
                 {{"error", managers.message()}});
  }
  co_return absl::OkStatus();
}

// Restores metadata.managedFields, because the fields' managers need them for later server-side
// applies.
StatusTask ApiServiceGuard::RestoreManagers(const WithdrawalRecord& record) {
  const json::object* metadata = kube::MetadataOf(record.object);
  const json::array* managers = metadata == nullptr ? nullptr : ArrayAt(*metadata, "managedFields");
  if (managers == nullptr) co_return absl::OkStatus();
  json::object change;
  change["managedFields"] = *managers;
  co_return co_await PatchMetadata(std::move(change));
}

StatusTask ApiServiceGuard::PatchMetadata(json::object metadata) {
  json::object patch;
  patch["metadata"] = std::move(metadata);
  const json::value change = std::move(patch);
  const kube::NamespacedName name = Guarded();
  kube::WriteOptions options;
  options.field_manager = std::string(kManager);
  const auto patched = co_await deps_.client.Patch(kube::kApiServices, name,
                                                   kube::PatchType::kJsonMerge, change, options);
  co_return patched.status();
}

StatusTask ApiServiceGuard::Forget(WithdrawalRecord& record) {
  CO_RETURN_IF_ERROR(co_await ForgetRecord(deps_.client, record));
  WithdrawalRecord none;
  none.name = std::move(record.name);
  record = std::move(none);
  co_return absl::OkStatus();
}

StatusTask ApiServiceGuard::Store(WithdrawalRecord& record, Phase phase, const std::string& uid) {
  record.phase = phase;
  record.uid = uid;
  return WriteRecord(deps_.client, record);
}

absl::Time ApiServiceGuard::DownSince(const Registration& registration) const {
  const absl::Time since = std::min(registration.since, *unavailable_since_);
  if (!silent_since_.has_value()) return since;
  return std::min(since, std::max(*silent_since_, since - kNoticed));
}

void ApiServiceGuard::ForgetUnavailable() {
  unavailable_since_.reset();
  seen_unavailable_ = 0;
}

void ApiServiceGuard::TellOnce(std::string_view reason, std::string_view message) {
  if (!told_.insert(std::string(reason)).second) return;
  WithdrawalRecord about;
  about.name = {terms_.wanted.ns, std::string(kManager)};
  Tell(about, EventType::kWarning, reason, message);
}

void ApiServiceGuard::Tell(const WithdrawalRecord& about, EventType type, std::string_view reason,
                           std::string_view message) {
  log::Info(StrCat("Guard: ", message), {{"apiService", kGuardedApiService}});
  deps_.events.Record({kConfigMap, about.name, about.record_uid}, type, reason, message);
}

}  // namespace steward::controllers
