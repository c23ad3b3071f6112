// The filter that catches exceptions of all handlers. Thread-safe.
#ifndef APISERVER_FILTERS_ERRORS_H_
#define APISERVER_FILTERS_ERRORS_H_

#include "apiserver/http/message/message.h"

namespace steward::filters {

// An exception that leaves `next` is logged, and answered by a 500 Status unless the response has
// begun, which then stays cut off. Cancellation passes through.
http::Handler WithErrors(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_ERRORS_H_
