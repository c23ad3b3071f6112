// The verb create of planpreviews: a question that the controllers answer live. Thread-safe.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_CREATION_CREATION_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_CREATION_CREATION_H_

#include "apiserver/rest/resource/reviewer.h"
#include "apiserver/upstream/previews.h"
#include "base/async/task.h"
#include "kube/meta/user_info.h"

namespace steward::views {

// Nothing is stored, and nothing is changed. The right of each kind of question is asked for by the
// controllers, in the requester's name; their errors are passed on.
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
