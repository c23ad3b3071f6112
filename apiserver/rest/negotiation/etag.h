// Conditional requests (RFC 9110 section 13.1.2). Pure functions.
#ifndef APISERVER_REST_NEGOTIATION_ETAG_H_
#define APISERVER_REST_NEGOTIATION_ETAG_H_

#include <string_view>

#include "apiserver/http/message/message.h"

namespace steward::rest {

// True when If-None-Match names `etag` (quoted, as in the ETag header) or is "*": the client holds
// this content, and the answer is 304. Compares weakly. False for an empty `etag`.
bool ClientHolds(const http::Request& request, std::string_view etag);

}  // namespace steward::rest

#endif  // APISERVER_REST_NEGOTIATION_ETAG_H_
