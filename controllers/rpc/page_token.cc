#include "controllers/rpc/page_token.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/digest/digest.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

// The forms of tokens. A change of what they say takes a new form: replicas of two versions run
// beside each other during an update.
constexpr std::string_view kListForm = "l2";
constexpr std::string_view kPendingForm = "p2";
constexpr size_t kLongest = 2048;
constexpr size_t kDigestBytes = 16;

absl::Status BadToken() {
  return kube::ToStatus(kube::BadRequest("the page token is none that this request was given"));
}

// No part of a request has line breaks in it, so different requests have different texts.
std::string DigestOf(std::string_view form, std::string_view ns, std::string_view name) {
  const std::string digest = Sha256(StrCat(form, "\n", ns, "\n", name));
  return absl::BytesToHexString(ToAbsl(std::string_view(digest).substr(0, kDigestBytes)));
}

std::string Encode(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) StrAppend(&text, text.empty() ? "" : "\n", part);
  return absl::WebSafeBase64Escape(text);
}

// `count` parts, of which the first two are `form` and `digest`.
absl::StatusOr<std::vector<std::string>> Decode(std::string_view text, size_t count,
                                                std::string_view form, std::string_view digest) {
  std::string plain;
  if (text.size() > kLongest || !absl::WebSafeBase64Unescape(ToAbsl(text), &plain)) {
    return BadToken();
  }
  std::vector<std::string> parts = absl::StrSplit(plain, '\n');
  if (parts.size() != count || parts[0] != form || parts[1] != digest) return BadToken();
  return parts;
}

}  // namespace

std::string ListToken::ToString(std::string_view ns) const {
  return Encode({kListForm, DigestOf(kListForm, ns, ""), number.ToString(), after.ns, after.name});
}

absl::StatusOr<ListToken> ListToken::Parse(std::string_view text, std::string_view ns) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts,
                   Decode(text, 5, kListForm, DigestOf(kListForm, ns, "")));
  const absl::StatusOr<storage::Number> number = storage::Number::Parse(parts[2]);
  if (!number.ok()) return BadToken();
  ListToken token{*number, {std::move(parts[3]), std::move(parts[4])}};
  const bool somewhere =
      kube::IsDns1123Label(token.after.ns) && kube::IsDns1123Subdomain(token.after.name);
  if (!somewhere || (!ns.empty() && token.after.ns != ns)) return BadToken();
  if (token.ToString(ns) != text) return BadToken();
  return token;
}

std::string PendingToken::ToString(const kube::NamespacedName& csv) const {
  return Encode({kPendingForm, DigestOf(kPendingForm, csv.ns, csv.name), StrCat(listing),
                 after.resource, after.ns, after.name});
}

absl::StatusOr<PendingToken> PendingToken::Parse(std::string_view text,
                                                 const kube::NamespacedName& csv) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts,
                   Decode(text, 6, kPendingForm, DigestOf(kPendingForm, csv.ns, csv.name)));
  PendingToken token;
  if (!absl::SimpleAtoi(parts[2], &token.listing)) return BadToken();
  token.after = {std::move(parts[3]), std::move(parts[4]), std::move(parts[5])};
  const bool somewhere = kube::IsDns1123Subdomain(token.after.resource) &&
                         (token.after.ns.empty() || kube::IsDns1123Label(token.after.ns)) &&
                         kube::IsPathSegmentName(token.after.name);
  if (!somewhere || token.ToString(csv) != text) return BadToken();
  return token;
}

}  // namespace steward::controllers
