// Questions that are answered and not kept.
#ifndef APISERVER_REST_REVIEWER_H_
#define APISERVER_REST_REVIEWER_H_

#include <boost/json/object.hpp>

#include "apiserver/http/message.h"
#include "base/async/task.h"

namespace steward::rest {

// Implementations are thread-safe. Errors carry a Kubernetes Status.
class Reviewer {
 public:
  virtual ~Reviewer() = default;
  // The whole answer to `question`, which is as the client sent it: nothing was checked but that it
  // is a JSON object. `user` is who asks, and outlives the task.
  virtual Task<boost::json::object> Review(const http::UserInfo& user,
                                           boost::json::object question) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_REVIEWER_H_
