// The compression of files that nobody writes to any more. Functions; one thread at a time for each
// file.
#ifndef BASE_LINES_GZIP_FILE_H_
#define BASE_LINES_GZIP_FILE_H_

#include <atomic>
#include <string>

#include "absl/status/status.h"

namespace steward {

// A compressed file is named after the plain one.
inline constexpr char kGzipSuffix[] = ".gz";
// A compressed file has this suffix until it is complete; nobody needs it once its process is gone.
inline constexpr char kUnfinishedGzipSuffix[] = ".gz.tmp";

// Replaces the file `path` by its compression, `path`.gz, which only its owner can read. The
// compression is on disk under its name before the plain file goes: a process that dies leaves one
// of the two whole, and perhaps an unfinished file besides. Gives up with kCancelled soon after
// `ending` is true. After an error the plain file is as it was and there is no unfinished one.
absl::Status GzipFile(const std::string& path, const std::atomic<bool>& ending);

}  // namespace steward

#endif  // BASE_LINES_GZIP_FILE_H_
