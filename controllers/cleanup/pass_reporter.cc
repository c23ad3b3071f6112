#include "controllers/cleanup/pass_reporter.h"

namespace steward::controllers {

Task<bool> PassReporter::Announce(CleanupPass& pass) {
  if (pass.csv().said_waiting) co_return true;
  Judge(pass);
  pass.told = true;
  co_return co_await reporter_.Announce(pass.csv(), pass.guards.csv, pass.report,
                                        pass.memory.status_written);
}

boost::asio::awaitable<absl::Duration> PassReporter::Tell(CleanupPass& pass, absl::Duration next) {
  Judge(pass);
  pass.told = true;
  co_return co_await reporter_.Tell(pass.csv(), pass.guards.csv, pass.report,
                                    pass.memory.status_written, next);
}

void PassReporter::Judge(CleanupPass& pass) const {
  CleanupReport& report = pass.report;
  report.stall =
      pass.memory.stall.Judge({report.oldest, report.reported, report.unknown}, clock_.Monotonic());
}

void Count(const OperandListing& listing, CleanupReport& report) {
  report.pending = PendingOf(listing);
  report.pending_count = listing.custom_resources();
  report.definitions = listing.terminating_crds.size();
  report.pending_kinds = PendingKindsOf(listing);
  report.oldest = OldestOf(listing);
}

}  // namespace steward::controllers
