#include "storage/embedded/testing/faulty_disk.h"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <sstream>
#include <utility>

#include "base/sync/mutex.h"

namespace steward::storage {
namespace {

constexpr char kDatabase[] = "/steward.db";
constexpr char kLog[] = "/steward.db-wal";

std::string ReadAll(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

struct FaultyDisk::Impl {
  // Counts one operation; returns true if it fails.
  bool Fails(Operation operation) {
    MutexLock hold(&mutex);
    const bool counts = power_cut ? (dead || operation != Operation::kRead) : operation == failing;
    if (left == 0 || !counts) return false;
    if (left > 1) {
      --left;
      return false;
    }
    // The countdown has reached this operation. A lasting fault stays for those after it.
    if (!lasting) left = 0;
    dead = power_cut;
    ++failures;
    return true;
  }

  void Start(bool cut, Operation operation, int nth, bool stays) {
    MutexLock hold(&mutex);
    power_cut = cut;
    failing = operation;
    left = nth;
    lasting = stays;
    dead = false;
    failures = 0;
  }

  void Synced(const std::string& path) {
    std::string bytes = ReadAll(path);
    MutexLock hold(&mutex);
    synced[path] = std::move(bytes);
  }

  // The present content of a file that is opened counts as synced.
  void Opened(const std::string& path) {
    std::string bytes = ReadAll(path);
    MutexLock hold(&mutex);
    synced.emplace(path, std::move(bytes));
  }

  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;

  mutable Mutex mutex;
  bool power_cut ABSL_GUARDED_BY(mutex) = false;
  Operation failing ABSL_GUARDED_BY(mutex) = Operation::kRead;
  int left ABSL_GUARDED_BY(mutex) = 0;  // operations up to the failing one; 0 = none will fail
  bool lasting ABSL_GUARDED_BY(mutex) = false;
  bool dead ABSL_GUARDED_BY(mutex) = false;
  int failures ABSL_GUARDED_BY(mutex) = 0;
  std::map<std::string, std::string> synced ABSL_GUARDED_BY(mutex);  // contents by path
};

namespace {

// An open file, followed in the same memory by SQLite's own.
struct File {
  sqlite3_file base;
  FaultyDisk::Impl* disk;
  sqlite3_file* real;
  // Empty for files that never fail.
  char path[512];
};

File* Of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return Of(file)->real; }

bool Fails(sqlite3_file* file, FaultyDisk::Operation operation) {
  return Of(file)->path[0] != '\0' && Of(file)->disk->Fails(operation);
}

int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }

int Read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  if (Fails(file, FaultyDisk::Operation::kRead)) return SQLITE_IOERR_READ;
  return Real(file)->pMethods->xRead(Real(file), to, size, offset);
}

int Write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  if (Fails(file, FaultyDisk::Operation::kWrite)) return SQLITE_IOERR_WRITE;
  return Real(file)->pMethods->xWrite(Real(file), from, size, offset);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (Fails(file, FaultyDisk::Operation::kWrite)) return SQLITE_IOERR_TRUNCATE;
  return Real(file)->pMethods->xTruncate(Real(file), size);
}

int Sync(sqlite3_file* file, int) {
  if (Fails(file, FaultyDisk::Operation::kSync)) return SQLITE_IOERR_FSYNC;
  if (Of(file)->path[0] != '\0') Of(file)->disk->Synced(Of(file)->path);
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}
int Lock(sqlite3_file* file, int lock) { return Real(file)->pMethods->xLock(Real(file), lock); }
int Unlock(sqlite3_file* file, int lock) { return Real(file)->pMethods->xUnlock(Real(file), lock); }
int CheckReservedLock(sqlite3_file* file, int* out) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), out);
}
int FileControl(sqlite3_file* file, int op, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), op, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int DeviceCharacteristics(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
}
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, out);
}
int ShmLock(sqlite3_file* file, int offset, int n, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, n, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int remove) {
  return Real(file)->pMethods->xShmUnmap(Real(file), remove);
}

// Version 2 has shared memory for the log's index, and no mapped reads, which could not fail.
constexpr sqlite3_io_methods kMethods = {
    2,
    Close,
    Read,
    Write,
    Truncate,
    Sync,
    FileSize,
    Lock,
    Unlock,
    CheckReservedLock,
    FileControl,
    SectorSize,
    DeviceCharacteristics,
    ShmMap,
    ShmLock,
    ShmBarrier,
    ShmUnmap,
    nullptr,
    nullptr,
};

int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  auto* const disk = static_cast<FaultyDisk::Impl*>(vfs->pAppData);
  auto* const opened = new (file) File{};
  opened->disk = disk;
  opened->real = reinterpret_cast<sqlite3_file*>(opened + 1);
  opened->real->pMethods = nullptr;
  const bool fails = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0;
  if (fails && path != nullptr) {
    if (std::strlen(path) >= sizeof opened->path) return SQLITE_CANTOPEN;
    std::strncpy(opened->path, path, sizeof opened->path - 1);
  }
  const int code = disk->real->xOpen(disk->real, path, opened->real, flags, out_flags);
  // The methods are also set after an error if there is a file to close.
  opened->base.pMethods = opened->real->pMethods == nullptr ? nullptr : &kMethods;
  if (code == SQLITE_OK && opened->path[0] != '\0') disk->Opened(opened->path);
  return code;
}

}  // namespace

FaultyDisk::FaultyDisk() : impl_(std::make_unique<Impl>()) {
  impl_->real = sqlite3_vfs_find(nullptr);
  // All functions except Open are those of the real file system.
  impl_->vfs = *impl_->real;
  impl_->vfs.pNext = nullptr;
  impl_->vfs.zName = "faulty";
  impl_->vfs.pAppData = impl_.get();
  impl_->vfs.szOsFile = static_cast<int>(sizeof(File)) + impl_->real->szOsFile;
  impl_->vfs.xOpen = Open;
  sqlite3_vfs_register(&impl_->vfs, /*makeDflt=*/1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&impl_->vfs);
  sqlite3_vfs_register(impl_->real, /*makeDflt=*/1);
}

void FaultyDisk::Fail(Operation operation, int nth, bool lasting) {
  impl_->Start(false, operation, nth, lasting);
}

void FaultyDisk::CutPower(int nth) { impl_->Start(true, Operation::kWrite, nth, true); }

void FaultyDisk::Mend() {
  MutexLock hold(&impl_->mutex);
  impl_->left = 0;
}

int FaultyDisk::failures() const {
  MutexLock hold(&impl_->mutex);
  return impl_->failures;
}

void FaultyDisk::CopyAfterPowerCut(const std::string& from, const std::string& to,
                                   bool database_synced_only, bool log_synced_only) const {
  const auto copy = [&](const char* name, bool synced_only) {
    const std::string path = from + name;
    if (!synced_only) {
      if (std::filesystem::exists(path)) std::filesystem::copy_file(path, to + name);
      return;
    }
    MutexLock hold(&impl_->mutex);
    const auto synced = impl_->synced.find(path);
    if (synced != impl_->synced.end()) std::ofstream(to + name, std::ios::binary) << synced->second;
  };
  copy(kDatabase, database_synced_only);
  copy(kLog, log_synced_only);
}

}  // namespace steward::storage
