// The id by which the hub's and this server's logs know one request.
#ifndef APISERVER_FILTERS_AUDIT_ID_H_
#define APISERVER_FILTERS_AUDIT_ID_H_

#include <string>
#include <string_view>

#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// At most 128 visible ASCII characters: what may stand in a log line and in a response header.
bool IsUsableAuditId(std::string_view id);

// A random UUID (RFC 4122 version 4).
std::string NewUuid(Random& random);

// Sets Request.audit_id to the request's Audit-Id header, or to a new UUID when it has none that is
// usable. `random` outlives the handler.
http::Handler WithAuditId(http::Handler next, Random& random);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_ID_H_
