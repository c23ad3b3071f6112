#include "payload/payload_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/manifest/manifest_files.h"
#include "olm/payload/release_metadata.h"

namespace steward::payload {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxFile = 16 << 20;
constexpr size_t kMaxMetadata = 1 << 20;
constexpr char kMetadata[] = "release-metadata";

// Returns the folders in the order in which they are read.
std::vector<fs::path> FoldersOf(const std::string& path) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const char* each : {"manifests", "release-manifests"}) {
    const fs::path folder = fs::path(path) / each;
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  }
  if (folders.empty() && fs::is_directory(path, error)) folders.emplace_back(path);
  return folders;
}

std::vector<fs::path> MetadataOf(const std::string& path) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::path& folder : {fs::path(path), fs::path(path) / "release-manifests"}) {
    if (fs::is_regular_file(folder / kMetadata, error)) found.push_back(folder / kMetadata);
  }
  return found;
}

void ReadVersion(const std::string& path, Release& release) {
  const std::vector<fs::path> files = MetadataOf(path);
  if (files.empty()) return;
  absl::StatusOr<std::string> text = kube::ReadManifest(files.front(), kMaxMetadata);
  absl::StatusOr<std::string> version =
      text.ok() ? olm::ReadReleaseVersion(*text) : absl::StatusOr<std::string>(text.status());
  if (version.ok()) {
    release.version = *std::move(version);
  } else {
    release.payload.faults.push_back({files.front(), std::string(version.status().message())});
  }
}

std::string Unfilled(const std::string& field) {
  const std::string what = StrCat("{{", field, "}} is not known");
  if (field == ".ReleaseImage") return StrCat(what, ": --release-image says it");
  if (field == ".ClusterProfile") return StrCat(what, ": --cluster-profile says it");
  return what;
}

}  // namespace

absl::StatusOr<Release> ReadPayloadFolder(const std::string& path,
                                          const olm::TemplateFields& fields) {
  std::vector<olm::PayloadDocument> documents;
  std::vector<olm::PayloadFault> faults;
  const std::vector<fs::path> folders = FoldersOf(path);
  for (const fs::path& folder : folders) {
    // The first of two folders holds the cluster-version-operator's own manifests, which are
    // templates.
    const bool templates = folders.size() > 1 && folder == folders.front();
    const absl::StatusOr<std::vector<std::string>> files = kube::ManifestFilesIn(folder);
    if (!files.ok()) {
      faults.push_back({folder, std::string(files.status().message())});
      continue;
    }
    for (const std::string& file : *files) {
      const absl::StatusOr<std::string> text = kube::ReadManifest(file, kMaxFile);
      if (!text.ok()) {
        faults.push_back({file, std::string(text.status().message())});
        continue;
      }
      const olm::FilledTemplate filled = olm::FillTemplate(*text, fields, templates);
      for (const olm::UnfilledField& each : filled.unfilled) {
        faults.push_back({StrCat(file, ":", each.line), Unfilled(each.name)});
      }
      kube::Manifests read;
      kube::ParseManifests(file, filled.text, read);
      for (kube::ManifestProblem& problem : read.problems) {
        faults.push_back({std::move(problem.where), std::move(problem.what)});
      }
      for (const kube::ManifestObject& each : read.lists) {
        // An annotation on a List does not apply to its items, so it is a fault.
        const absl::StatusOr<bool> asks = olm::AsksForRemoval(each.object);
        if (!asks.ok() || *asks) {
          faults.push_back({each.where, StrCat("a list has the annotation ", olm::kPayloadDelete,
                                               ", which belongs to each of its items")});
        }
      }
      for (kube::ManifestObject& each : read.objects) {
        documents.push_back(
            {fs::path(file).filename(), std::move(each.where), std::move(each.object)});
      }
    }
  }
  if (documents.empty() && faults.empty()) {
    return absl::NotFoundError(StrCat(path, " is no payload: there is no manifest in it"));
  }
  Release release;
  release.payload = olm::ReadPayload(std::move(documents));
  release.payload.faults.insert(release.payload.faults.begin(), faults.begin(), faults.end());
  ReadVersion(path, release);
  return release;
}

absl::StatusOr<std::string> PayloadFolderMark(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return absl::NotFoundError(StrCat(path, " is no folder that can be read"));
  }
  std::vector<fs::path> files = MetadataOf(path);
  for (const fs::path& folder : FoldersOf(path)) {
    ASSIGN_OR_RETURN(const std::vector<std::string> more, kube::ManifestFilesIn(folder));
    files.insert(files.end(), more.begin(), more.end());
  }
  std::string mark;
  for (const fs::path& file : files) {
    const auto size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    StrAppend(&mark, file.string(), " ", size, " ", time, "\n");
  }
  return mark;
}

}  // namespace steward::payload
