// Detects whether a cleanup makes progress, and if not, why. Not thread-safe.
#ifndef CONTROLLERS_CLEANUP_REPORTING_STALL_DETECTOR_H_
#define CONTROLLERS_CLEANUP_REPORTING_STALL_DETECTOR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/metrics.h"

namespace steward::controllers {

inline constexpr char kNoProgress[] = "NoProgress";
inline constexpr char kOperandsRecreated[] = "OperandsRecreated";
inline constexpr char kDeletionDenied[] = "DeletionDenied";
inline constexpr char kOperatorReportsFailure[] = "OperatorReportsFailure";

struct Stall {
  std::string reason;  // "" = the cleanup makes progress
  std::string message;
  bool operator==(const Stall&) const = default;
};

// The findings of one pass.
struct StallView {
  std::vector<OldestOperand> oldest;
  std::string reported;  // the operator's reason why it cannot finish; "" = none
  std::string unknown;   // why nothing can be decided; "" = the verdict is known
};

// Follows the cleanup of one ClusterServiceVersion through its passes. Times are monotonic and are
// arguments, so there is no I/O and no clock.
class StallDetector {
 public:
  // `since`: the last time at which there may have been progress.
  StallDetector(absl::Duration timeout, absl::Duration since)
      : timeout_(timeout), progressed_(since) {}

  // Notes a complete listing. Returns true when it has fewer pending operands than the previous
  // one.
  bool NoteListing(size_t pending, absl::Duration now);
  // Notes that a DELETE was accepted.
  void NoteProgress(absl::Duration now) { progressed_ = now; }
  // Notes a round that has ended.
  void NoteRound(const DeletionRound& round, absl::Duration now);
  // Notes the reason why a step failed.
  void NoteFailure(std::string why) { failure_ = std::move(why); }

  Stall Judge(const StallView& view, absl::Duration now) const;

  // The time at which the cleanup is stalled unless there is progress before.
  absl::Duration deadline() const { return progressed_ + timeout_; }
  // The number of accepted DELETEs.
  size_t deleted() const { return deleted_; }

 private:
  bool Refills() const;

  absl::Duration timeout_;
  absl::Duration progressed_;
  std::optional<size_t> pending_;
  size_t most_pending_ = 0;  // the largest number in one listing
  size_t deleted_ = 0;
  size_t recreated_ = 0;    // left alone by the last round
  std::string left_alone_;  // one name that was left alone
  std::string denial_;      // the cluster's message about a DELETE that it refused
  std::string failure_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_STALL_DETECTOR_H_
