// Tells what a pass over a ClusterServiceVersion found.
#ifndef CONTROLLERS_CLEANUP_PASS_REPORTER_H_
#define CONTROLLERS_CLEANUP_PASS_REPORTER_H_

#include <boost/asio/awaitable.hpp>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/cleanup/reporting/progress_reporter.h"

namespace steward::controllers {

// Lives on one executor; calls about different ClusterServiceVersions may overlap.
class PassReporter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  PassReporter(ProgressReporter& reporter, Clock& clock) : reporter_(reporter), clock_(clock) {}

  // Says in the status that custom resources are being deleted, unless that stands there: it is to
  // be seen before the first DELETE is sent, also by a process that finds no record any more
  // (olm::MayHaveSent). False when the object changed meanwhile: look again.
  Task<bool> Announce(CleanupPass& pass);
  // Tells the report of `pass`. When to look again: `next`, or sooner when there is more to say.
  boost::asio::awaitable<absl::Duration> Tell(CleanupPass& pass, absl::Duration next);

 private:
  void Judge(CleanupPass& pass) const;

  ProgressReporter& reporter_;
  Clock& clock_;
};

// What `listing` has, into the report.
void Count(const OperandListing& listing, CleanupReport& report);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_PASS_REPORTER_H_
