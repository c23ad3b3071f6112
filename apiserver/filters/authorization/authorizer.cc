#include "apiserver/filters/authorization/authorizer.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/filters/authorization/subject_access_review.h"
#include "base/status/macros.h"
#include "kube/meta/resources.h"

namespace steward::filters {
namespace json = boost::json;
namespace {

constexpr size_t kMaxCached = 8192;
// The share of one user, so that a user with ever new selectors or names cannot displace the
// decisions of others.
constexpr size_t kMaxCachedOfOne = kMaxCached / 8;
constexpr size_t kMaxCachedOfStrangers = 512;

bool Flag(const json::object& status, const char* key) {
  const json::value* value = status.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

absl::StatusOr<Decision> ReadReview(const json::value& review) {
  const json::object* root = review.if_object();
  const json::value* value = root != nullptr ? root->if_contains("status") : nullptr;
  const json::object* status = value != nullptr ? value->if_object() : nullptr;
  if (status == nullptr) return absl::InternalError("a SubjectAccessReview without a status");
  Decision decision;
  decision.allowed = Flag(*status, "allowed");
  if (decision.allowed && Flag(*status, "denied")) {
    return absl::InternalError("a SubjectAccessReview that both allows and denies");
  }
  if (const json::value* reason = status->if_contains("reason"); reason && reason->is_string()) {
    decision.reason.assign(reason->get_string().data(), reason->get_string().size());
  }
  return decision;
}

std::string_view WithoutSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace

ReviewAuthorizer::ReviewAuthorizer(Reviewer& reviewer, Clock& clock,
                                   ReviewAuthorizerOptions options)
    : reviewer_(reviewer),
      options_(options),
      users_(clock, kMaxCached, kMaxCachedOfOne),
      strangers_(clock, kMaxCachedOfStrangers) {}

Task<Decision> ReviewAuthorizer::Authorize(const http::Request& request) {
  std::string key = SubjectAccessReviewKey(request);
  const ReviewOrigin origin{FlowOf(request), request.traceparent};
  ReviewCache<Decision>& cache = origin.flow.stranger ? strangers_ : users_;
  std::optional<Decision> kept = cache.Kept(key);
  if (kept.has_value()) co_return *std::move(kept);
  const bool cacheable = request.target.size() <= options_.max_cached_target;
  ReviewCache<Decision>::Loader load = [this, &origin, &request, cacheable] {
    return Review(origin, SubjectAccessReviewSpec(request), cacheable);
  };
  absl::StatusOr<Decision> decision =
      co_await cache.Get(std::move(key), std::move(load), origin.flow.name);
  co_return decision;
}

Task<ReviewCache<Decision>::Loaded> ReviewAuthorizer::Review(ReviewOrigin origin, json::object spec,
                                                             bool cacheable) {
  json::object review;
  review["apiVersion"] = "authorization.k8s.io/v1";
  review["kind"] = "SubjectAccessReview";
  review["metadata"] = json::object();
  review["spec"] = std::move(spec);
  absl::StatusOr<json::value> answer = co_await reviewer_.Review(
      std::move(origin), kube::kSubjectAccessReviews, json::value(std::move(review)));
  CO_RETURN_IF_ERROR(answer.status());
  CO_ASSIGN_OR_RETURN(Decision decision, ReadReview(*answer));
  const absl::Duration ttl = decision.allowed ? options_.allowed_ttl : options_.denied_ttl;
  co_return ReviewCache<Decision>::Loaded{std::move(decision),
                                          cacheable ? ttl : absl::ZeroDuration()};
}

absl::StatusOr<AlwaysAllowed> AlwaysAllowed::Create(const std::vector<std::string>& paths) {
  AlwaysAllowed allowed;
  for (const std::string& given : paths) {
    const std::string path(WithoutSlash(given));
    const size_t star = path.find('*');
    if (star == std::string::npos) {
      allowed.paths_.push_back(path);
    } else if (star + 1 == path.size()) {
      allowed.prefixes_.push_back(path.substr(0, star));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("only trailing * allowed in \"", given, "\""));
    }
  }
  return allowed;
}

bool AlwaysAllowed::Allows(const http::Request& request) const {
  const auto& groups = request.user.groups;
  if (std::find(groups.begin(), groups.end(), "system:masters") != groups.end()) return true;
  if (request.info.is_resource) return false;
  const std::string_view path = WithoutSlash(request.path);
  return std::find(paths_.begin(), paths_.end(), path) != paths_.end() ||
         std::any_of(prefixes_.begin(), prefixes_.end(),
                     [&](const std::string& prefix) { return path.starts_with(prefix); });
}

}  // namespace steward::filters
