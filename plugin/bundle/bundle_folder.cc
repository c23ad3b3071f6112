#include "plugin/bundle/bundle_folder.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

// A bundle's files together; what OLM can unpack is smaller by far.
constexpr size_t kMaxFile = 16 << 20;

bool IsManifest(const fs::path& path) {
  const std::string ending = path.extension();
  return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

void ReadProperties(const std::string& path, const std::string& text, BundleFolder& bundle) {
  for (YamlDocument& document : ParseYamlDocuments(text, {.max_size = kMaxFile})) {
    const std::string where = StrCat(path, ":", document.line);
    if (!document.value.ok()) {
      if (!IsManifest(path)) return;  // a text of another kind
      bundle.problems.push_back({where, std::string(document.value.status().message())});
      continue;
    }
    if (!document.value->is_object()) continue;
    const json::value* properties = document.value->get_object().if_contains("properties");
    if (properties == nullptr) continue;
    bundle.properties_at.push_back(where);
    if (!properties->is_array()) {
      bundle.problems.push_back({where, "properties: must be a list"});
      continue;
    }
    const absl::Status added = bundle.declared.AddProperties(properties->get_array());
    if (!added.ok()) bundle.problems.push_back({where, std::string(added.message())});
    bundle.properties = Serialize(json::object{{"properties", *properties}});
  }
}

// The files, or none and a problem.
std::vector<std::string> Listed(const std::string& folder,
                                absl::StatusOr<std::vector<std::string>> files,
                                BundleFolder& bundle) {
  if (files.ok()) return *std::move(files);
  bundle.problems.push_back({folder, std::string(files.status().message())});
  return {};
}

template <typename Take>
void ReadFile(const std::string& path, BundleFolder& bundle, Take take) {
  const absl::StatusOr<std::string> text = kube::ReadManifest(path, kMaxFile);
  if (text.ok()) {
    take(*text);
  } else {
    bundle.problems.push_back({path, std::string(text.status().message())});
  }
}

}  // namespace

std::vector<json::object> BundleFolder::Objects() const {
  std::vector<json::object> objects;
  for (const kube::ManifestObject& manifest : manifests) objects.push_back(manifest.object);
  return objects;
}

absl::StatusOr<BundleFolder> ReadBundleFolder(const std::string& path) {
  const std::string folder = path + "/manifests";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Misused(StrCat(path, " is no bundle: it has no folder manifests/"));
  }
  BundleFolder bundle;
  kube::Manifests read;
  for (const std::string& file : Listed(folder, kube::ManifestFilesIn(folder), bundle)) {
    ReadFile(file, bundle,
             [&](const std::string& text) { kube::ParseManifests(file, text, read); });
  }
  bundle.manifests = std::move(read.objects);
  bundle.problems.insert(bundle.problems.end(), read.problems.begin(), read.problems.end());
  if (const std::string metadata = path + "/metadata"; fs::is_directory(metadata, error)) {
    for (const std::string& file : Listed(metadata, kube::FilesIn(metadata), bundle)) {
      ReadFile(file, bundle, [&](const std::string& text) { ReadProperties(file, text, bundle); });
    }
  }
  if (bundle.properties_at.size() > 1) {
    bundle.problems.push_back(
        {bundle.properties_at.back(),
         StrCat("only one file of metadata/ may have properties; these have: ",
                absl::StrJoin(bundle.properties_at, ", "))});
  }
  return bundle;
}

}  // namespace steward::plugin
