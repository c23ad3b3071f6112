#include "base/lines/gzip_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "base/splice/gzip.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace fs = std::filesystem;
namespace {

constexpr int kLevel = 6;  // gzip's own default
constexpr size_t kChunkBytes = 256 << 10;
constexpr unsigned kFileMode = 0600;

absl::Status ErrorOf(const char* action, const std::string& path) {
  return absl::ErrnoToStatus(errno, StrCat(action, " ", path));
}

// An open file, closed with this object.
class OpenedFile {
 public:
  OpenedFile(std::string path, int flags)
      : path_(std::move(path)), fd_(open(path_.c_str(), flags | O_CLOEXEC, kFileMode)) {}
  ~OpenedFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  absl::Status Opened() const {
    return fd_ >= 0 ? absl::OkStatus() : ErrorOf("cannot open", path_);
  }

  // Returns the next bytes; "" at the end of the file.
  absl::StatusOr<std::string_view> Read(std::string& buffer) const {
    ssize_t n = -1;
    do {
      n = read(fd_, buffer.data(), buffer.size());
    } while (n < 0 && errno == EINTR);
    if (n < 0) return ErrorOf("cannot read", path_);
    return std::string_view(buffer).substr(0, static_cast<size_t>(n));
  }

  absl::Status Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return ErrorOf("cannot write", path_);
      text.remove_prefix(static_cast<size_t>(n));
    }
    return absl::OkStatus();
  }

  // Returns when the content of the file, or the names in the folder, are on disk.
  absl::Status Sync() const {
    return fsync(fd_) == 0 ? absl::OkStatus() : ErrorOf("cannot write", path_);
  }

 private:
  const std::string path_;
  const int fd_;
};

absl::Status Compress(const OpenedFile& from, const OpenedFile& to,
                      const std::atomic<bool>& ending) {
  std::string buffer(kChunkBytes, '\0');
  std::string out;
  AppendGzipHeader(out);
  uint32_t crc = 0;
  uint64_t size = 0;
  while (true) {
    if (ending.load()) return absl::CancelledError("the process ends");
    ASSIGN_OR_RETURN(const std::string_view text, from.Read(buffer));
    if (text.empty()) break;
    AppendDeflated(text, kLevel, out);
    crc = ExtendCrc(crc, text);
    size += text.size();
    RETURN_IF_ERROR(to.Write(out));
    out.clear();
  }
  AppendGzipTrailer(crc, size, out);
  RETURN_IF_ERROR(to.Write(out));
  return to.Sync();
}

absl::Status SyncFolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const OpenedFile opened(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
  RETURN_IF_ERROR(opened.Opened());
  return opened.Sync();
}

}  // namespace

absl::Status GzipFile(const std::string& path, const std::atomic<bool>& ending) {
  const std::string unfinished = StrCat(path, kUnfinishedGzipSuffix);
  const std::string finished = StrCat(path, kGzipSuffix);
  const OpenedFile from(path, O_RDONLY);
  RETURN_IF_ERROR(from.Opened());
  absl::Cleanup remove = [&unfinished] { unlink(unfinished.c_str()); };
  {
    const OpenedFile to(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    RETURN_IF_ERROR(to.Opened());
    RETURN_IF_ERROR(Compress(from, to, ending));
  }
  if (rename(unfinished.c_str(), finished.c_str()) != 0)
    return ErrorOf("cannot rename", unfinished);
  std::move(remove).Cancel();
  RETURN_IF_ERROR(SyncFolderOf(path));
  return unlink(path.c_str()) == 0 ? absl::OkStatus() : ErrorOf("cannot remove", path);
}

}  // namespace steward
