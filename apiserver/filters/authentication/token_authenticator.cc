#include "apiserver/filters/authentication/token_authenticator.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "apiserver/filters/authentication/token_expiry.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::filters {
namespace json = boost::json;
namespace {

constexpr size_t kMaxGood = 4096;
constexpr size_t kMaxBad = 1024;
constexpr absl::Duration kOwnerMemory = absl::Minutes(10);

std::vector<std::string> Strings(const json::value& value) {
  std::vector<std::string> strings;
  const json::array* array = value.if_array();
  if (array == nullptr) return strings;
  for (const json::value& item : *array) {
    if (const json::string* text = item.if_string())
      strings.emplace_back(text->data(), text->size());
  }
  return strings;
}

kube::UserInfo ReadUser(const json::object& from) {
  kube::UserInfo user;
  user.name = StringAt(from, "username");
  user.uid = StringAt(from, "uid");
  if (const json::value* groups = from.if_contains("groups")) user.groups = Strings(*groups);
  if (const json::object* extra = ObjectAt(from, "extra")) {
    for (const auto& [key, values] : *extra) {
      user.extra.emplace_back(std::string(key.data(), key.size()), Strings(values));
    }
  }
  return user;
}

absl::StatusOr<std::optional<kube::UserInfo>> ReadReview(const json::value& review) {
  const json::object* root = review.if_object();
  const json::object* status = root != nullptr ? ObjectAt(*root, "status") : nullptr;
  if (status == nullptr) return absl::InternalError("a TokenReview without a status");
  const json::value* authenticated = status->if_contains("authenticated");
  if (authenticated == nullptr || !authenticated->is_bool() || !authenticated->get_bool()) {
    const std::string error(StringAt(*status, "error"));
    // With an error the token was not judged, so there is no result to keep.
    if (!error.empty()) return absl::UnauthenticatedError(StrCat("TokenReview: ", error));
    return std::nullopt;
  }
  const json::object* user = ObjectAt(*status, "user");
  if (user == nullptr) return absl::InternalError("a TokenReview without a user");
  kube::UserInfo info = ReadUser(*user);
  if (info.name.empty()) return absl::InternalError("a TokenReview without a user name");
  return info;
}

}  // namespace

TokenAuthenticator::TokenAuthenticator(Reviewer& reviewer, Clock& clock, absl::Duration ttl,
                                       SourceRate::Limits first_seen)
    : reviewer_(reviewer),
      clock_(clock),
      ttl_(ttl),
      first_seen_(clock, first_seen),
      good_(clock, kMaxGood),
      bad_(kMaxBad),
      owners_(kMaxGood) {}

bool TokenAuthenticator::IsBad(const std::string& key) {
  MutexLock lock(&mutex_);
  return bad_.Get(key, clock_.Now()).has_value();
}

std::optional<std::string> TokenAuthenticator::OwnerOf(const std::string& key) {
  MutexLock lock(&mutex_);
  return owners_.Get(key, clock_.Now());
}

void TokenAuthenticator::Remember(const std::string& key, const User& user) {
  MutexLock lock(&mutex_);
  if (user.has_value()) {
    owners_.Put(key, user->name, clock_.Now(), kOwnerMemory);
  } else {
    bad_.Put(key, true, clock_.Now(), ttl_);
  }
}

std::optional<kube::UserInfo> TokenAuthenticator::Kept(std::string_view token) {
  std::optional<User> kept = good_.Kept(Sha256(token));
  return kept ? *std::move(kept) : std::nullopt;
}

Task<std::optional<kube::UserInfo>> TokenAuthenticator::Authenticate(ReviewOrigin origin,
                                                                     std::string token) {
  const std::string key = Sha256(token);
  if (IsBad(key)) co_return std::nullopt;
  ReviewCache<User>::Loader load = [this, &origin, &key, &token] {
    return Review(origin, key, token);
  };
  absl::StatusOr<User> user = co_await good_.Get(key, std::move(load));
  co_return user;
}

Task<ReviewCache<TokenAuthenticator::User>::Loaded> TokenAuthenticator::Review(
    ReviewOrigin origin, const std::string& key, const std::string& token) {
  Flow& flow = origin.flow;
  if (std::optional<std::string> owner = OwnerOf(key)) {
    flow.name = *std::move(owner);
    flow.stranger = false;
  } else if (!first_seen_.Take(flow.name)) {
    co_return kube::ToStatus(Reviewer::Overloaded());
  }
  static const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1",
                                                        "tokenreviews"};
  json::object spec;
  spec["token"] = token;
  json::object review;
  review["apiVersion"] = "authentication.k8s.io/v1";
  review["kind"] = "TokenReview";
  review["metadata"] = json::object();
  review["spec"] = std::move(spec);
  absl::StatusOr<json::value> answer =
      co_await reviewer_.Review(std::move(origin), kTokenReviews, json::value(std::move(review)));
  CO_RETURN_IF_ERROR(answer.status());
  CO_ASSIGN_OR_RETURN(User user, ReadReview(*answer));
  if (user.has_value()) user->until = TokenExpiry(token);
  Remember(key, user);
  const absl::Duration ttl = user.has_value() ? ttl_ : absl::ZeroDuration();
  co_return ReviewCache<User>::Loaded{std::move(user), ttl};
}

}  // namespace steward::filters
