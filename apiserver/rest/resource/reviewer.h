// Reviews: questions that are answered and not stored. Implementations are thread-safe.
#ifndef APISERVER_REST_RESOURCE_REVIEWER_H_
#define APISERVER_REST_RESOURCE_REVIEWER_H_

#include <boost/json/object.hpp>

#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "kube/meta/user_info.h"

namespace steward::rest {

// Errors carry a Kubernetes Status.
class Reviewer {
 public:
  virtual ~Reviewer() = default;
  // Returns the whole answer to `question`, which is as the client sent it: it was only checked
  // that it is a JSON object. `user` is the requester, and outlives the task.
  virtual Task<boost::json::object> Review(const kube::UserInfo& user,
                                           boost::json::object question) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_REVIEWER_H_
