#include "plugin/saving/save_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "kube/client/config.h"

namespace steward::plugin {
namespace {

absl::Status Errno(std::string_view doing, const std::string& path) {
  return absl::ErrnoToStatus(errno, StrCat(doing, " ", path));
}

absl::Status MakeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return absl::OkStatus();
  struct stat there;
  if (errno == EEXIST && ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) {
    return absl::OkStatus();
  }
  return Errno("making the folder", path);
}

// Makes the folder and all folders above it.
absl::Status MakeFolders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    RETURN_IF_ERROR(MakeFolder(path.substr(0, slash)));
  }
  return MakeFolder(path);
}

absl::Status SyncFolder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Errno("opening", path);
  absl::Status status;
  if (::fsync(fd) != 0) status = Errno("writing", path);
  ::close(fd);
  return status;
}

// True for an index whose writing did not end because the process died (base/tls/files.h).
bool IsUnfinishedIndex(std::string_view name) {
  return name.starts_with(StrCat(kIndexFile, ".")) && name.ends_with(".tmp");
}

absl::StatusOr<bool> IsEmpty(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return Errno("opening the folder", path);
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !IsUnfinishedIndex(name)) return false;
  }
  return true;
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

absl::StatusOr<SaveIndex> SaveFolder::ReadIndex() const {
  const std::string file = StrCat(path_, "/", kIndexFile);
  if (::access(file.c_str(), F_OK) != 0) {
    return absl::NotFoundError(StrCat(path_, " holds no saved operands: there is no ", kIndexFile));
  }
  ASSIGN_OR_RETURN(const std::string text, kube::ReadFile(file));
  absl::StatusOr<SaveIndex> index = DecodeIndex(text);
  if (index.ok()) return index;
  return absl::Status(index.status().code(), StrCat(file, ": ", ToStd(index.status().message())));
}

absl::Status SaveFolder::Begin(const SaveIndex& index) {
  RETURN_IF_ERROR(MakeFolders(path_));
  const absl::StatusOr<SaveIndex> present = ReadIndex();
  if (present.ok() && (present->csv != index.csv || present->csv_uid != index.csv_uid)) {
    return absl::FailedPreconditionError(StrCat(path_, " holds what was saved of ", present->csv.ns,
                                                "/", present->csv.name, " (uid ", present->csv_uid,
                                                "); name another folder with --save"));
  }
  if (!present.ok()) {
    ASSIGN_OR_RETURN(const bool empty, IsEmpty(path_));
    if (!empty) {
      return absl::FailedPreconditionError(
          StrCat(path_, " is not empty, and not of this uninstallation; name another folder with ",
                 "--save"));
    }
  }
  // Users who may read the parent folder must not be able to read this one.
  if (::chmod(path_.c_str(), 0700) != 0) return Errno("setting the mode of", path_);
  // Keep a complete index until there is a newer one.
  if (present.ok() && present->complete) return absl::OkStatus();
  RETURN_IF_ERROR(WriteIndex(index));
  return SyncFolder(ParentOf(path_));
}

absl::Status SaveFolder::MakeParents(const std::string& saved_path) {
  for (size_t slash = saved_path.find('/'); slash != std::string::npos;
       slash = saved_path.find('/', slash + 1)) {
    std::string folder = StrCat(path_, "/", saved_path.substr(0, slash));
    if (made_.contains(folder)) continue;
    RETURN_IF_ERROR(MakeFolder(folder));
    made_.insert(std::move(folder));
  }
  return absl::OkStatus();
}

absl::Status SaveFolder::Write(const std::string& saved_path, std::string_view yaml) {
  RETURN_IF_ERROR(MakeParents(saved_path));
  return ReplaceFile(StrCat(path_, "/", saved_path), yaml, 0600, Durability::kSynced);
}

absl::Status SaveFolder::WriteIndex(const SaveIndex& index) {
  const std::string text = EncodeIndex(index);
  if (text.size() > kMaxIndexBytes) {
    return absl::ResourceExhaustedError(
        "there are too many custom resources for one folder; save them another way and use "
        "--no-save");
  }
  // Refuse to save an index that could not be read back.
  RETURN_IF_ERROR(DecodeIndex(text).status());
  RETURN_IF_ERROR(ReplaceFile(StrCat(path_, "/", kIndexFile), text, 0600, Durability::kSynced));
  return SyncFolder(path_);
}

absl::Status SaveFolder::Finish(const SaveIndex& index) {
  for (const std::string& folder : made_) RETURN_IF_ERROR(SyncFolder(folder));
  return WriteIndex(index);
}

absl::StatusOr<std::string> SaveFolder::Read(const std::string& saved_path) const {
  return kube::ReadFile(StrCat(path_, "/", saved_path));
}

}  // namespace steward::plugin
