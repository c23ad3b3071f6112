#include "base/lines/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/lines/gzip_file.h"
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
      options_(std::move(options)),
      clock_(clock) {
  if (options_.compress) tidying_.emplace();
}

RotatingFile::~RotatingFile() {
  ending_.store(true);
  tidying_.reset();
  CloseFile();
}

absl::StatusOr<std::unique_ptr<RotatingFile>> RotatingFile::Open(std::string path,
                                                                 RotationOptions options,
                                                                 Clock& clock) {
  std::unique_ptr<RotatingFile> file(new RotatingFile(std::move(path), std::move(options), clock));
  RETURN_IF_ERROR(file->OpenFile());
  file->RemoveUnfinished();
  file->TidyUp();
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
  // Take a later millisecond if the name is taken, so that no backup replaces another.
  for (absl::Time time = clock_.Now();; time += absl::Milliseconds(1)) {
    backup = folder / BackupName(time);
    if (!fs::exists(backup, error) && !fs::exists(backup.string() + kGzipSuffix, error)) break;
  }
  CloseFile();
  if (rename(path_.c_str(), backup.c_str()) != 0) return ErrorOf("cannot set aside", path_);
  TidyUp();
  return OpenFile();
}

std::optional<absl::Time> RotatingFile::TimeIn(const std::string& name,
                                               const std::string& suffix) const {
  if (name.size() <= stem_.size() + suffix.size() || !name.starts_with(stem_) ||
      !name.ends_with(suffix)) {
    return std::nullopt;
  }
  const std::string text = name.substr(stem_.size(), name.size() - stem_.size() - suffix.size());
  absl::Time time;
  if (!absl::ParseTime(kTimeFormat, text, absl::UTCTimeZone(), &time, nullptr)) return std::nullopt;
  return time;
}

std::vector<fs::path> RotatingFile::FilesBeside() const {
  const fs::path folder = fs::path(path_).parent_path();
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator next(folder.empty() ? "." : folder, error), end;
       !error && next != end; next.increment(error)) {
    files.push_back(next->path());
  }
  return files;
}

RotatingFile::Backups RotatingFile::FindBackups() const {
  const std::string compressed = StrCat(extension_, kGzipSuffix);
  Backups backups;
  for (fs::path& path : FilesBeside()) {
    const std::string name = path.filename().string();
    // Try the longer suffix first, because the extension may be ".gz", too.
    if (const auto time = TimeIn(name, compressed)) {
      backups[*time].compressed = std::move(path);
    } else if (const auto plain_time = TimeIn(name, extension_)) {
      backups[*plain_time].plain = std::move(path);
    }
  }
  return backups;
}

void RotatingFile::RemoveUnfinished() const {
  const std::string unfinished = StrCat(extension_, kUnfinishedGzipSuffix);
  std::error_code ignored;
  for (const fs::path& path : FilesBeside()) {
    if (TimeIn(path.filename().string(), unfinished)) fs::remove(path, ignored);
  }
}

void RotatingFile::TidyUp() {
  const absl::Time now = clock_.Now();
  if (!tidying_) return RemoveOldBackups(now);
  boost::asio::post(tidying_->executor(), [this, now] {
    RemoveOldBackups(now);
    CompressBackups();
  });
}

void RotatingFile::RemoveOldBackups(absl::Time now) const {
  const absl::Time oldest =
      options_.max_age > absl::ZeroDuration() ? now - options_.max_age : absl::InfinitePast();
  std::error_code ignored;
  int kept = 0;
  for (const auto& [time, backup] : FindBackups()) {
    const bool one_too_many = options_.max_backups > 0 && kept >= options_.max_backups;
    ++kept;
    if (!one_too_many && time >= oldest) continue;
    for (const fs::path& path : {backup.plain, backup.compressed}) {
      if (!path.empty()) fs::remove(path, ignored);
    }
  }
}

void RotatingFile::CompressBackups() const {
  for (const auto& [time, backup] : FindBackups()) {
    if (backup.plain.empty()) continue;
    const absl::Status compressed = GzipFile(backup.plain.string(), ending_);
    if (ending_.load()) return;
    if (!compressed.ok()) options_.not_compressed(compressed);
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
      // If this fails, nothing more can be done about a torn line.
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
