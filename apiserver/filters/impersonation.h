// The filter that refuses impersonation on direct connections. Thread-safe.
#ifndef APISERVER_FILTERS_IMPERSONATION_H_
#define APISERVER_FILTERS_IMPERSONATION_H_

#include "apiserver/http/message/message.h"

namespace steward::filters {

// Answers 403 to a request with any Impersonate-* header. Impersonation is the task of the
// kube-apiserver, which resolves these headers before it forwards a request. So a request that
// arrives with one came from a client that connects directly and expects to act as another user;
// serving it under its own name would mislead that client.
http::Handler WithoutImpersonation(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_IMPERSONATION_H_
