#include "apiserver/filters/authentication/token_authenticator.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "apiserver/filters/authentication/token_expiry.h"
#include "apiserver/http/websocket/websocket_handshake.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/json/utf8.h"
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
constexpr std::string_view kTokenSubprotocol = "base64url.bearer.authorization.k8s.io.";

// absl's decoder would also accept white space and padding, which no subprotocol's name has.
bool IsBase64Url(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
}

bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = DecodeUtf8(text, at).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

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

std::optional<std::string> BearerToken(const http::Headers& headers) {
  const std::string* header = headers.Find("Authorization");
  if (header == nullptr) return std::nullopt;
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(*header), absl::MaxSplits(' ', 2));
  if (parts.size() < 2 || !absl::EqualsIgnoreCase(parts[0], "bearer")) return std::nullopt;
  if (parts[1].empty()) return std::nullopt;
  return std::string(parts[1]);
}

absl::StatusOr<std::optional<std::string>> WebSocketToken(const http::Request& request) {
  if (!request.websocket) return std::nullopt;
  std::optional<std::string_view> encoded;
  bool alone = true;
  for (const std::string_view subprotocol : http::OfferedSubprotocols(request.headers)) {
    if (!subprotocol.starts_with(kTokenSubprotocol)) {
      alone = false;
    } else if (encoded.has_value()) {
      return absl::UnauthenticatedError("several bearer tokens among the WebSocket subprotocols");
    } else {
      encoded = subprotocol.substr(kTokenSubprotocol.size());
    }
  }
  if (!encoded.has_value() || encoded->empty()) return std::nullopt;
  std::string token;
  if (!IsBase64Url(*encoded) || !absl::WebSafeBase64Unescape(ToAbsl(*encoded), &token) ||
      !IsUtf8(token)) {
    return absl::UnauthenticatedError("the WebSocket's bearer token cannot be decoded");
  }
  if (alone) {
    return absl::UnauthenticatedError("a WebSocket's bearer token needs a second subprotocol");
  }
  return token;
}

void RemoveWebSocketTokens(http::Headers& headers) {
  std::string kept;
  bool removed = false;
  for (const std::string_view subprotocol : http::OfferedSubprotocols(headers)) {
    if (subprotocol.starts_with(kTokenSubprotocol)) {
      removed = true;
    } else {
      StrAppend(&kept, kept.empty() ? "" : ",", subprotocol);
    }
  }
  if (!removed) return;
  headers.Remove("Sec-WebSocket-Protocol");
  if (!kept.empty()) headers.Set("Sec-WebSocket-Protocol", std::move(kept));
}

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
