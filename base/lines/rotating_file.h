// A file of lines that becomes a backup when it is full. Used by one thread at a time.
#ifndef BASE_LINES_ROTATING_FILE_H_
#define BASE_LINES_ROTATING_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/lines/line_sink.h"

namespace steward {

struct RotationOptions {
  uint64_t max_bytes = 100 << 20;  // of one file
  int max_backups = 0;             // files kept besides the one in use; 0 = all
  absl::Duration max_age;          // of a backup, by the time in its name; 0 = unlimited
};

// Appends to a file that only its owner can read. Before it would grow beyond max_bytes it becomes
// a backup, named after the time (audit.log: audit-2006-01-02T15-04-05.000.log), as the
// kube-apiserver's audit log does; a device or a pipe never does. An error leaves no torn line
// behind, and the next write opens the file anew: a disk that was full may have room again.
class RotatingFile : public LineSink {
 public:
  // Creates the file, and its folder. `clock` outlives this object.
  static absl::StatusOr<std::unique_ptr<RotatingFile>> Open(std::string path,
                                                            RotationOptions options, Clock& clock);
  ~RotatingFile() override;

  absl::Status Write(std::string_view lines) override;

 private:
  RotatingFile(std::string path, RotationOptions options, Clock& clock);
  absl::Status OpenFile();
  void CloseFile();
  absl::Status SetAside();
  void RemoveOldBackups() const;
  std::string BackupName(absl::Time time) const;

  const std::string path_;
  const std::string stem_;       // of the backups' names: "audit-"
  const std::string extension_;  // ".log", or ""
  const RotationOptions options_;
  Clock& clock_;
  int fd_ = -1;
  uint64_t size_ = 0;
  bool regular_ = true;
};

}  // namespace steward

#endif  // BASE_LINES_ROTATING_FILE_H_
