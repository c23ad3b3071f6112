// The reporter of a pass over a ClusterServiceVersion. Lives on one executor.
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

// Calls about different ClusterServiceVersions may overlap.
class PassReporter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  PassReporter(ProgressReporter& reporter, Clock& clock) : reporter_(reporter), clock_(clock) {}

  // Writes into the status that custom resources are being deleted, unless it says so: it must be
  // visible before the first DELETE is sent, also to a process that finds no record any more
  // (olm::MayHaveSent). Returns false when the object changed meanwhile, so that the caller looks
  // again.
  Task<bool> Announce(CleanupPass& pass);
  // Reports `pass`. Returns the time until the next look: `next`, or less when there is more to
  // report.
  boost::asio::awaitable<absl::Duration> Tell(CleanupPass& pass, absl::Duration next);

 private:
  void Judge(CleanupPass& pass) const;

  ProgressReporter& reporter_;
  Clock& clock_;
};

// Adds the counts of `listing` to the report.
void Count(const OperandListing& listing, CleanupReport& report);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_PASS_REPORTER_H_
