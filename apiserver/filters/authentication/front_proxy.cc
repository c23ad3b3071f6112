#include "apiserver/filters/authentication/front_proxy.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/status/macros.h"
#include "base/text/hex.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/user_info.h"

namespace steward::filters {
namespace {

// If an escape is malformed, the whole key stays unchanged, because an odd key is better than a
// lost one.
std::string PercentDecoded(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return text;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return text;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

// Only the first value of each header counts, as with Go's Header.Get.
std::string FirstNonEmpty(const http::Headers& headers, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string* value = headers.Find(name);
    if (value != nullptr && !value->empty()) return *value;
  }
  return "";
}

std::vector<std::string> AllValues(const http::Headers& headers,
                                   const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    for (const std::string_view value : headers.FindAll(name)) {
      if (!value.empty()) values.emplace_back(value);
    }
  }
  return values;
}

using Extra = std::vector<std::pair<std::string, std::vector<std::string>>>;

Extra ExtraOf(const http::Headers& headers, const std::vector<std::string>& prefixes) {
  Extra extra;
  for (const std::string& prefix : prefixes) {
    for (const auto& [name, value] : headers.fields()) {
      if (!absl::StartsWithIgnoreCase(name, prefix)) continue;
      std::string key = PercentDecoded(absl::AsciiStrToLower(name.substr(prefix.size())));
      auto found =
          std::find_if(extra.begin(), extra.end(), [&](const auto& e) { return e.first == key; });
      if (found == extra.end()) {
        extra.emplace_back(std::move(key), std::vector<std::string>());
        found = std::prev(extra.end());
      }
      found->second.push_back(value);
    }
  }
  return extra;
}

// True when a header could pass for an identity or a credential. `front` may be null.
bool NamesIdentity(const RequestHeaderSettings* front, std::string_view name) {
  const absl::string_view field = ToAbsl(name);
  if (absl::EqualsIgnoreCase(field, "Authorization")) return true;
  if (absl::StartsWithIgnoreCase(field, "X-Remote-")) return true;
  if (front == nullptr) return false;
  const auto equals = [&](const std::string& known) {
    return absl::EqualsIgnoreCase(field, known);
  };
  for (const auto* names : {&front->username_headers, &front->group_headers, &front->uid_headers}) {
    if (std::any_of(names->begin(), names->end(), equals)) return true;
  }
  return std::any_of(
      front->extra_prefixes.begin(), front->extra_prefixes.end(),
      [&](const std::string& prefix) { return absl::StartsWithIgnoreCase(field, prefix); });
}

}  // namespace

absl::Status VerifyFrontProxy(const AuthenticationConfig& config,
                              const http::PeerCertificates& peer, absl::Time now) {
  if (config.request_header_ca == nullptr) {
    return absl::FailedPreconditionError("no front proxy is known");
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const CertificateIdentity> proxy,
                   config.request_header_ca->Verify(peer, now));
  const auto& allowed = config.settings.request_header->allowed_names;
  if (!allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), proxy->common_name) == allowed.end()) {
    return absl::UnauthenticatedError(StrCat("the common name ", kube::Quote(proxy->common_name),
                                             " is not one of an allowed front proxy"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<kube::UserInfo>> AuthenticateFrontProxy(
    const AuthenticationConfig& config, const http::Request& request, absl::Time now) {
  if (request.peer == nullptr || request.peer->der.empty()) return std::nullopt;
  if (config.request_header_ca == nullptr) return std::nullopt;
  RETURN_IF_ERROR(VerifyFrontProxy(config, *request.peer, now));
  const RequestHeaderSettings& front = *config.settings.request_header;
  kube::UserInfo user;
  user.name = FirstNonEmpty(request.headers, front.username_headers);
  if (user.name.empty()) return std::nullopt;
  user.uid = FirstNonEmpty(request.headers, front.uid_headers);
  user.groups = AllValues(request.headers, front.group_headers);
  user.extra = ExtraOf(request.headers, front.extra_prefixes);
  return user;
}

void RemoveIdentityHeaders(const AuthenticationConfig& config, http::Headers& headers) {
  const auto& front = config.settings.request_header;
  headers.RemoveIf([known = front.has_value() ? &*front : nullptr](std::string_view name) {
    return NamesIdentity(known, name);
  });
}

}  // namespace steward::filters
