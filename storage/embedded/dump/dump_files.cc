#include "storage/embedded/dump/dump_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/manifest/manifest_files.h"

namespace steward::storage {
namespace fs = std::filesystem;
namespace {

constexpr size_t kTogether = 1 << 20;

absl::Status TooDeep() {
  return absl::ResourceExhaustedError(
      StrCat("is below more than ", DumpFiles::kMaxDepth, " folders"));
}

}  // namespace

struct DumpFiles::Folder {
  std::vector<fs::path> names;
  size_t next = 0;
};

DumpFiles::~DumpFiles() = default;

absl::StatusOr<std::unique_ptr<DumpFiles>> DumpFiles::Open(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return absl::NotFoundError(StrCat("there is no ", path));
  std::unique_ptr<DumpFiles> files(new DumpFiles);
  files->root_ = path;
  if (fs::is_directory(status)) {
    RETURN_IF_ERROR(files->Enter(path));
    return files;
  }
  if (!fs::is_regular_file(status)) {
    return absl::InvalidArgumentError(StrCat(path, " is neither a folder nor a tar"));
  }
  absl::StatusOr<std::unique_ptr<TarReader>> tar = TarReader::Open(path);
  if (absl::IsInvalidArgument(tar.status())) {
    return absl::InvalidArgumentError(StrCat(path, " ", ToStd(tar.status().message())));
  }
  ASSIGN_OR_RETURN(files->tar_, std::move(tar));
  return files;
}

absl::Status DumpFiles::Enter(const std::string& path) {
  if (folders_.size() >= kMaxDepth) return TooDeep();
  auto folder = std::make_unique<Folder>();
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error)) {
    if (!it->path().filename().string().starts_with('.')) folder->names.push_back(it->path());
  }
  if (error) return absl::ErrnoToStatus(error.value(), "this folder cannot be read");
  std::sort(folder->names.begin(), folder->names.end());
  folders_.push_back(std::move(folder));
  return absl::OkStatus();
}

DumpFile DumpFiles::NewFile(std::string path, std::string_view below) {
  DumpFile file;
  ++count_;
  file.path = std::move(path);
  file.place = PlaceOf(below);
  return file;
}

absl::StatusOr<std::optional<DumpFile>> DumpFiles::NextBelow() {
  while (!folders_.empty()) {
    if (stopped_) return absl::CancelledError("is not read on");
    Folder& folder = *folders_.back();
    if (folder.next == folder.names.size()) {
      folders_.pop_back();
      continue;
    }
    const fs::path path = folder.names[folder.next++];
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::is_directory(status)) {
      if (absl::Status entered = Enter(path.string()); !entered.ok()) {
        DumpFile folder_file = NewFile(path.string(), "");
        folder_file.trouble = std::move(entered);
        return std::optional<DumpFile>(std::move(folder_file));
      }
    } else if (fs::is_regular_file(status) && IsDumpFile(path.filename().string())) {
      const std::string below = path.lexically_relative(root_).string();
      DumpFile file = NewFile(path.string(), below);
      absl::StatusOr<std::string> text = kube::ReadManifest(file.path, kMaxFile);
      file.trouble = text.status();
      if (text.ok()) file.text = *std::move(text);
      return std::optional<DumpFile>(std::move(file));
    }
  }
  return std::optional<DumpFile>();
}

absl::StatusOr<std::optional<DumpFile>> DumpFiles::NextInTar() {
  while (true) {
    absl::StatusOr<std::optional<TarEntry>> entry = tar_->Next();
    if (!entry.ok()) {
      return absl::Status(entry.status().code(),
                          StrCat(root_, " ", ToStd(entry.status().message())));
    }
    if (!entry->has_value()) return std::optional<DumpFile>();
    TarEntry& found = **entry;
    const bool is_link = !found.linked.empty();
    if (!(found.is_file || is_link) || found.path.size() > kMaxPath || !IsDumpFile(found.path)) {
      continue;
    }
    DumpFile file = NewFile(found.path, found.path);
    if (is_link) {
      file.trouble =
          absl::FailedPreconditionError(StrCat("is left out, being a hard link to ", found.linked));
    } else if (static_cast<size_t>(std::count(found.path.begin(), found.path.end(), '/')) >
               kMaxDepth) {
      file.trouble = TooDeep();
    } else {
      file.trouble = tar_->Read(kMaxFile, file.text);
    }
    return std::optional<DumpFile>(std::move(file));
  }
}

absl::StatusOr<std::optional<DumpFile>> DumpFiles::NextFile() {
  if (count_ >= kMaxFiles) {
    return absl::ResourceExhaustedError(StrCat(root_, " has more than ", kMaxFiles, " files"));
  }
  return tar_ == nullptr ? NextBelow() : NextInTar();
}

absl::StatusOr<std::vector<DumpFile>> DumpFiles::Next() {
  std::vector<DumpFile> files;
  RETURN_IF_ERROR(over_);
  for (size_t bytes = 0; bytes < kTogether;) {
    absl::StatusOr<std::optional<DumpFile>> file = NextFile();
    if (!file.ok()) {
      over_ = file.status();
      if (files.empty()) return over_;
      return files;
    }
    if (!file->has_value()) return files;
    bytes += (*file)->text.size() + (*file)->path.size();
    files.push_back(**std::move(file));
  }
  return files;
}

void DumpFiles::Stop() {
  stopped_ = true;
  if (tar_ != nullptr) tar_->Stop();
}

}  // namespace steward::storage
