// Durations on command lines, in the notation of Go's flag package. Pure functions.
#ifndef BASE_FLAGS_DURATION_H_
#define BASE_FLAGS_DURATION_H_

#include <string>

#include "absl/time/time.h"

namespace steward {

// Parses "10s" or "1m30s" into `out`. Returns "" if that worked. For no duration, an infinite one
// or a negative one, returns an error text, as CLI11's checks do, and leaves `out` alone.
std::string ReadDuration(const std::string& text, absl::Duration& out);

// The duration without its zero parts: "1m", "10s", "0s".
std::string DurationText(absl::Duration duration);

}  // namespace steward

#endif  // BASE_FLAGS_DURATION_H_
