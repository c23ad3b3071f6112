// The filter that gives a request its id, which the logs of the kube-apiserver and of this server
// share. Thread-safe.
#ifndef APISERVER_FILTERS_AUDIT_AUDIT_ID_H_
#define APISERVER_FILTERS_AUDIT_AUDIT_ID_H_

#include <string>

#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// A random UUID (RFC 4122 version 4).
std::string NewUuid(Random& random);

// Sets Request.audit_id to the request's Audit-Id header, or to a new UUID when that is missing or
// unusable, and Request.traceparent to that header when it is valid. `random` outlives the handler.
http::Handler WithAuditId(http::Handler next, Random& random);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_AUDIT_ID_H_
