#include "apiserver/http/message/target.h"

#include <algorithm>

#include "base/status/macros.h"
#include "base/text/hex.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

absl::StatusOr<std::string> Unescape(std::string_view text, bool plus_is_space) {
  const bool plain = text.find('%') == std::string_view::npos &&
                     (!plus_is_space || text.find('+') == std::string_view::npos);
  if (plain) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 1 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return absl::InvalidArgumentError(StrCat("invalid URL escape \"", text.substr(i, 3), "\""));
      }
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

absl::StatusOr<QueryPairs> ParseQuery(std::string_view text) {
  QueryPairs pairs;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    if (pairs.size() == kMaxQueryParameters) {
      return absl::InvalidArgumentError(
          StrCat("more than ", kMaxQueryParameters, " query parameters"));
    }
    if (pair.find(';') != std::string_view::npos) {
      return absl::InvalidArgumentError("invalid semicolon separator in query");
    }
    const std::string_view key = pair.substr(0, pair.find('='));
    const std::string_view value = pair.substr(std::min(pair.size(), key.size() + 1));
    ASSIGN_OR_RETURN(std::string decoded_key, Unescape(key, true));
    ASSIGN_OR_RETURN(std::string decoded_value, Unescape(value, true));
    pairs.emplace_back(std::move(decoded_key), std::move(decoded_value));
  }
  return pairs;
}

// Removes scheme and authority of the absolute form.
std::string_view WithoutAuthority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    return target.substr(std::min(target.find_first_of("/?", scheme.size()), target.size()));
  }
  return target;
}

}  // namespace

absl::StatusOr<Target> ParseTarget(std::string_view target) {
  const auto is_control = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  if (std::any_of(target.begin(), target.end(), is_control)) {
    return absl::InvalidArgumentError("invalid control character in URL");
  }
  const std::string_view origin = WithoutAuthority(target);
  const std::string_view path = origin.substr(0, origin.find('?'));
  const bool host_alone = path.empty() && origin.size() != target.size();
  if (!host_alone && !path.starts_with('/'))
    return absl::InvalidArgumentError("invalid URI for request");
  Target result;
  ASSIGN_OR_RETURN(result.path, Unescape(host_alone ? "/" : path, false));
  ASSIGN_OR_RETURN(result.query,
                   ParseQuery(origin.substr(std::min(origin.size(), path.size() + 1))));
  return result;
}

}  // namespace steward::http
