#include "controllers/apiservice_guard/apiservice_guard.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
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
// The part of the grace period after which it is withdrawn. The rest is for what the looks miss:
// Kubernetes itself tries again to delete a namespace once a minute, and what was promised is that
// the grace period and a minute suffice.
constexpr double kDue = 7.0 / 8;
constexpr absl::Duration kUnreadableLook = absl::Seconds(30);
// A condition that is found False may be from before the kube-apiserver restarted.
constexpr int kLooksBeforeWithdrawal = 3;
// How long the kube-apiserver takes to notice, at most: it looks every half minute.
constexpr absl::Duration kNoticed = absl::Seconds(30);
// A restored APIService that has been available for so long has settled.
constexpr absl::Duration kSettled = absl::Minutes(10);
const kube::GroupVersionKind kConfigMap = {"", "v1", "ConfigMap"};

kube::NamespacedName Guarded() { return {"", std::string(kGuardedApiService)}; }

bool IsAbsent(Phase phase) {
  return phase == Phase::kWithdrawing || phase == Phase::kWithdrawn || phase == Phase::kRestoring;
}

}  // namespace

GuardMetrics::GuardMetrics(prometheus::Registry& registry)
    : withdrawn(prometheus::BuildGauge()
                    .Name("steward_apiservice_withdrawn")
                    .Help("1 while the APIService is withdrawn, as no replica serves it")
                    .Register(registry)
                    .Add({})),
      withdrawals(prometheus::BuildCounter()
                      .Name("steward_apiservice_withdrawals_total")
                      .Help("How often the APIService was withdrawn")
                      .Register(registry)
                      .Add({})) {}

ApiServiceGuard::ApiServiceGuard(const ReconcilerDeps& deps, GuardMetrics& metrics,
                                 ReplicaDialer& dialer, const GuardTerms& terms)
    : deps_(deps), metrics_(metrics), dialer_(dialer), terms_(terms) {}

