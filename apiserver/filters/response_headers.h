// The filter that sets the headers of every response. Thread-safe.
#ifndef APISERVER_FILTERS_RESPONSE_HEADERS_H_
#define APISERVER_FILTERS_RESPONSE_HEADERS_H_

#include "apiserver/http/message/message.h"

namespace steward::filters {

// Sets Audit-Id (Request.audit_id); "Cache-Control: no-cache, private" where the handler did not
// set Cache-Control itself; and "Connection: close" for unauthenticated clients of HTTP/2 (401 and
// system:anonymous). Their connection ends after the response, because they could cause much work
// on it (CVE-2023-44487, CVE-2023-39325).
http::Handler WithResponseHeaders(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_RESPONSE_HEADERS_H_
