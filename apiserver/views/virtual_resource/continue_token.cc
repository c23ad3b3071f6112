#include "apiserver/views/virtual_resource/continue_token.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "absl/strings/escaping.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/uuid.h"

namespace steward::views {
namespace json = boost::json;
namespace {

// Real tokens have some hundred bytes, because the length of names is bounded.
constexpr size_t kMaxBytes = 4096;

std::string CheckOf(const ContinueToken& token, const rest::Selection& selection) {
  // No part can contain a NUL byte, so it separates the parts.
  constexpr std::string_view kNext("\0", 1);
  return kube::UuidV5("",
                      StrCat(token.number, kNext, token.after.ns, kNext, token.after.name, kNext,
                             token.left ? StrCat(*token.left) : "", kNext, selection.ns, kNext,
                             selection.labels.ToString(), kNext, selection.fields.ToString()));
}

}  // namespace

std::string ContinueToken::Encode(const rest::Selection& selection) const {
  json::object object{{"v", 1},
                      {"rv", number},
                      {"ns", after.ns},
                      {"name", after.name},
                      {"check", CheckOf(*this, selection)}};
  if (left) object["left"] = *left;
  const std::string text = Serialize(object);
  std::string encoded;
  absl::WebSafeBase64Escape(text, &encoded);
  return encoded;
}

absl::StatusOr<ContinueToken> ContinueToken::Decode(std::string_view text,
                                                    const rest::Selection& selection) {
  const auto refuse = [] {
    return kube::ToStatus(kube::BadRequest("invalid continue token: continue key is not valid"));
  };
  std::string decoded;
  if (text.size() > kMaxBytes || !absl::WebSafeBase64Unescape(ToAbsl(text), &decoded)) {
    return refuse();
  }
  const absl::StatusOr<json::value> value = ParseJson(decoded);
  if (!value.ok() || !value->is_object()) return refuse();
  const json::object& object = value->get_object();
  ContinueToken token;
  token.number = StringAt(object, "rv");
  token.after.ns = StringAt(object, "ns");
  token.after.name = StringAt(object, "name");
  if (const json::value* left = object.if_contains("left")) {
    if (!left->is_int64() || left->get_int64() < 0) return refuse();
    token.left = left->get_int64();
  }
  if (StringAt(object, "check") != CheckOf(token, selection)) return refuse();
  return token;
}

}  // namespace steward::views
