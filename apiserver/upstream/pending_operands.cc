#include "apiserver/upstream/pending_operands.h"

#include "kube/meta/status.h"

namespace steward::upstream {
namespace {

constexpr int kRetrySeconds = 60;

}  // namespace

Task<PendingPage> NoControllers::ListPending(Asker, kube::NamespacedName, int64_t, std::string) {
  co_return kube::ToStatus(kube::ServiceUnavailable(reason_, kRetrySeconds));
}

}  // namespace steward::upstream
