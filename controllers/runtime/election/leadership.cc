#include "controllers/runtime/election/leadership.h"

#include <algorithm>

namespace steward::controllers {

absl::Status Leadership::Check() const {
  if (IsLive()) return absl::OkStatus();
  return absl::FailedPreconditionError("this process is not the leader");
}

VoidTask UntilLost(const Leadership& leadership, Clock& clock) {
  while (true) {
    const absl::Duration remaining = leadership.Remaining();
    if (remaining <= absl::ZeroDuration()) co_return;
    co_await clock.Sleep(std::min(remaining, absl::Hours(1)));
  }
}

}  // namespace steward::controllers
