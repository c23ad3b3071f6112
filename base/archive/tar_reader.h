// A tar, plain or packed by gzip once, read from its beginning to its end without unpacking it. Not
// thread-safe but for Stop; blocks.
#ifndef BASE_ARCHIVE_TAR_READER_H_
#define BASE_ARCHIVE_TAR_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

struct TarLimits {
  // Beyond `free` bytes, the unpacked data may be at most `ratio` times as large as the data read
  // for it. Logs are packed to a tenth, or a thirtieth.
  int64_t free = int64_t{1} << 30;
  int64_t ratio = 200;
};

struct TarEntry {
  std::string path;
  bool is_file = false;  // no folder, no link, no device
  std::string linked;    // of a hard link, the path of the file it stands for
  int64_t size = 0;
};

// Holds a few hundred kilobytes, whatever the size of the tar. Parts that are not read are passed
// over, in a plain tar without reading them.
class TarReader {
 public:
  // kInvalidArgument for what is no tar, or is packed twice; other errors name the file, which
  // cannot be read.
  static absl::StatusOr<std::unique_ptr<TarReader>> Open(const std::string& path,
                                                         TarLimits limits = {});
  // `bytes` outlive the reader.
  static absl::StatusOr<std::unique_ptr<TarReader>> Over(std::string_view bytes,
                                                         TarLimits limits = {});
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // The next entry; nullopt after the last. kDataLoss when the tar is cut off or damaged,
  // kResourceExhausted beyond the limits, kCancelled after Stop; after these it is over.
  absl::StatusOr<std::optional<TarEntry>> Next();

  // Appends the content of the entry, which is read once. kResourceExhausted, with nothing
  // appended, for one of more than `limit` bytes; kDataLoss where it is cut off, with what there
  // is. REQUIRES: Next returned one.
  absl::Status Read(size_t limit, std::string& content);

  // Ends Next and Read, also one that is under way, within the time that some hundred kilobytes of
  // the file take. From any thread.
  void Stop();

 private:
  struct Impl;
  explicit TarReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward

#endif  // BASE_ARCHIVE_TAR_READER_H_
