// Tells whether a cleanup makes progress, and if not, why.
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
  std::string reason;  // "" = the cleanup goes on
  std::string message;
  bool operator==(const Stall&) const = default;
};

// What one pass sees.
struct StallView {
  std::vector<OldestOperand> oldest;
  std::string reported;  // why the operator says that it cannot finish; "" = it says nothing
  std::string unknown;   // why nothing can be decided; "" = it can
};

// The cleanup of one ClusterServiceVersion, as its passes saw it. Times are monotonic and come in
// as arguments: no I/O, no clock. Not thread-safe.
class StallDetector {
 public:
  // `since`: the last progress that may have been.
  StallDetector(absl::Duration timeout, absl::Duration since)
      : timeout_(timeout), progressed_(since) {}

  // A complete listing. True when it shows fewer than the one before.
  bool NoteListing(size_t pending, absl::Duration now);
  // A DELETE was accepted.
  void NoteProgress(absl::Duration now) { progressed_ = now; }
  // A round that has ended.
  void NoteRound(const DeletionRound& round, absl::Duration now);
  // Why a step failed.
  void NoteFailure(std::string why) { failure_ = std::move(why); }

  Stall Judge(const StallView& view, absl::Duration now) const;

  // When it stalls unless there is progress before.
  absl::Duration deadline() const { return progressed_ + timeout_; }
  // DELETEs that were accepted.
  size_t deleted() const { return deleted_; }

 private:
  bool Refills() const;

  absl::Duration timeout_;
  absl::Duration progressed_;
  std::optional<size_t> pending_;
  size_t most_pending_ = 0;  // at one time
  size_t deleted_ = 0;
  size_t recreated_ = 0;    // left alone by the last round
  std::string left_alone_;  // one of them
  std::string denial_;      // what the cluster said of a DELETE that it refused
  std::string failure_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_STALL_DETECTOR_H_
