// Reviews: questions that are answered and not stored. Implementations are thread-safe.
#ifndef APISERVER_REST_RESOURCE_REVIEWER_H_
#define APISERVER_REST_RESOURCE_REVIEWER_H_

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/field_validation.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/task.h"
#include "kube/meta/user_info.h"

namespace steward::rest {

// A POST of a question.
struct ReviewRequest {
  std::string ns;  // of the path; "" = none
  // The client's JSON object. The caller has handled duplicate fields as `field_validation` says,
  // and checked nothing else: the Reviewer handles unknown fields.
  boost::json::object question;
  bool dry_run = false;  // nothing is stored in any case
  FieldValidation field_validation = FieldValidation::kWarn;
  // The identifiers under which other servers log the request.
  std::string audit_id;
  std::string traceparent;  // "" = none
};

struct ReviewAnswer {
  std::unique_ptr<const Object> object;  // the question, answered
  std::vector<std::string> warnings;     // printable ASCII
  std::vector<Column> columns = {};      // of the object's cells; empty: the resource's columns
};

// Errors carry a Kubernetes Status.
class Reviewer {
 public:
  virtual ~Reviewer() = default;
  // `user` is the requester, and outlives the task.
  virtual Task<ReviewAnswer> Review(const kube::UserInfo& user, ReviewRequest request) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_REVIEWER_H_
