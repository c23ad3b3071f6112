// Reading and writing certificate and key files.
#ifndef BASE_TLS_FILES_H_
#define BASE_TLS_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

// The whole content; kNotFound or another error naming the path; kInvalidArgument above 1 MiB.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// Whether what is written must survive a loss of power. The folder's entry is the caller's to sync.
enum class Durability { kNone, kSynced };

// Replaces `path` in one step by a file with exactly this mode from its first moment.
absl::Status ReplaceFile(const std::string& path, std::string_view content, unsigned mode,
                         Durability durability = Durability::kNone);

}  // namespace steward

#endif  // BASE_TLS_FILES_H_
