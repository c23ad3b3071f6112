#include "apiserver/filters/audit_id.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/trace/traceparent.h"
#include "kube/audit/audit_id.h"

namespace steward::filters {
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
    const bool usable = given != nullptr && audit::IsUsableAuditId(*given);
    request.audit_id = usable ? *given : NewUuid(random);
    const std::vector<std::string_view> traces = request.headers.FindAll("traceparent");
    if (traces.size() == 1) request.traceparent = ValidTraceparent(traces.front());
    return next(request, writer);
  };
}

}  // namespace steward::filters
