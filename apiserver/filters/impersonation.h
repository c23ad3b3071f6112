// Impersonation on direct connections.
#ifndef APISERVER_FILTERS_IMPERSONATION_H_
#define APISERVER_FILTERS_IMPERSONATION_H_

#include "apiserver/http/message.h"

namespace steward::filters {

// Answers 403 to a request with any Impersonate-* header. Impersonation belongs to the
// kube-apiserver: it resolves these headers before it forwards a request, so one that arrives here
// came from a client that connects directly and expects to act as somebody else. Serving it as
// itself would be a silent lie.
http::Handler WithoutImpersonation(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_IMPERSONATION_H_
