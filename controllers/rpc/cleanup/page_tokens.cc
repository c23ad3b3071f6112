#include "controllers/rpc/cleanup/page_tokens.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::rpc {
namespace {

constexpr std::string_view kListForm = "l3";
constexpr std::string_view kPendingForm = "p3";

}  // namespace

std::string ListToken::ToString(const PageBinding& binding) const {
  return WritePageToken(binding, kListForm, {number.ToString(), after.ns, after.name});
}

absl::StatusOr<ListToken> ListToken::Parse(std::string_view text, const PageBinding& binding,
                                           std::string_view ns) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts, ReadPageToken(text, binding, kListForm, 3));
  const absl::StatusOr<storage::Number> number = storage::Number::Parse(parts[0]);
  if (!number.ok()) return BadPageToken();
  ListToken token{*number, {std::move(parts[1]), std::move(parts[2])}};
  const bool somewhere =
      kube::IsDns1123Label(token.after.ns) && kube::IsDns1123Subdomain(token.after.name);
  if (!somewhere || (!ns.empty() && token.after.ns != ns)) return BadPageToken();
  if (token.ToString(binding) != text) return BadPageToken();
  return token;
}

std::string PendingToken::ToString(const PageBinding& binding) const {
  return WritePageToken(binding, kPendingForm,
                        {StrCat(listing), after.resource, after.ns, after.name});
}

absl::StatusOr<PendingToken> PendingToken::Parse(std::string_view text,
                                                 const PageBinding& binding) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts, ReadPageToken(text, binding, kPendingForm, 4));
  PendingToken token;
  if (!absl::SimpleAtoi(parts[0], &token.listing)) return BadPageToken();
  token.after = {std::move(parts[1]), std::move(parts[2]), std::move(parts[3])};
  const bool somewhere = kube::IsDns1123Subdomain(token.after.resource) &&
                         (token.after.ns.empty() || kube::IsDns1123Label(token.after.ns)) &&
                         kube::IsPathSegmentName(token.after.name);
  if (!somewhere || token.ToString(binding) != text) return BadPageToken();
  return token;
}

}  // namespace steward::rpc
