#include "base/lines/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace fs = std::filesystem;
namespace {

constexpr char kTimeFormat[] = "%Y-%m-%dT%H-%M-%E3S";
constexpr unsigned kFileMode = 0600;

absl::Status ErrorOf(const char* action, const std::string& path) {
  return absl::ErrnoToStatus(errno, StrCat(action, " ", path));
}

}  // namespace

RotatingFile::RotatingFile(std::string path, RotationOptions options, Clock& clock)
    : path_(std::move(path)),
      stem_(StrCat(fs::path(path_).stem().string(), "-")),
      extension_(fs::path(path_).extension().string()),
      options_(options),
      clock_(clock) {}

RotatingFile::~RotatingFile() { CloseFile(); }

absl::StatusOr<std::unique_ptr<RotatingFile>> RotatingFile::Open(std::string path,
                                                                 RotationOptions options,
                                                                 Clock& clock) {
  std::unique_ptr<RotatingFile> file(new RotatingFile(std::move(path), options, clock));
  RETURN_IF_ERROR(file->OpenFile());
  file->RemoveOldBackups();
  return file;
}

absl::Status RotatingFile::OpenFile() {
  std::error_code ignored;  // open reports it better
  fs::create_directories(fs::path(path_).parent_path(), ignored);
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kFileMode);
  if (fd_ < 0) return ErrorOf("cannot open", path_);
  struct stat info {};
  const bool known = fstat(fd_, &info) == 0;
  size_ = known ? static_cast<uint64_t>(info.st_size) : 0;
  regular_ = known && S_ISREG(info.st_mode);
  return absl::OkStatus();
}

void RotatingFile::CloseFile() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::string RotatingFile::BackupName(absl::Time time) const {
  return StrCat(stem_, absl::FormatTime(kTimeFormat, time, absl::UTCTimeZone()), extension_);
}

absl::Status RotatingFile::SetAside() {
  const fs::path folder = fs::path(path_).parent_path();
  fs::path backup;
  std::error_code error;
  // Backups made within the same millisecond do not replace each other.
  for (absl::Time time = clock_.Now();; time += absl::Milliseconds(1)) {
    backup = folder / BackupName(time);
    if (!fs::exists(backup, error)) break;
  }
  CloseFile();
  if (rename(path_.c_str(), backup.c_str()) != 0) return ErrorOf("cannot set aside", path_);
  RemoveOldBackups();
  return OpenFile();
}

void RotatingFile::RemoveOldBackups() const {
  std::error_code error;
  std::vector<std::pair<absl::Time, fs::path>> backups;
  const fs::path folder = fs::path(path_).parent_path();
  const fs::path listed = folder.empty() ? fs::path(".") : folder;
  for (fs::directory_iterator next(listed, error), end; !error && next != end;
       next.increment(error)) {
    const std::string name = next->path().filename().string();
    if (name.size() <= stem_.size() + extension_.size() || !name.starts_with(stem_) ||
        !name.ends_with(extension_)) {
      continue;
    }
    const std::string text =
        name.substr(stem_.size(), name.size() - stem_.size() - extension_.size());
    absl::Time time;
    if (absl::ParseTime(kTimeFormat, text, absl::UTCTimeZone(), &time, nullptr)) {
      backups.emplace_back(time, next->path());
    }
  }
  std::sort(backups.begin(), backups.end(), std::greater<>());
  const absl::Time oldest = options_.max_age > absl::ZeroDuration()
                                ? clock_.Now() - options_.max_age
                                : absl::InfinitePast();
  for (size_t i = 0; i < backups.size(); ++i) {
    const bool one_too_many =
        options_.max_backups > 0 && i >= static_cast<size_t>(options_.max_backups);
    if (one_too_many || backups[i].first < oldest) fs::remove(backups[i].second, error);
  }
}

absl::Status RotatingFile::Write(std::string_view lines) {
  if (fd_ < 0) RETURN_IF_ERROR(OpenFile());
  const bool full = size_ > 0 && size_ + lines.size() > options_.max_bytes;
  if (full && regular_) RETURN_IF_ERROR(SetAside());
  size_t written = 0;
  while (written < lines.size()) {
    const ssize_t n = write(fd_, lines.data() + written, lines.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const absl::Status error = ErrorOf("cannot write", path_);
      // No more than this can be done about a torn line.
      if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) errno = 0;
      CloseFile();
      return error;
    }
    written += static_cast<size_t>(n);
  }
  size_ += lines.size();
  return absl::OkStatus();
}

}  // namespace steward
