// The responseStatus of audit events. Pure functions.
#ifndef KUBE_AUDIT_RESPONSE_STATUS_H_
#define KUBE_AUDIT_RESPONSE_STATUS_H_

#include <string>
#include <string_view>

namespace steward::audit {

// The responseStatus of a response with this HTTP status and no Status object.
std::string ResponseStatusOf(int code);

// The responseStatus of a response that is a metav1.Status: without kind and metadata, as one line
// of JSON. If `json` is no object, or longer than 16 KiB, returns ResponseStatusOf(code).
std::string ResponseStatusOf(std::string_view json, int code);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_RESPONSE_STATUS_H_
