#include "payload/object_remover.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/write_options.h"
#include "payload/object_applier.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

using olm::Removal;
using olm::RemovalState;

constexpr std::string_view kOptIn = "operatorframework.io/delete-custom-resources";

// R-000-77: an opted-in operator is uninstalled by those who may begin that, with its guards.
std::string ReasonToRefuse(const olm::PayloadIdentity& identity, const json::object& metadata) {
  if (identity.group != "operators.coreos.com" || identity.kind != "ClusterServiceVersion") {
    return "";
  }
  const json::array* finalizers = ArrayAt(metadata, "finalizers");
  const bool opted_in =
      finalizers != nullptr &&
      std::any_of(finalizers->begin(), finalizers->end(), [](const json::value& each) {
        return each.is_string() && View(each.get_string()) == kOptIn;
      });
  return opted_in ? "the operator is opted in to the cleanup of its custom resources; a payload "
                    "does not begin that"
                  : "";
}

}  // namespace

Task<RemovalLook> LookAtObject(kube::Client& client, kube::RestMapper& mapper,
                               const olm::PayloadIdentity& identity, std::string version) {
  RemovalLook look;
  if (!version.empty()) {
    const kube::GroupVersionKind gvk = {identity.group, version, identity.kind};
    CO_ASSIGN_OR_RETURN(look.mapping, co_await mapper.Find(gvk));
  }
  if (!look.mapping) {
    CO_ASSIGN_OR_RETURN(look.mapping, co_await mapper.FindAny(identity.group, identity.kind));
  }
  if (!look.mapping) co_return look;
  CO_ASSIGN_OR_RETURN(look.name, NameUnder(*look.mapping, identity));
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(look.mapping->gvr, look.name);
  if (kube::IsNotFound(raw.status(), look.name.name)) co_return look;
  // A path that is not there proves nothing yet: it is discovered anew.
  if (kube::IsNotServed(raw.status())) mapper.Forget(look.mapping->gvr.group_version());
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value value, ParseJson(raw->json));
  const json::object* metadata = kube::MetadataOf(value);
  olm::LiveObject live = {kube::MetadataText(value, "uid"),
                          !kube::MetadataText(value, "deletionTimestamp").empty()};
  if (metadata == nullptr || live.uid.empty()) co_return absl::DataLossError("the object is none");
  look.live = std::move(live);
  look.refused = ReasonToRefuse(identity, *metadata);
  co_return look;
}

StatusTask ObjectRemover::Record(const Removal& removal) {
  if (record_.record().Find(removal.identity) == removal) co_return absl::OkStatus();
  // Outside the call: g++ 12 destroys what is made in a co_await expression twice.
  const auto change = [&removal](olm::PayloadRecord& record) {
    record.removals[removal.identity] = removal;
  };
  CO_RETURN_IF_ERROR(co_await record_.Change(change));
  if (changed_) changed_(removal);
  co_return absl::OkStatus();
}

StatusTask ObjectRemover::Fail(Removal removal, absl::Status why) {
  if (removal.state != RemovalState::kFailed) removal.since = clock_.Now();
  removal.state = RemovalState::kFailed;
  removal.note = std::string(ToStd(why.message())).substr(0, 200);
  CO_RETURN_IF_ERROR(co_await Record(removal));
  co_return why;
}

Task<std::optional<Removal>> ObjectRemover::Step(olm::PayloadIdentity identity, std::string version,
                                                 bool* deleted) {
  CO_ASSIGN_OR_RETURN(const RemovalLook look,
                      co_await LookAtObject(client_, mapper_, identity, std::move(version)));
  olm::RemovalChoices choices;
  choices.state = options_.state;
  choices.redelete = options_.redelete;
  choices.version = options_.version;
  choices.now = clock_.Now();
  const std::optional<Removal> known = record_.record().Find(identity);
  const olm::RemovalDecision decision = olm::DecideRemoval(identity, known, look.live, choices);
  if (!decision.removal) co_return std::nullopt;
  Removal removal = *decision.removal;
  if (decision.deletes && !look.refused.empty()) {
    co_return co_await Fail(removal, absl::FailedPreconditionError(look.refused));
  }
  CO_RETURN_IF_ERROR(co_await Record(removal));
  if (!decision.deletes || deleted == nullptr) co_return removal;
  kube::DeleteOptions options;
  options.uid = removal.uid;
  // The default of a Job's API leaves its Pods behind.
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  const absl::Status answer =
      (co_await client_.Delete(look.mapping->gvr, look.name, options)).status();
  *deleted = true;
  // Gone, or replaced by another object since it was read: the next look says which.
  if (answer.ok() || kube::IsNotFound(answer, look.name.name) || kube::IsConflict(answer)) {
    co_return removal;
  }
  // An answer says that it is not deleted; without one it may be.
  if (!kube::IsAnswer(answer) || kube::IsTransient(answer)) co_return answer;
  co_return co_await Fail(std::move(removal), answer);
}

Task<std::optional<Removal>> ObjectRemover::Remove(olm::PayloadIdentity identity,
                                                   std::string version) {
  bool deleted = false;
  CO_ASSIGN_OR_RETURN(std::optional<Removal> removal, co_await Step(identity, version, &deleted));
  if (deleted) {
    // Most objects are gone at once.
    CO_ASSIGN_OR_RETURN(removal, co_await Step(identity, version, nullptr));
  }
  if (!options_.wait) co_return removal;
  while (removal && removal->holds()) {
    if (clock_.Now() - removal->since >= *options_.wait) {
      co_return absl::DeadlineExceededError(
          StrCat("it was not gone after ", absl::FormatDuration(*options_.wait)));
    }
    co_await clock_.Sleep(options_.poll);
    CO_ASSIGN_OR_RETURN(removal, co_await Step(identity, version, nullptr));
  }
  co_return removal;
}

}  // namespace steward::payload
