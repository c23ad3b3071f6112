// A file of lines that becomes a backup when it is full. Used by one thread at a time.
#ifndef BASE_LINES_ROTATING_FILE_H_
#define BASE_LINES_ROTATING_FILE_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/own_thread.h"
#include "base/clock/clock.h"
#include "base/lines/line_sink.h"

namespace steward {

struct RotationOptions {
  uint64_t max_bytes = 100 << 20;  // of one file
  int max_backups = 0;             // files kept besides the current one; 0 = all
  absl::Duration max_age;          // of a backup, by the time in its name; 0 = unlimited
  bool compress = false;           // makes backups gzip files, with the suffix ".gz"
  // Called, on any thread, when a backup could not be compressed. The backup stays plain, and is
  // tried again together with the next backup.
  std::function<void(const absl::Status&)> not_compressed = [](const absl::Status&) {};
};

// Appends to a file that only its owner can read. Before the file would grow beyond max_bytes, it
// becomes a backup whose name has the time (audit.log: audit-2006-01-02T15-04-05.000.log), as the
// kube-apiserver's audit log does. A device or a pipe never becomes a backup. An error leaves no
// torn line behind, and the next write opens the file again, because a full disk may have room by
// then.
//
// Backups are compressed on a thread of their own, so no write waits for that. A process that dies
// meanwhile leaves a plain backup, which the next process compresses.
class RotatingFile : public LineSink {
 public:
  // Creates the file, and its folder. `clock` outlives this object.
  static absl::StatusOr<std::unique_ptr<RotatingFile>> Open(std::string path,
                                                            RotationOptions options, Clock& clock);
  // Does not wait until backups are compressed.
  ~RotatingFile() override;

  absl::Status Write(std::string_view lines) override;

 private:
  RotatingFile(std::string path, RotationOptions options, Clock& clock);
  absl::Status OpenFile();
  void CloseFile();
  absl::Status SetAside();
  std::string BackupName(absl::Time time) const;

  // The files of one backup, "" for a file that does not exist. Both exist for a moment, when the
  // compressed file has just become complete.
  struct Backup {
    std::filesystem::path plain;
    std::filesystem::path compressed;
  };
  using Backups = std::map<absl::Time, Backup, std::greater<>>;  // the newest one first

  // The time in the name of a backup whose name ends with `suffix`; nothing for other files.
  std::optional<absl::Time> TimeIn(const std::string& name, const std::string& suffix) const;
  std::vector<std::filesystem::path> FilesBeside() const;
  Backups FindBackups() const;
  void RemoveUnfinished() const;
  // Removes old backups and compresses the others, on the thread `tidying_` if there is one.
  void TidyUp();
  void RemoveOldBackups(absl::Time now) const;
  void CompressBackups() const;

  const std::string path_;
  const std::string stem_;       // of the backups' names: "audit-"
  const std::string extension_;  // ".log", or ""
  const RotationOptions options_;
  Clock& clock_;
  int fd_ = -1;
  uint64_t size_ = 0;
  bool regular_ = true;
  std::atomic<bool> ending_{false};
  std::optional<OwnThread> tidying_;  // nullopt: backups are not compressed
};

}  // namespace steward

#endif  // BASE_LINES_ROTATING_FILE_H_
