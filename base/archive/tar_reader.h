// Reading of a tar, plain or packed by gzip once, from its beginning to its end without unpacking
// it to disk. Blocks. Not thread-safe, except Stop.
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
  // The limit against gzip bombs: unpacked data beyond `free` bytes may be at most `ratio` times as
  // large as the packed data read so far. Real logs shrink to a tenth or a thirtieth.
  int64_t free = int64_t{1} << 30;
  int64_t ratio = 200;
};

struct TarEntry {
  std::string path;
  bool is_file = false;  // no folder, no link, no device
  std::string linked;    // of a hard link: the path of the file that it links to
  int64_t size = 0;
};

// Holds a few hundred kilobytes, whatever the size of the tar. Skips the content of entries that
// the caller does not Read; in a plain tar without reading it from the disk.
class TarReader {
 public:
  // kInvalidArgument if the file is no tar, or is packed twice. Other errors mean that the file
  // cannot be read, and name it.
  static absl::StatusOr<std::unique_ptr<TarReader>> Open(const std::string& path,
                                                         TarLimits limits = {});
  // `bytes` outlive the reader.
  static absl::StatusOr<std::unique_ptr<TarReader>> Over(std::string_view bytes,
                                                         TarLimits limits = {});
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // The next entry; nullopt after the last. kDataLoss when the tar is cut off or damaged,
  // kResourceExhausted beyond the limits, kCancelled after Stop. After such an error, further calls
  // return it, too.
  absl::StatusOr<std::optional<TarEntry>> Next();

  // Appends the content of the entry that Next returned; once for each entry. kResourceExhausted,
  // with nothing appended, if it has more than `limit` bytes. kDataLoss if the tar ends within it;
  // then the bytes up to there are appended. REQUIRES: Next returned an entry.
  absl::Status Read(size_t limit, std::string& content);

  // Makes Next and Read fail, also a call under way, within the time that it takes to read some
  // hundred kilobytes of the file. May be called from any thread.
  void Stop();

 private:
  struct Impl;
  explicit TarReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward

#endif  // BASE_ARCHIVE_TAR_READER_H_
