#include "plugin/payload/payload_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"
#include "kube/manifest/manifest_files.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxFile = 16 << 20;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string ending = it->path().extension();
    if (!it->is_regular_file(error)) continue;
    if (ending == ".yaml" || ending == ".yml" || ending == ".json") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return a.filename().string() < b.filename().string();
  });
  return files;
}

}  // namespace

absl::StatusOr<olm::Payload> ReadPayloadFolder(const std::string& path) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const char* each : {"manifests", "release-manifests"}) {
    const fs::path folder = fs::path(path) / each;
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  }
  if (folders.empty()) folders.emplace_back(path);
  std::vector<olm::PayloadDocument> documents;
  std::vector<olm::PayloadFault> faults;
  for (const fs::path& folder : folders) {
    for (const fs::path& file : FilesIn(folder)) {
      const absl::StatusOr<std::string> text = kube::ReadManifest(file, kMaxFile);
      if (!text.ok()) {
        faults.push_back({file, std::string(text.status().message())});
        continue;
      }
      kube::Manifests read;
      kube::ParseManifests(file.string(), *text, read);
      for (kube::ManifestProblem& problem : read.problems) {
        faults.push_back({std::move(problem.where), std::move(problem.what)});
      }
      for (kube::ManifestObject& each : read.objects) {
        documents.push_back({file.filename(), std::move(each.where), std::move(each.object)});
      }
    }
  }
  if (documents.empty() && faults.empty()) {
    return Misused(StrCat(path, " is no payload: there is no manifest in it"));
  }
  olm::Payload payload = olm::ReadPayload(std::move(documents));
  payload.faults.insert(payload.faults.begin(), faults.begin(), faults.end());
  return payload;
}

}  // namespace steward::plugin
