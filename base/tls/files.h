// Reading and writing of certificate and key files. Thread-safe, except that no two calls may
// replace the same file at a time.
#ifndef BASE_TLS_FILES_H_
#define BASE_TLS_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

// The whole content. Errors name the path: kNotFound and others; kInvalidArgument above 1 MiB.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// kSynced: the content must survive a loss of power. The caller must sync the folder itself.
enum class Durability { kNone, kSynced };

// Replaces `path` in one step by a file that has exactly this mode from its first moment.
absl::Status ReplaceFile(const std::string& path, std::string_view content, unsigned mode,
                         Durability durability = Durability::kNone);

}  // namespace steward

#endif  // BASE_TLS_FILES_H_
