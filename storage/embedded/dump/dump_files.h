// The files of a dump, one after the other: those below a folder, or in a tar that is not unpacked.
// Not thread-safe but for Stop; blocks.
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
  std::string path;  // with the folder that was given, or as the tar says
  std::optional<DumpPlace> place;
  std::string text;
  absl::Status trouble;  // kDataLoss: `text` is what could be read of it; else there is none
};

// Bounds what hostile dumps cost: files by bytes and number, folders by their depth, in a tar, too.
// Links are not followed; a hard link in a tar is a file that cannot be read.
class DumpFiles {
 public:
  static constexpr size_t kMaxFile = 64 << 20;
  static constexpr size_t kMaxFiles = 2'000'000;
  static constexpr size_t kMaxDepth = 64;  // of folders
  static constexpr size_t kMaxPath = 4096;

  // kNotFound when there is no such file or folder; kInvalidArgument for a file that is no tar.
  static absl::StatusOr<std::unique_ptr<DumpFiles>> Open(const std::string& path);

  // Some of the next files, of a mebibyte together unless one is larger; none at the end. Names are
  // sorted in a folder, and as they come in a tar; a folder that cannot be read counts as a file
  // that cannot. Errors are of the whole: kDataLoss for a tar that is cut off or damaged,
  // kResourceExhausted for what is too much, kCancelled after Stop. After one it is over.
  absl::StatusOr<std::vector<DumpFile>> Next();
  // Ends Next soon, also one that is under way. From any thread.
  void Stop();
  ~DumpFiles();

 private:
  struct Folder;  // one whose names are being gone through

  DumpFiles() = default;
  absl::StatusOr<std::optional<DumpFile>> NextFile();
  absl::StatusOr<std::optional<DumpFile>> NextBelow();
  absl::StatusOr<std::optional<DumpFile>> NextInTar();
  absl::Status Enter(const std::string& path);
  DumpFile NewFile(std::string path, std::string_view below);

  std::string root_;
  std::vector<std::unique_ptr<Folder>> folders_;
  std::unique_ptr<TarReader> tar_;  // null: a folder
  std::atomic<bool> stopped_ = false;
  size_t count_ = 0;   // of the files so far
  absl::Status over_;  // returned by the next call
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_FILES_H_
