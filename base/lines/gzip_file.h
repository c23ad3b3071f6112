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
// A compressed file has this suffix until it is complete; if the process that wrote it is gone, it
// can be deleted.
inline constexpr char kUnfinishedGzipSuffix[] = ".gz.tmp";

// Replaces the file `path` by its compression, `path`.gz, which only its owner can read. The
// compressed file is on disk under its final name before the plain file is deleted. So a process
// that dies leaves at least one of the two whole, and perhaps an unfinished file. Gives up with
// kCancelled soon after `ending` is true. After an error the plain file is unchanged, and the
// unfinished file is deleted.
absl::Status GzipFile(const std::string& path, const std::atomic<bool>& ending);

}  // namespace steward

#endif  // BASE_LINES_GZIP_FILE_H_
