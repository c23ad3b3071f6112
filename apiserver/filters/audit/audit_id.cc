#include "apiserver/filters/audit/audit_id.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/trace/traceparent.h"
#include "kube/audit/audit_id.h"
#include "kube/meta/uuid.h"

namespace steward::filters {
std::string NewUuid(Random& random) {
  std::array<uint8_t, 16> bytes;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    const auto word = static_cast<uint32_t>(random.Uniform() * 4294967296.0);
    for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<uint8_t>(word >> (24 - 8 * i));
  }
  return kube::UuidV4(bytes);
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
