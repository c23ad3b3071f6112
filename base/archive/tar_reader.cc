#include "base/archive/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

constexpr size_t kBlock = 128 << 10;

struct FreeArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

// libarchive's callbacks get a pointer to it.
struct TarReader::Impl {
  ~Impl() {
    // Freeing the reader may still call back, so the other members must exist.
    reader = nullptr;
    if (fd >= 0) close(fd);
  }

  absl::Status Start();
  bool MayGoOn();
  absl::Status PassOver();
  la_ssize_t Fill(const void** buffer);
  int64_t Skip(int64_t size);
  absl::Status Error() const;

  TarLimits limits;
  int fd = -1;
  std::string_view bytes;  // the input, if there is no file
  int64_t taken = 0;
  std::vector<char> block;
  std::unique_ptr<archive, FreeArchive> reader;
  archive_entry* entry = nullptr;
  std::atomic<bool> stopped = false;
  bool is_packed = false;
  bool any = false;      // an entry was found
  bool end = false;      // there are no more
  absl::Status outcome;  // the error that ended the reading before the end
};

absl::Status TarReader::Impl::Start() {
  reader.reset(archive_read_new());
  if (reader == nullptr) return absl::ResourceExhaustedError("there is no memory");
  archive_read_support_format_tar(reader.get());
  archive_read_support_filter_gzip(reader.get());
  archive_read_set_callback_data(reader.get(), this);
  archive_read_set_read_callback(reader.get(), [](archive*, void* self, const void** buffer) {
    return static_cast<Impl*>(self)->Fill(buffer);
  });
  archive_read_set_skip_callback(reader.get(), [](archive*, void* self, la_int64_t size) {
    return static_cast<la_int64_t>(static_cast<Impl*>(self)->Skip(size));
  });
  if (archive_read_open1(reader.get()) != ARCHIVE_OK) return Error();
  // libarchive counts the file itself as a filter, too.
  const int filters = archive_filter_count(reader.get());
  if (filters > 2) {
    return absl::InvalidArgumentError("is packed by gzip more than once, which no dump is");
  }
  is_packed = filters > 1;
  return absl::OkStatus();
}

// False after Stop and beyond the limits; then `outcome` is set.
bool TarReader::Impl::MayGoOn() {
  if (!outcome.ok()) return false;
  if (stopped) {
    outcome = absl::CancelledError("is not read on");
    return false;
  }
  const int64_t unpacked = archive_filter_bytes(reader.get(), 0);
  if (unpacked <= limits.free || unpacked / limits.ratio <= taken) return true;
  outcome = absl::ResourceExhaustedError(
      StrCat("unpacked, it is more than ", limits.ratio,
             " times as large as it is packed, which no dump is: after ", unpacked, " bytes"));
  return false;
}

// Skips the rest of the entry. In a plain tar, libarchive's Next does that without reading.
absl::Status TarReader::Impl::PassOver() {
  while (MayGoOn()) {
    if (!is_packed || entry == nullptr) return absl::OkStatus();
    const void* data = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    const int code = archive_read_data_block(reader.get(), &data, &size, &offset);
    if (code == ARCHIVE_EOF) return absl::OkStatus();
    if (code == ARCHIVE_OK || code == ARCHIVE_WARN || code == ARCHIVE_RETRY) continue;
    if (outcome.ok()) outcome = Error();
  }
  return outcome;
}

