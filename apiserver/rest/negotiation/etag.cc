#include "apiserver/rest/negotiation/etag.h"

#include "absl/strings/ascii.h"
#include "base/text/str_cat.h"

namespace steward::rest {
namespace {

std::string_view WithoutWeakMark(std::string_view tag) {
  return tag.starts_with("W/") ? tag.substr(2) : tag;
}

}  // namespace

bool ClientHolds(const http::Request& request, std::string_view etag) {
  if (etag.empty()) return false;
  etag = WithoutWeakMark(etag);
  for (std::string_view field : request.headers.FindAll("If-None-Match")) {
    while (!field.empty()) {
      // Our tags contain no commas, so a comma inside a foreign tag only splits a tag that cannot
      // match.
      const size_t comma = field.find(',');
      const std::string_view tag =
          ToStd(absl::StripAsciiWhitespace(ToAbsl(field.substr(0, comma))));
      if (tag == "*" || WithoutWeakMark(tag) == etag) return true;
      field = comma == std::string_view::npos ? std::string_view() : field.substr(comma + 1);
    }
  }
  return false;
}

}  // namespace steward::rest
