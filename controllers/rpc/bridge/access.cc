#include "controllers/rpc/bridge/access.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/clock/time_limit.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/access_review.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::rpc {
namespace json = boost::json;
namespace {

constexpr char kMasters[] = "system:masters";
constexpr int kRetrySeconds = 2;

// Returns the spec of a review. Equal questions give equal text.
json::object SpecOf(const Requester& requester, const AccessAttributes& what) {
  json::object spec;
  spec["resourceAttributes"] = kube::ResourceAttributes({.verb = what.verb,
                                                         .group = what.gvr.group,
                                                         .version = what.gvr.version,
                                                         .resource = what.gvr.resource,
                                                         .subresource = what.subresource,
                                                         .ns = what.ns,
                                                         .name = what.name});
  kube::SetReviewedUser(requester.user, spec);
  return spec;
}

}  // namespace

Access::Access(kube::Client& client, Clock& clock, AccessOptions options)
    : client_(client), clock_(clock), options_(options), cache_(clock, options.capacity) {}

Task<ReviewCache<Access::Decision>::Loaded> Access::Ask(json::object spec) {
  const json::value review = json::object{{"apiVersion", "authorization.k8s.io/v1"},
                                          {"kind", "SubjectAccessReview"},
                                          {"spec", std::move(spec)}};
  const std::string cluster_scoped;
  const kube::WriteOptions write;
  const absl::StatusOr<json::value> answer = co_await WithTimeout<absl::StatusOr<json::value>>(
      clock_, options_.call_timeout, "SubjectAccessReview",
      client_.Create(kube::kSubjectAccessReviews, cluster_scoped, review, write));
  if (!answer.ok()) {
    co_return kube::ToStatus(kube::ServiceUnavailable(
        StrCat("the cluster does not say what is allowed: ", ToStd(answer.status().message())),
        kRetrySeconds));
  }
  const json::object* object = answer->if_object();
  const json::object* status = object == nullptr ? nullptr : ObjectAt(*object, "status");
  if (status == nullptr) {
    co_return kube::ToStatus(kube::ServiceUnavailable(
        "the cluster's answer to a SubjectAccessReview has no status", kRetrySeconds));
  }
  ReviewCache<Decision>::Loaded loaded;
  loaded.value.allowed = BoolAt(*status, "allowed") && !BoolAt(*status, "denied");
  loaded.value.reason = std::string(StringAt(*status, "reason"));
  loaded.ttl = loaded.value.allowed ? options_.allowed_ttl : options_.denied_ttl;
  co_return loaded;
}

Task<Access::Decision> Access::Decide(const Requester& requester,
                                      const AccessAttributes& attributes, Answer answer) {
  Decision decision;
  const std::vector<std::string>& groups = requester.user.groups;
  decision.allowed = std::find(groups.begin(), groups.end(), kMasters) != groups.end();
  if (decision.allowed) co_return decision;
  json::object spec = SpecOf(requester, attributes);
  if (answer == Answer::kFresh) {
    CO_ASSIGN_OR_RETURN(ReviewCache<Decision>::Loaded loaded, co_await Ask(std::move(spec)));
    co_return std::move(loaded.value);
  }
  std::string key = Serialize(spec);
  ReviewCache<Decision>::Loader load = [this, &spec] { return Ask(spec); };
  co_return co_await cache_.Get(std::move(key), std::move(load));
}

Task<bool> Access::Allows(Requester requester, AccessAttributes attributes, Answer answer) {
  CO_ASSIGN_OR_RETURN(const Decision decision, co_await Decide(requester, attributes, answer));
  co_return decision.allowed;
}

StatusTask Access::Check(Requester requester, AccessAttributes attributes, Answer answer) {
  const absl::StatusOr<Decision> decided = co_await Decide(requester, attributes, answer);
  if (!decided.ok()) {
    if (requester.notes != nullptr) requester.notes->NoteUndecided();
    co_return decided.status();
  }
  const Decision& decision = *decided;
  if (requester.notes != nullptr) {
    requester.notes->NoteDecision(decision.allowed, decision.reason);
  }
  if (decision.allowed) co_return absl::OkStatus();
  const std::string why =
      kube::ForbiddenAccess(requester.user.name, attributes.verb, attributes.gvr,
                            attributes.subresource, attributes.ns, decision.reason);
  co_return kube::ToStatus(kube::Forbidden(attributes.gvr, attributes.name, why));
}

}  // namespace steward::rpc
