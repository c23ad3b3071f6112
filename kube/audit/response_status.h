// The responseStatus of audit events.
#ifndef KUBE_AUDIT_RESPONSE_STATUS_H_
#define KUBE_AUDIT_RESPONSE_STATUS_H_

#include <string>
#include <string_view>

namespace steward::audit {

// Of a response with this HTTP status and no Status object.
std::string ResponseStatusOf(int code);

// Of a response that is a metav1.Status: without kind and metadata, as one line of JSON. Where
// `json` is none, or longer than 16 KiB, as of one with `code` alone.
std::string ResponseStatusOf(std::string_view json, int code);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_RESPONSE_STATUS_H_
