// GET cleanupstatuses/{name}/pending: everything that an uninstallation waits for, live.
#ifndef APISERVER_VIEWS_CLEANUP_STATUS_PENDING_PENDING_H_
#define APISERVER_VIEWS_CLEANUP_STATUS_PENDING_PENDING_H_

#include <string>

#include "apiserver/http/message.h"
#include "apiserver/rest/page_getter.h"
#include "apiserver/rest/resource.h"
#include "apiserver/upstream/pending_operands.h"
#include "base/async/task.h"

namespace steward::views {

// A PendingOperandList (views.operators.coreos.com/v1alpha1): what the requester may list itself,
// the rest counted in `hidden`; in pages of 500 unless `limit` asks for less or, up to 1000, more.
// Whether there is such a status at all is the controllers' answer, too. Thread-safe.
class PendingView : public rest::PageGetter {
 public:
  // `upstream` outlives this object and its calls.
  explicit PendingView(upstream::PendingOperands& upstream) : upstream_(upstream) {}

  // For the resource cleanupstatuses. This object outlives it.
  rest::Subresource Subresource();
  Task<std::string> GetPage(const http::UserInfo& user, rest::PageRequest request) override;

 private:
  upstream::PendingOperands& upstream_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_CLEANUP_STATUS_PENDING_PENDING_H_
