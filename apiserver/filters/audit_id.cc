#include "apiserver/filters/audit_id.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_format.h"

namespace steward::filters {
namespace {

constexpr size_t kMaxLength = 128;

}  // namespace

bool IsUsableAuditId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxLength &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string NewUuid(Random& random) {
  uint32_t words[4];
  for (uint32_t& word : words) word = static_cast<uint32_t>(random.Uniform() * 4294967296.0);
  const uint32_t version = 0x4000 | (words[1] & 0x0fff);
  const uint32_t variant = 0x8000 | ((words[2] >> 16) & 0x3fff);
  return absl::StrFormat("%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16, version, variant,
                         words[2] & 0xffff, words[3]);
}

http::Handler WithAuditId(http::Handler next, Random& random) {
  return [next = std::move(next), &random](http::Request& request, http::ResponseWriter& writer) {
    const std::string* given = request.headers.Find("Audit-Id");
    request.audit_id = given != nullptr && IsUsableAuditId(*given) ? *given : NewUuid(random);
    return next(request, writer);
  };
}

}  // namespace steward::filters
