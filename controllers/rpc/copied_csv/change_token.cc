#include "controllers/rpc/copied_csv/change_token.h"

#include <utility>
#include <vector>

#include "base/status/macros.h"

namespace steward::rpc {
namespace {

constexpr std::string_view kForm = "c1";

}  // namespace

std::string ChangeToken::ToString(const PageBinding& binding) const {
  return WritePageToken(binding, kForm, {after.ns, after.name});
}

absl::StatusOr<ChangeToken> ChangeToken::Parse(std::string_view text, const PageBinding& binding) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts, ReadPageToken(text, binding, kForm, 2));
  ChangeToken token{{std::move(parts[0]), std::move(parts[1])}};
  const bool somewhere =
      kube::IsDns1123Label(token.after.ns) && kube::IsDns1123Subdomain(token.after.name);
  if (!somewhere || token.ToString(binding) != text) return BadPageToken();
  return token;
}

}  // namespace steward::rpc
