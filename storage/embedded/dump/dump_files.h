// Reads the files of a dump one after the other, from a folder or from a tar (without unpacking
// it). Not thread-safe but for Stop; blocks.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_FILES_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_FILES_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/archive/tar_reader.h"
#include "storage/embedded/dump/dump_layout.h"

namespace steward::storage {

struct DumpFile {
  std::string path;  // includes the path given to Open; in a tar, the entry's name
  std::optional<DumpPlace> place;
  std::string text;
  absl::Status trouble;  // kDataLoss: `text` is what could be read; other errors: `text` is empty
};

// Bounds the cost of hostile dumps: the bytes and the number of files, and the depth of folders,
// also in a tar. Does not follow links. A hard link in a tar is returned as a file with trouble.
class DumpFiles {
 public:
  static constexpr size_t kMaxFile = 64 << 20;
  static constexpr size_t kMaxFiles = 2'000'000;
  static constexpr size_t kMaxDepth = 64;  // of folders
  static constexpr size_t kMaxPath = 4096;

  // kNotFound when there is no such file or folder; kInvalidArgument for a file that is no tar.
  static absl::StatusOr<std::unique_ptr<DumpFiles>> Open(const std::string& path);

  // Returns the next files, of about one mebibyte together unless a file is larger; none at the
  // end. A folder's files come sorted by name, a tar's in its order. A folder that cannot be read
  // is returned as a file with trouble. Errors concern the whole dump: kDataLoss for a tar that is
  // cut off or damaged, kResourceExhausted for too many files, kCancelled after Stop. After an
  // error, all calls return it.
  absl::StatusOr<std::vector<DumpFile>> Next();
  // Makes Next fail soon, also a call that is under way. May be called on any thread.
  void Stop();
  ~DumpFiles();

 private:
  struct Folder;  // a folder that is being read, and its files' names

  DumpFiles() = default;
  absl::StatusOr<std::optional<DumpFile>> NextFile();
  absl::StatusOr<std::optional<DumpFile>> NextBelow();
  absl::StatusOr<std::optional<DumpFile>> NextInTar();
  absl::Status Enter(const std::string& path);
  DumpFile NewFile(std::string path, std::string_view below);

  std::string root_;
  std::vector<std::unique_ptr<Folder>> folders_;
  std::unique_ptr<TarReader> tar_;  // null: the dump is a folder
  std::atomic<bool> stopped_ = false;
  size_t count_ = 0;   // files so far
  absl::Status over_;  // an error that later calls return
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_FILES_H_
