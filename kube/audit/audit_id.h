// The id by which several servers' logs know one request.
#ifndef KUBE_AUDIT_AUDIT_ID_H_
#define KUBE_AUDIT_AUDIT_ID_H_

#include <string_view>

namespace steward::audit {

// At most 128 visible ASCII characters: what may stand in a log line and in a response header.
bool IsUsableAuditId(std::string_view id);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_AUDIT_ID_H_
