// The surveyor of a cleanup's pending operands and held rights. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_SURVEYOR_H_
#define CONTROLLERS_CLEANUP_SURVEYOR_H_

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Calls about different ClusterServiceVersions may overlap.
class Surveyor {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Surveyor(kube::Client& client, HoldKeeper& holds, ProgressReporter& reporter, Clock& clock)
      : client_(client), holds_(holds), reporter_(reporter), clock_(clock) {}

  // Fills in `listing`, where something may have been deleted, `holds`, and the parts of `report`
  // about both; neither if no step could use it. Adds missing holds while operands are pending.
  VoidTask Survey(CleanupPass& pass);

 private:
  VoidTask ListPending(CleanupPass& pass);

  kube::Client& client_;
  HoldKeeper& holds_;
  ProgressReporter& reporter_;
  Clock& clock_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_SURVEYOR_H_
