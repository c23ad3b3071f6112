// Durations on command lines, as Go's flag package has them.
#ifndef BASE_FLAGS_DURATION_H_
#define BASE_FLAGS_DURATION_H_

#include <string>

#include "absl/time/time.h"

namespace steward {

// Reads "10s" or "1m30s" into `out`. What is wrong (no duration, endless, negative), or "", as
// CLI11's checks say it; `out` is as it was then.
std::string ReadDuration(const std::string& text, absl::Duration& out);

// Without the zero parts: "1m", "10s", "0s".
std::string DurationText(absl::Duration duration);

}  // namespace steward

#endif  // BASE_FLAGS_DURATION_H_
