#include "base/tls/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text/str_cat.h"

namespace steward {
namespace {

constexpr size_t kLimit = 1 << 20;

absl::Status ErrnoStatus(int error, std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(error, StrCat(what, " ", path));
}

// A descriptor that is closed on destruction.
struct File {
  explicit File(int descriptor) : fd(descriptor) {}
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd;
};

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "writing", path);
    content.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) return ErrnoStatus(errno, "opening", path);
  std::string content;
  char buffer[8192];
  while (true) {
    const ssize_t n = ::read(file.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "reading", path);
    if (n == 0) return content;
    content.append(buffer, static_cast<size_t>(n));
    if (content.size() > kLimit)
      return absl::InvalidArgumentError(StrCat(path, " is larger than 1 MiB"));
  }
}

absl::Status ReplaceFile(const std::string& path, std::string_view content, unsigned mode,
                         Durability durability) {
  const std::string temporary = StrCat(path, ".", ::getpid(), ".tmp");
  ::unlink(temporary.c_str());
  absl::Status status;
  {
    File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.fd < 0) return ErrnoStatus(errno, "creating", temporary);
    status = WriteAll(file.fd, content, temporary);
    // The umask may have removed bits from the mode.
    if (status.ok() && ::fchmod(file.fd, mode) != 0)
      status = ErrnoStatus(errno, "setting the mode of", temporary);
    if (status.ok() && durability == Durability::kSynced && ::fsync(file.fd) != 0)
      status = ErrnoStatus(errno, "writing", temporary);
  }
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
    status = ErrnoStatus(errno, "renaming to", path);
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace steward
