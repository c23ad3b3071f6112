// Errors with the context in which they happened. A pure function.
#ifndef BASE_STATUS_WITH_CONTEXT_H_
#define BASE_STATUS_WITH_CONTEXT_H_

#include <string_view>

#include "absl/status/status.h"

namespace steward {

// Returns the same error, with its payloads, and a message that begins with `doing`. REQUIRES:
// `status` is an error.
absl::Status WithContext(std::string_view doing, const absl::Status& status);

}  // namespace steward

#endif  // BASE_STATUS_WITH_CONTEXT_H_
