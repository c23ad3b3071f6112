// Implements the verb create of planpreviews: the controllers answer the question live.
// Thread-safe.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_CREATION_CREATION_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_CREATION_CREATION_H_

#include "apiserver/rest/resource/reviewer.h"
#include "apiserver/upstream/previews.h"
#include "base/async/task.h"
#include "kube/meta/user_info.h"

namespace steward::views {

// Stores nothing and changes nothing. The controllers check the requester's right to ask each kind
// of question; their errors are passed on.
class PlanPreviewCreation : public rest::Reviewer {
 public:
  // REQUIRES: `upstream` outlives this object and its calls.
  explicit PlanPreviewCreation(upstream::Previews& upstream) : upstream_(upstream) {}

  Task<rest::ReviewAnswer> Review(const kube::UserInfo& user, rest::ReviewRequest request) override;

 private:
  upstream::Previews& upstream_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_CREATION_CREATION_H_
