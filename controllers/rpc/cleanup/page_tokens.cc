#include "controllers/rpc/cleanup/page_tokens.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::rpc {
namespace {

constexpr std::string_view kPendingForm = "p3";

}  // namespace

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