la_ssize_t TarReader::Impl::Fill(const void** buffer) {
  if (!MayGoOn()) {
    archive_set_error(reader.get(), ECANCELED, "not read on");
    return -1;
  }
  if (fd < 0) {
    const size_t size = std::min(kBlock, bytes.size());
    *buffer = bytes.data();
    bytes.remove_prefix(size);
    taken += static_cast<int64_t>(size);
    return static_cast<la_ssize_t>(size);
  }
  block.resize(kBlock);
  ssize_t size = 0;
  do {
    size = read(fd, block.data(), block.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    archive_set_error(reader.get(), errno, "it cannot be read");
    return -1;
  }
  *buffer = block.data();
  taken += size;
  return size;
}

int64_t TarReader::Impl::Skip(int64_t size) {
  if (fd < 0) return 0;
  struct stat file {};
  // If the file is cut off, there is nothing to skip behind its end.
  if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
  const off_t here = lseek(fd, 0, SEEK_CUR);
  if (here < 0) return 0;
  size = std::min<int64_t>(size, file.st_size - here);
  if (size <= 0 || lseek(fd, size, SEEK_CUR) < 0) return 0;
  taken += size;
  return size;
}

absl::Status TarReader::Impl::Error() const {
  if (!outcome.ok()) return outcome;
  const char* text = archive_error_string(reader.get());
  const std::string why = text == nullptr ? "no reason given" : text;
  if (!any && archive_filter_bytes(reader.get(), 0) <= 0) {
    return absl::InvalidArgumentError(StrCat("is no tar, plain or packed by gzip: ", why));
  }
  return absl::DataLossError(StrCat("is cut off or damaged: ", why, ", after ",
                                    std::max<int64_t>(archive_filter_bytes(reader.get(), 0), 0),
                                    " bytes"));
}

absl::StatusOr<std::unique_ptr<TarReader>> TarReader::Open(const std::string& path,
                                                           TarLimits limits) {
  auto impl = std::make_unique<Impl>();
  impl->limits = limits;
  impl->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl->fd < 0) return absl::ErrnoToStatus(errno, path);
  RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<TarReader>(new TarReader(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<TarReader>> TarReader::Over(std::string_view bytes,
                                                           TarLimits limits) {
  auto impl = std::make_unique<Impl>();
  impl->limits = limits;
  impl->bytes = bytes;
  RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<TarReader>(new TarReader(std::move(impl)));
}

TarReader::TarReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TarReader::~TarReader() = default;

absl::StatusOr<std::optional<TarEntry>> TarReader::Next() {
  RETURN_IF_ERROR(impl_->outcome);
  if (impl_->end) return std::optional<TarEntry>();
  RETURN_IF_ERROR(impl_->PassOver());
  const int code = archive_read_next_header(impl_->reader.get(), &impl_->entry);
  if (code == ARCHIVE_EOF) {
    impl_->end = true;
    return std::optional<TarEntry>();
  }
  if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
    impl_->outcome = impl_->Error();
    return impl_->outcome;
  }
  impl_->any = true;
  TarEntry entry;
  const char* path = archive_entry_pathname_utf8(impl_->entry);
  if (path == nullptr) path = archive_entry_pathname(impl_->entry);
  if (path != nullptr) entry.path = path;
  const char* linked = archive_entry_hardlink_utf8(impl_->entry);
  if (linked == nullptr) linked = archive_entry_hardlink(impl_->entry);
  if (linked != nullptr) entry.linked = linked;
  entry.is_file = archive_entry_filetype(impl_->entry) == AE_IFREG && linked == nullptr;
  entry.size = archive_entry_size(impl_->entry);
  return std::optional<TarEntry>(std::move(entry));
}

absl::Status TarReader::Read(size_t limit, std::string& content) {
  const int64_t size = archive_entry_size(impl_->entry);
  if (size < 0 || static_cast<uint64_t>(size) > limit) {
    return absl::ResourceExhaustedError(StrCat("is larger than ", limit, " bytes"));
  }
  // Reserve only, so that memory which a cut-off tar promises to fill is never touched.
  content.reserve(content.size() + static_cast<size_t>(size));
  char buffer[32 << 10];
  while (true) {
    if (!impl_->MayGoOn()) return impl_->outcome;
    const la_ssize_t got = archive_read_data(impl_->reader.get(), buffer, sizeof(buffer));
    if (got == 0) return absl::OkStatus();
    if (got == ARCHIVE_RETRY) continue;
    if (got < 0) {
      if (impl_->outcome.ok()) impl_->outcome = impl_->Error();
      return impl_->outcome;
    }
    content.append(buffer, static_cast<size_t>(got));
  }
}

void TarReader::Stop() { impl_->stopped = true; }

}  // namespace steward
