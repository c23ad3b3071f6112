// The net under all handlers.
#ifndef APISERVER_FILTERS_ERRORS_H_
#define APISERVER_FILTERS_ERRORS_H_

#include "apiserver/http/message.h"

namespace steward::filters {

// An exception that leaves `next` is logged, and answered by a 500 Status if nothing was sent yet
// (else the response stays cut). Cancellation passes through.
http::Handler WithErrors(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_ERRORS_H_
