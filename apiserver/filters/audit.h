// Events of audit.k8s.io/v1 for every request.
#ifndef APISERVER_FILTERS_AUDIT_H_
#define APISERVER_FILTERS_AUDIT_H_

#include "apiserver/http/message.h"
#include "base/clock/clock.h"
#include "kube/audit/log.h"

namespace steward::filters {

// Records what the log's policy wants, at the kube-apiserver's stages: RequestReceived once the
// user is known, ResponseStarted when a watch begins, ResponseComplete when a request is over,
// however it ends. A request that is refused before anybody is authenticated has one event,
// ResponseStarted, as there. Bodies of at most 64 KiB are recorded at level Request, larger ones
// left out, which the annotation audit.k8s.io/truncated says. `log` and `clock` outlive the
// handler.
http::Handler WithAudit(http::Handler next, audit::Log& log, Clock& clock);

// Tells the record that WithAudit keeps that Request.user is known. REQUIRES: WithAudit stands
// further out.
http::Handler WithAuditedUser(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUDIT_H_
