#include "payload/object_remover.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/write_options.h"
#include "olm/copy.h"
#include "olm/payload/protected_objects.h"
#include "payload/object_applier.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

using olm::Removal;
using olm::RemovalState;

constexpr size_t kMaxNote = 200;  // bytes

bool IsCsv(const olm::PayloadIdentity& identity) {
  return identity.group == "operators.coreos.com" && identity.kind == "ClusterServiceVersion";
}

// R-000-77: an operator that is opted in to cleanup is uninstalled only through the cleanup and its
// guards, so a payload does not delete it.
std::string ReasonToRefuse(const olm::PayloadIdentity& identity, const json::object& metadata) {
  if (!IsCsv(identity)) return "";
  const json::array* finalizers = ArrayAt(metadata, "finalizers");
  const bool opted_in =
      finalizers != nullptr &&
      std::any_of(finalizers->begin(), finalizers->end(), [](const json::value& each) {
        return each.is_string() && View(each.get_string()) == olm::kCleanupFinalizer;
      });
  return opted_in ? "the operator is opted in to the cleanup of its custom resources; a payload "
                    "does not begin that"
                  : "";
}

// Fills in everything except the decision. `refused` follows from the object's own state alone.
Task<RemovalInspection> ReadObject(kube::Client& client, kube::RestMapper& mapper,
                                   const olm::PayloadIdentity& identity, std::string version) {
  RemovalInspection look;
  if (!version.empty()) {
    const kube::GroupVersionKind gvk = {identity.group, version, identity.kind};
    CO_ASSIGN_OR_RETURN(look.mapping, co_await mapper.Find(gvk));
  }
  if (!look.mapping) {
    CO_ASSIGN_OR_RETURN(look.mapping, co_await mapper.FindAny(identity.group, identity.kind));
  }
  if (!look.mapping) co_return look;
  const absl::StatusOr<kube::NamespacedName> name = NameUnder(*look.mapping, identity);
  // The scope of the kind has changed, so no object of that name can exist.
  if (!name.ok()) co_return look;
  look.name = *name;
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(look.mapping->gvr, look.name);
  if (kube::IsNotFound(raw.status(), look.name.name)) co_return look;
  if (kube::IsNotServed(raw.status())) {
    // A missing path does not prove that the object is gone, so the API is discovered again.
    mapper.Forget(look.mapping->gvr.group_version());
    CO_ASSIGN_OR_RETURN(look.mapping, co_await mapper.FindAny(identity.group, identity.kind));
    if (!look.mapping) co_return look;
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value value, ParseJson(raw->json));
  const json::object* metadata = kube::MetadataOf(value);
  olm::LiveObject live = {kube::MetadataText(value, "uid"),
                          !kube::MetadataText(value, "deletionTimestamp").empty()};
  if (metadata == nullptr || live.uid.empty()) co_return absl::DataLossError("the object is none");
  look.live = std::move(live);
  look.refused = ReasonToRefuse(identity, *metadata);
  if (IsCsv(identity)) look.resource_version = kube::MetadataText(value, "resourceVersion");
  co_return look;
}

}  // namespace

Task<bool> HasOperators(kube::Client& client, kube::RestMapper& mapper) {
  CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                      co_await mapper.FindAny("operators.coreos.com", "ClusterServiceVersion"));
  if (!mapping) co_return false;
  kube::ListOptions list;
  list.limit = 1;
  list.metadata_only = true;
  bool any = false;
  const absl::Status listed = co_await kube::VisitAll(
      client, mapping->gvr, list, [&any](const kube::RawObject&) -> absl::Status {
        any = true;
        return absl::CancelledError("one is enough");
      });
  if (!any) CO_RETURN_IF_ERROR(listed);
  co_return any;
}

