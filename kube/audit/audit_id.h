// The id of a request, shared by the logs of several servers. Pure functions.
#ifndef KUBE_AUDIT_AUDIT_ID_H_
#define KUBE_AUDIT_AUDIT_ID_H_

#include <string_view>

namespace steward::audit {

// True for at most 128 visible ASCII characters, which are safe in a log line and in a response
// header.
bool IsUsableAuditId(std::string_view id);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_AUDIT_ID_H_
