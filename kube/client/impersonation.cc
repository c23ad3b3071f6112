#include "kube/client/impersonation.h"

#include <string_view>

#include "absl/strings/ascii.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

constexpr std::string_view kMasters = "system:masters";

// With `may_be_empty`, an empty text is OK.
absl::Status CheckText(std::string_view what, std::string_view text, bool may_be_empty = false) {
  if (text.empty() && !may_be_empty) {
    return absl::InvalidArgumentError(StrCat("no request may act as a user with an empty ", what));
  }
  for (const char c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(
          StrCat("no request can act as a user whose ", what, " has a control character"));
    }
  }
  if (text.starts_with(' ') || text.ends_with(' ')) {
    return absl::InvalidArgumentError(
        StrCat("no request can act as a user whose ", what, " begins or ends with a space"));
  }
  return absl::OkStatus();
}

// Keeps the characters that a header name may have in lower case; encodes all others.
std::string ExtraKey(std::string_view key) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_islower(byte) || absl::ascii_isdigit(byte) || c == '-' || c == '.' ||
        c == '_' || c == '~') {
      encoded.push_back(c);
    } else {
      encoded.push_back('%');
      encoded.push_back(kHex[byte >> 4]);
      encoded.push_back(kHex[byte & 15]);
    }
  }
  return encoded;
}

}  // namespace

absl::Status CheckImpersonation(const UserInfo& user) {
  RETURN_IF_ERROR(CheckText("name", user.name));
  RETURN_IF_ERROR(CheckText("uid", user.uid, /*may_be_empty=*/true));
  for (const std::string& group : user.groups) {
    RETURN_IF_ERROR(CheckText("group", group));
  }
  for (const auto& [key, values] : user.extra) {
    if (key.empty()) {
      return absl::InvalidArgumentError("no request can act as a user with an empty extra key");
    }
    for (const std::string& value : values) {
      RETURN_IF_ERROR(CheckText("extra value", value, /*may_be_empty=*/true));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckActingUser(const UserInfo& user) {
  RETURN_IF_ERROR(CheckImpersonation(user));
  for (const std::string& group : user.groups) {
    if (group == kMasters) {
      return absl::InvalidArgumentError("no request may act as a user in the group system:masters");
    }
  }
  return absl::OkStatus();
}

std::string ImpersonationHeaders(const UserInfo& user) {
  std::string lines = StrCat("Impersonate-User: ", user.name, "\r\n");
  if (!user.uid.empty()) StrAppend(&lines, "Impersonate-Uid: ", user.uid, "\r\n");
  for (const std::string& group : user.groups) {
    StrAppend(&lines, "Impersonate-Group: ", group, "\r\n");
  }
  for (const auto& [key, values] : user.extra) {
    const std::string name = StrCat("Impersonate-Extra-", ExtraKey(key));
    for (const std::string& value : values) StrAppend(&lines, name, ": ", value, "\r\n");
  }
  return lines;
}

}  // namespace steward::kube
