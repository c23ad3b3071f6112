#include "controllers/rpc/worlds/list_token.h"

#include <utility>
#include <vector>

#include "base/status/macros.h"

namespace steward::rpc {
namespace {

constexpr std::string_view kForm = "l3";

}  // namespace

std::string ListToken::ToString(const PageBinding& binding) const {
  return WritePageToken(binding, kForm, {number.ToString(), after.ns, after.name});
}

absl::StatusOr<ListToken> ListToken::Parse(std::string_view text, const PageBinding& binding,
                                           std::string_view ns) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts, ReadPageToken(text, binding, kForm, 3));
  const absl::StatusOr<storage::Number> number = storage::Number::Parse(parts[0]);
  if (!number.ok()) return BadPageToken();
  ListToken token{*number, {std::move(parts[1]), std::move(parts[2])}};
  const bool somewhere =
      kube::IsDns1123Label(token.after.ns) && kube::IsDns1123Subdomain(token.after.name);
  if (!somewhere || (!ns.empty() && token.after.ns != ns)) return BadPageToken();
  if (token.ToString(binding) != text) return BadPageToken();
  return token;
}

}  // namespace steward::rpc
