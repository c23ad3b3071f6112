// The filter that writes a log line for each request. Thread-safe.
#ifndef APISERVER_FILTERS_AUDIT_ACCESS_LOG_H_
#define APISERVER_FILTERS_AUDIT_ACCESS_LOG_H_

#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// Logs at --v=4 and above: verb, URI, latency, user agent, user, audit id, trace, peer, status.
// `clock` outlives the handler.
http::Handler WithAccessLog(http::Handler next, Clock& clock);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_ACCESS_LOG_H_