VoidTask ApiServiceGuard::Feed(WorkQueue& queue) {
  queue.Add({"", std::string(kGuardedApiService)});
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> ApiServiceGuard::Reconcile(Key) {
  const absl::Status looked = co_await Look();
  // Somebody wrote what was read: it is read again.
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
  const kube::NamespacedName record_name = {terms_.ns, std::string(kManager)};
  CO_ASSIGN_OR_RETURN(WithdrawalRecord record, co_await ReadRecord(deps_.client, record_name));
  metrics_.withdrawn.Set(IsAbsent(record.phase) ? 1 : 0);
  const kube::NamespacedName name = Guarded();
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kube::kApiServices, name);
  if (kube::IsNotFound(raw.status(), name.name)) {
    seen_unavailable_ = 0;
    silent_since_.reset();
    co_return co_await LookForReplicas(record);
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  co_return co_await LookAt(object, record);
}

StatusTask ApiServiceGuard::LookAt(const json::value& object, WithdrawalRecord& record) {
  CO_ASSIGN_OR_RETURN(const Registration registration, ReadRegistration(object));
  // Its finalizers are somebody's.
  if (registration.terminating) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(const bool judged, co_await Follow(registration, record));
  if (!judged || !terms_.on) co_return absl::OkStatus();

  CO_ASSIGN_OR_RETURN(const ServiceTarget target, TargetOf(object));
  // While both agree, looking once more would only make the looks rarer.
  if (registration.available != Available::kFalse || !silent_since_.has_value()) {
    const absl::Time asked = deps_.clock.Now();
    CO_ASSIGN_OR_RETURN(const ReplicaAnswer answer,
                        co_await ProbeReplicas(deps_.client, dialer_, target));
    if (answer == ReplicaAnswer::kTrusted) {
      silent_since_.reset();
    } else if (!silent_since_.has_value()) {
      silent_since_ = asked;
    }
  }
  if (registration.available != Available::kFalse) {
    seen_unavailable_ = 0;
    co_return absl::OkStatus();
  }
  ++seen_unavailable_;
  if (seen_unavailable_ < kLooksBeforeWithdrawal ||
      deps_.clock.Now() - DownSince(registration) < kDue * terms_.grace) {
    co_return absl::OkStatus();
  }
  if (target.insecure) {
    // Its account may not create it again (deploy/overlays/apiservice-guard/policy.yaml).
    TellOnce("NotGuarded",
             "the APIService is unavailable, and not withdrawn: it has insecureSkipTLSVerify, "
             "which the guard never sets");
    co_return absl::OkStatus();
  }
  co_return co_await Withdraw(object, registration, record);
}

Task<bool> ApiServiceGuard::Follow(const Registration& registration, WithdrawalRecord& record) {
  const bool same = record.uid == registration.uid;
  switch (record.phase) {
    case Phase::kNone:
      co_return true;
    case Phase::kWithdrawing:
      // The guard was killed before it deleted it; one that has another uid is somebody else's.
      if (!same) CO_RETURN_IF_ERROR(co_await Store(record, Phase::kYielded, registration.uid));
      if (same && registration.available == Available::kTrue) {
        CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, registration.uid));
      }
      co_return same;
    case Phase::kWithdrawn:
      CO_RETURN_IF_ERROR(co_await Store(record, Phase::kYielded, registration.uid));
      Tell(record, EventType::kWarning, "Yielded",
           "somebody else put the APIService back while it was withdrawn: it is left alone until "
           "it has been available once");
      co_return false;
    case Phase::kRestoring:
      // The guard was killed after it created it.
      CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, registration.uid));
      co_return true;
    case Phase::kRestored: {
      const bool settled = registration.available == Available::kTrue &&
                           deps_.clock.Now() - registration.since >= kSettled;
      if (!same || settled) CO_RETURN_IF_ERROR(co_await ForgetRecord(deps_.client, record));
      if (!same || settled) record = WithdrawalRecord();
      record.name = {terms_.ns, std::string(kManager)};
      co_return true;
    }
    case Phase::kYielded:
      if (registration.available == Available::kTrue) {
        CO_RETURN_IF_ERROR(co_await ForgetRecord(deps_.client, record));
        Tell(record, EventType::kNormal, "Guarded", "the APIService is available, and guarded");
      } else if (!same) {
        CO_RETURN_IF_ERROR(co_await Store(record, Phase::kYielded, registration.uid));
      }
      co_return false;
  }
  co_return absl::InternalError("unknown phase");
}

StatusTask ApiServiceGuard::LookForReplicas(WithdrawalRecord& record) {
  switch (record.phase) {
    case Phase::kNone:
      co_return absl::OkStatus();
    case Phase::kRestored:
    case Phase::kYielded:
      // Whoever deleted it did not want it back.
      log::Info("Guard: somebody deleted the APIService, which is not restored");
      co_return co_await ForgetRecord(deps_.client, record);
    case Phase::kWithdrawing:
      // The guard was killed before it heard that it had deleted it.
      CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawn, record.uid));
      break;
    case Phase::kWithdrawn:
    case Phase::kRestoring:
      break;
  }
  if (!terms_.on) co_return co_await Restore(record);
  CO_ASSIGN_OR_RETURN(const ServiceTarget target, TargetOf(record.object));
  CO_ASSIGN_OR_RETURN(const ReplicaAnswer answer,
                      co_await ProbeReplicas(deps_.client, dialer_, target));
  if (answer == ReplicaAnswer::kSilent) co_return absl::OkStatus();
  // Whoever injects an authority can do so only where there is an APIService: so even one that
  // would not be trusted is tried, now and then.
  const bool at_once = answer == ReplicaAnswer::kTrusted && record.again == 0;
  if (!at_once && deps_.clock.Now() < record.withdrawn + record.Hold()) co_return absl::OkStatus();
  co_return co_await Restore(record);
}

