// The reconciler "apiservice-removal", which takes the APIService along when Steward's namespace is
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

// One key: the namespace, which is watched, and looked at every minute. Once it is being deleted
// nobody will serve the APIService much longer, and while one is there that nobody serves, no
// namespace can be deleted, this one included (R-004-44). So it is deleted at once, on condition of
// its UID, and again if somebody puts it back, for as long as this process lives.
//
// In such a namespace no Lease can be made, so it runs without election: deleting it twice is
// deleting it once. An APIService that leads into another namespace is not touched.
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
