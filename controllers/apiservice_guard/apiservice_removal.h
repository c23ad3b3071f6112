// The reconciler "apiservice-removal", which deletes the APIService when Steward's namespace is
// deleted. Lives on one executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_APISERVICE_REMOVAL_H_
#define CONTROLLERS_APISERVICE_GUARD_APISERVICE_REMOVAL_H_

#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

// One key: the namespace, which is watched, and looked at every minute. Once it is being deleted,
// nobody will serve the APIService much longer. An APIService that nobody serves blocks the
// deletion of every namespace, this one included (R-004-44). So the APIService is deleted at once,
// with its UID as a precondition, and again if somebody creates it again while this process lives.
//
// Runs without election, because no Lease can be created in such a namespace; it does no harm if
// two processes delete the APIService. Leaves an APIService alone whose Service is in another
// namespace.
class ApiServiceRemoval : public Reconciler {
 public:
  // `ns` is Steward's. REQUIRES: the references in `deps` outlive this object.
  ApiServiceRemoval(const ReconcilerDeps& deps, std::string ns);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  StatusTask Remove();

  const ReconcilerDeps deps_;
  const std::string ns_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_APISERVICE_REMOVAL_H_
