// The filters that write events of audit.k8s.io/v1 for every request. Thread-safe.
#ifndef APISERVER_FILTERS_AUDIT_AUDIT_H_
#define APISERVER_FILTERS_AUDIT_AUDIT_H_

#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "kube/audit/log.h"

namespace steward::filters {

// Records the events that the log's policy selects, at the kube-apiserver's stages: RequestReceived
// once the user is known, ResponseStarted when a watch begins, ResponseComplete when a request is
// over, however it ends. A request that is refused before authentication has a single event,
// ResponseStarted, as in the kube-apiserver. At level Request, events have bodies of at most 64
// KiB. A larger body is left out, and the annotation audit.k8s.io/truncated says so. `log` and
// `clock` outlive the handler.
http::Handler WithAudit(http::Handler next, audit::Log& log, Clock& clock);

// Tells WithAudit that Request.user is known. REQUIRES: WithAudit is an outer filter.
http::Handler WithAuditedUser(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_AUDIT_H_
