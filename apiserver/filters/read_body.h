// The filter that reads the bodies of requests, for the verbs that take one. Thread-safe.
#ifndef APISERVER_FILTERS_READ_BODY_H_
#define APISERVER_FILTERS_READ_BODY_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "apiserver/http/message/message.h"

namespace steward::filters {

struct BodyLimits {
  size_t max_bytes = 64 << 10;
  // The larger limits of creates, by group and resource.
  std::map<std::pair<std::string, std::string>, size_t> creates = {};
  // The number of requests with a body above max_bytes that are handled at a time, because the
  // decoded body takes a multiple of the memory. The last eighth is for users with few such
  // requests. 0 = no limit.
  size_t max_large = 16;
};

// Fills in Request.body of writes to resources; bodies of other requests stay unread. Answers 413
// for a body above its limit, 429 if too many large bodies are handled already, 503 if the server
// holds too much memory, and 400 for a malformed body. Must be placed behind authorization, so that
// strangers' bodies are not read.
http::Handler WithBody(http::Handler next, BodyLimits limits);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_READ_BODY_H_