StatusTask ApiServiceGuard::Withdraw(const json::value& object, const Registration& registration,
                                     WithdrawalRecord& record) {
  if (record.phase == Phase::kRestored) ++record.again;
  // Where it answers the guard and not the kube-apiserver, an answer is no reason to restore it.
  if (!silent_since_.has_value()) record.again = std::max(record.again, 1);
  record.object = WithoutOrigin(object);
  record.withdrawn = deps_.clock.Now();
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawing, registration.uid));
  const kube::NamespacedName name = Guarded();
  kube::DeleteOptions options;
  options.uid = registration.uid;
  // Exactly what was recorded, and found unavailable.
  options.resource_version = registration.resource_version;
  const absl::Status deleted =
      (co_await deps_.client.Delete(kube::kApiServices, name, options)).status();
  if (!kube::IsNotFound(deleted, name.name)) CO_RETURN_IF_ERROR(deleted);
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kWithdrawn, registration.uid));
  metrics_.withdrawn.Set(1);
  metrics_.withdrawals.Increment();
  seen_unavailable_ = 0;
  Tell(record, EventType::kWarning, "Withdrawn",
       StrCat("withdrew the APIService, so that namespaces can be deleted: nobody has served it "
              "for the grace period (",
              registration.message, "). It is restored once a replica answers"));
  co_return absl::OkStatus();
}

StatusTask ApiServiceGuard::Restore(WithdrawalRecord& record) {
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestoring, record.uid));
  json::value object = record.object;
  object.as_object()["metadata"].as_object().erase("managedFields");
  kube::WriteOptions options;
  options.field_manager = std::string(kManager);
  const absl::StatusOr<json::value> created =
      co_await deps_.client.Create(kube::kApiServices, "", object, options);
  if (kube::IsAlreadyExists(created.status())) {
    // Somebody else's, which the next look finds.
    co_return co_await Store(record, Phase::kWithdrawn, record.uid);
  }
  CO_RETURN_IF_ERROR(created.status());
  metrics_.withdrawn.Set(0);
  CO_RETURN_IF_ERROR(co_await Store(record, Phase::kRestored, kube::MetadataText(*created, "uid")));
  Tell(record, EventType::kNormal, "Restored", "restored the APIService as it was");
  const absl::Status managers = co_await RestoreManagers(record);
  if (!managers.ok()) {
    log::Warning("Guard: the APIService's managedFields are not restored",
                 {{"error", managers.message()}});
  }
  co_return absl::OkStatus();
}

// Who manages which field decides what a later server-side apply of theirs may change.
StatusTask ApiServiceGuard::RestoreManagers(const WithdrawalRecord& record) {
  const json::object* metadata = kube::MetadataOf(record.object);
  const json::array* managers = metadata == nullptr ? nullptr : ArrayAt(*metadata, "managedFields");
  if (managers == nullptr) co_return absl::OkStatus();
  json::object patch;
  patch["metadata"] = {{"managedFields", *managers}};
  const json::value change = std::move(patch);
  const kube::NamespacedName name = Guarded();
  kube::WriteOptions options;
  options.field_manager = std::string(kManager);
  const auto patched = co_await deps_.client.Patch(kube::kApiServices, name,
                                                   kube::PatchType::kJsonMerge, change, options);
  co_return patched.status();
}

StatusTask ApiServiceGuard::Store(WithdrawalRecord& record, Phase phase, const std::string& uid) {
  record.phase = phase;
  record.uid = uid;
  return WriteRecord(deps_.client, record);
}

absl::Time ApiServiceGuard::DownSince(const Registration& registration) const {
  if (!silent_since_.has_value()) return registration.since;
  return std::min(registration.since, std::max(*silent_since_, registration.since - kNoticed));
}

void ApiServiceGuard::TellOnce(std::string_view reason, std::string_view message) {
  if (!told_.insert(std::string(reason)).second) return;
  WithdrawalRecord about;
  about.name = {terms_.ns, std::string(kManager)};
  Tell(about, EventType::kWarning, reason, message);
}

void ApiServiceGuard::Tell(const WithdrawalRecord& about, EventType type, std::string_view reason,
                           std::string_view message) {
  log::Info(StrCat("Guard: ", message), {{"apiService", kGuardedApiService}});
  deps_.events.Record({kConfigMap, about.name, about.record_uid}, type, reason, message);
}

}  // namespace steward::controllers
