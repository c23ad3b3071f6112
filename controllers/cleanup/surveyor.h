// Finds out what a cleanup waits for and what it holds.
#ifndef CONTROLLERS_CLEANUP_SURVEYOR_H_
#define CONTROLLERS_CLEANUP_SURVEYOR_H_

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Lives on one executor; calls about different ClusterServiceVersions may overlap.
class Surveyor {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Surveyor(kube::Client& client, HoldKeeper& holds, ProgressReporter& reporter, Clock& clock)
      : client_(client), holds_(holds), reporter_(reporter), clock_(clock) {}

  // Fills in `listing`, where something may have been deleted, `holds` and what `report` says of
  // both; neither where nothing could be done with it. Adds holds that are missing while custom
  // resources are waited for.
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
