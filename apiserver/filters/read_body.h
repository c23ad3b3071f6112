// The filter that reads the bodies of requests, for the verbs that take one. Thread-safe.
#ifndef APISERVER_FILTERS_READ_BODY_H_
#define APISERVER_FILTERS_READ_BODY_H_

#include <cstddef>

#include "apiserver/http/message/message.h"

namespace steward::filters {

// Fills in Request.body of writes to resources; bodies of other requests stay unread. Answers 413
// for more than `max_bytes`, 503 when the server holds too much memory, 400 for a malformed body.
// Must be placed behind authorization, so that strangers' bodies are not read.
http::Handler WithBody(http::Handler next, size_t max_bytes);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_READ_BODY_H_
