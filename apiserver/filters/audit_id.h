// The id by which the hub's and this server's logs know one request.
#ifndef APISERVER_FILTERS_AUDIT_ID_H_
#define APISERVER_FILTERS_AUDIT_ID_H_

#include <string>

#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// A random UUID (RFC 4122 version 4).
std::string NewUuid(Random& random);

// Sets Request.audit_id to the request's Audit-Id header, or to a new UUID when it has none that is
// usable, and Request.traceparent to that header when it is valid. `random` outlives the handler.
http::Handler WithAuditId(http::Handler next, Random& random);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_ID_H_
