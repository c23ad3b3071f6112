// GET cleanupstatuses/{name}/pending: all pending operands of an uninstallation, read live.
// Thread-safe.
#ifndef APISERVER_VIEWS_CLEANUP_STATUS_PENDING_PENDING_H_
#define APISERVER_VIEWS_CLEANUP_STATUS_PENDING_PENDING_H_

#include <string>

#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/page_getter.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/upstream/pending_operands.h"
#include "base/async/task.h"
#include "kube/meta/user_info.h"

namespace steward::views {

// Answers with a PendingOperandList (views.operators.coreos.com/v1alpha1): the operands that the
// requester may list, and the number of the others in `hidden`. A page has 500 operands, or `limit`
// if that is set, at most 1000. Whether the CleanupStatus exists at all is the controllers' answer.
class PendingView : public rest::PageGetter {
 public:
  // REQUIRES: `upstream` outlives this object and its calls.
  explicit PendingView(upstream::PendingOperands& upstream) : upstream_(upstream) {}

  // For the resource cleanupstatuses. This object outlives the result.
  rest::Subresource Subresource();
  Task<std::string> GetPage(const kube::UserInfo& user, rest::PageRequest request) override;

 private:
  upstream::PendingOperands& upstream_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_CLEANUP_STATUS_PENDING_PENDING_H_
