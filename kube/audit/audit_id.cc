#include "kube/audit/audit_id.h"

#include <algorithm>

namespace steward::audit {
namespace {

constexpr size_t kMaxLength = 128;

}  // namespace

bool IsUsableAuditId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxLength &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace steward::audit