Task<RemovalInspection> ObjectRemover::Inspect(olm::PayloadIdentity identity, std::string version) {
  CO_ASSIGN_OR_RETURN(RemovalInspection look,
                      co_await ReadObject(client_, mapper_, identity, std::move(version)));
  olm::RemovalChoices choices;
  choices.state = options_.state;
  choices.redelete = options_.redelete;
  choices.version = options_.version;
  choices.now = clock_.Now();
  look.decision = olm::DecideRemoval(identity, record_.record().Find(identity), look.live, choices);
  if (!look.decision.deletes) {
    look.refused.clear();
  } else if (look.refused.empty() && olm::DefinesOlm(identity) && !options_.allow_olm_deletes) {
    CO_ASSIGN_OR_RETURN(const bool operators, co_await HasOperators(client_, mapper_));
    if (operators) look.refused = kOperatorsWouldGo;
  }
  co_return look;
}

StatusTask ObjectRemover::Record(const Removal& removal) {
  if (record_.record().Find(removal.identity) == removal) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(co_await record_.Change(
      [&removal](olm::PayloadRecord& record) { record.removals[removal.identity] = removal; }));
  if (changed_) changed_(removal);
  co_return absl::OkStatus();
}

StatusTask ObjectRemover::Fail(Removal removal, absl::Status why) {
  if (removal.state != RemovalState::kFailed) removal.since = clock_.Now();
  removal.state = RemovalState::kFailed;
  removal.note = CutUtf8(ToStd(why.message()), kMaxNote);
  CO_RETURN_IF_ERROR(co_await Record(removal));
  co_return why;
}

Task<std::optional<Removal>> ObjectRemover::Step(olm::PayloadIdentity identity, std::string version,
                                                 Answer* answer) {
  CO_ASSIGN_OR_RETURN(const RemovalInspection look, co_await Inspect(identity, std::move(version)));
  if (!look.decision.removal) co_return std::nullopt;
  Removal removal = *look.decision.removal;
  if (!look.refused.empty()) {
    co_return co_await Fail(removal, absl::FailedPreconditionError(look.refused));
  }
  const bool deletes = look.decision.deletes && answer != nullptr;
  if (deletes && record_.record().Find(identity) == removal) {
    // The removal was recorded earlier. Make sure that no other process has changed the record
    // since.
    CO_RETURN_IF_ERROR(co_await record_.Confirm());
  } else {
    CO_RETURN_IF_ERROR(co_await Record(removal));
  }
  if (!deletes) co_return removal;
  kube::DeleteOptions options;
  options.uid = removal.uid;
  options.resource_version = look.resource_version;
  // By default, the API leaves the Pods of a deleted Job behind.
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  *answer = (co_await client_.Delete(look.mapping->gvr, look.name, options)).status();
  const absl::Status& deleted = **answer;
  // The object is gone, or was replaced or changed since it was read. The next read tells which.
  if (deleted.ok() || kube::IsNotFound(deleted, look.name.name) || kube::IsConflict(deleted)) {
    co_return removal;
  }
  // A definite answer means that the object was not deleted. Without an answer it may have been.
  if (!kube::IsAnswer(deleted) || kube::IsTransient(deleted)) co_return deleted;
  co_return co_await Fail(std::move(removal), deleted);
}

Task<std::optional<Removal>> ObjectRemover::Remove(olm::PayloadIdentity identity,
                                                   std::string version) {
  Answer answer;
  CO_ASSIGN_OR_RETURN(std::optional<Removal> removal, co_await Step(identity, version, &answer));
  if (answer) {
    // Most objects disappear at once, so look again immediately.
    CO_ASSIGN_OR_RETURN(removal, co_await Step(identity, version, nullptr));
    if (removal && removal->holds() && removal->state != RemovalState::kOngoing) {
      const absl::Status refusal = *answer;
      co_return refusal.ok() ? absl::UnavailableError("it is still there, and not being deleted")
                             : refusal;
    }
  }
  if (!options_.wait || options_.state != olm::PayloadState::kUpdating) co_return removal;
  const absl::Duration until = clock_.Monotonic() + *options_.wait;
  while (removal && removal->holds()) {
    if (clock_.Monotonic() >= until) {
      co_return absl::DeadlineExceededError(
          StrCat("it was not gone after ", absl::FormatDuration(*options_.wait)));
    }
    co_await clock_.Sleep(options_.poll);
    CO_ASSIGN_OR_RETURN(removal, co_await Step(identity, version, nullptr));
  }
  co_return removal;
}

}  // namespace steward::payload
