#include "plugin/bundle/bundle_folder.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "bundle/requirements.h"
#include "kube/manifest/manifest_files.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"
#include "olm/plan/manifest_file.h"
#include "olm/plan/step_kind.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

// The limit of the bundle's files together. OLM can only unpack far smaller bundles.
constexpr size_t kMaxFile = 16 << 20;

bool IsManifest(const fs::path& path) {
  const std::string ending = path.extension();
  return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

using Severity = Finding::Severity;

constexpr char kLeftOut[] = "the file is left out, as by OLM: ";

void ReadManifest(const std::string& path, const std::string& text, BundleFolder& bundle) {
  olm::ManifestFile file = olm::ReadManifestFile(text, kMaxFile);
  for (const olm::ManifestFile::Remark& remark : file.left_out) {
    bundle.findings.AddAt(StrCat(path, ":", remark.line),
                          IsManifest(path) ? Severity::kError : Severity::kHint,
                          StrCat(kLeftOut, remark.what));
  }
  for (olm::ManifestFile::Remark& remark : file.remarks) {
    bundle.findings.AddAt(StrCat(path, ":", remark.line), Severity::kHint, std::move(remark.what));
  }
  if (file.left_out.empty()) bundle.manifests.push_back({path, std::move(file.object)});
}

void ReadProperties(const BundleObject& file, BundleFolder& bundle) {
  const json::value* properties = file.object.if_contains("properties");
  if (properties == nullptr) return;
  bundle.with_properties.push_back(file);
  if (!properties->is_array()) {
    bundle.findings.Refuse(file.file, "properties: must be a list");
    return;
  }
  const absl::Status added = bundle.declared.AddProperties(properties->get_array());
  if (!added.ok()) bundle.findings.Refuse(file.file, std::string(added.message()));
  bundle.properties = Serialize(json::object{{"properties", *properties}});
}

void ReadMetadata(const std::string& path, const std::string& text, BundleFolder& bundle) {
  YamlLimits limits;
  limits.max_size = kMaxFile;
  limits.last_of_equal_keys = true;
  const std::vector<YamlDocument> documents = ParseYamlDocuments(text, limits);
  if (documents.empty()) return;
  const YamlDocument& first = documents.front();
  if (!first.value.ok()) {
    if (!IsManifest(path)) return;  // a text of another kind
    const olm::ManifestFile::Remark remark = olm::RemarkOf(first.line, first.value.status());
    bundle.findings.AddAt(StrCat(path, ":", remark.line), Severity::kError,
                          StrCat(kLeftOut, remark.what));
    return;
  }
  if (!first.value->is_object()) return;
  bundle.metadata.push_back({path, first.value->get_object()});
  ReadProperties(bundle.metadata.back(), bundle);
}

// The names of the files in the folder; empty, with a finding, if they cannot be read.
std::vector<std::string> Listed(const std::string& folder, BundleFolder& bundle) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error)) {
    std::error_code unknown;
    if (!it->is_directory(unknown) || it->path().filename().string().starts_with('.')) continue;
    bundle.findings.AddAt(it->path().string(), Severity::kError,
                          "is a folder: it is not read, and OLM cannot unpack the bundle");
  }
  absl::StatusOr<std::vector<std::string>> files = kube::FilesIn(folder);
  if (files.ok()) return *std::move(files);
  bundle.findings.AddAt(folder, Severity::kRefused, std::string(files.status().message()));
  return {};
}

using Read = void (*)(const std::string& path, const std::string& text, BundleFolder& bundle);

void ReadFiles(const std::string& folder, Read read, BundleFolder& bundle) {
  for (const std::string& file : Listed(folder, bundle)) {
    absl::StatusOr<std::string> text = kube::ReadManifest(file, kMaxFile);
    if (!text.ok()) {
      bundle.findings.AddAt(file, Severity::kRefused, std::string(text.status().message()));
      continue;
    }
    bundle.findings.KnowText(file, *text);
    read(file, *text, bundle);
  }
}

// Drops all but the last of several objects of one kind and name, because each replaces the one
// before. Namespaces do not count: a plan puts all objects into its own.
void DropRepeated(BundleFolder& bundle) {
  std::map<olm::ManifestIdentity, std::string> last;
  std::vector<BundleObject> kept;
  for (auto it = bundle.manifests.rbegin(); it != bundle.manifests.rend(); ++it) {
    const kube::GroupVersionKind kind = olm::ObjectKind(kube::KindOf(it->object));
    const olm::ManifestIdentity identity = olm::IdentityOf(it->object);
    const auto [found, is_new] =
        last.emplace(olm::ManifestIdentity{kind.group, kind.kind, "", identity.name}, it->file);
    // Keep both of two ClusterServiceVersions, because nobody knows which one is meant.
    if (is_new || olm::StepKindOf(kind) == olm::StepKind::kCsv || identity.name.empty()) {
      kept.push_back(std::move(*it));
      continue;
    }
    bundle.findings.Hint(it->file, StrCat(identity.ToString(), " stands also in ", found->second,
                                          ", and that one is installed"));
  }
  std::reverse(kept.begin(), kept.end());
  bundle.manifests = std::move(kept);
}

}  // namespace

std::string BundleObject::where() const { return StrCat(file, ":1"); }

std::vector<json::object> BundleFolder::Objects() const {
  std::vector<json::object> objects;
  for (const BundleObject& manifest : manifests) objects.push_back(manifest.object);
  return objects;
}

json::array BundleFolder::AllProperties() const {
  json::array all;
  const absl::StatusOr<json::value> own = ParseJson(properties);
  if (own.ok()) all = own->get_object().at("properties").get_array();
  for (const BundleObject& file : metadata) {
    const json::array* dependencies = ArrayAt(file.object, "dependencies");
    if (dependencies == nullptr) continue;
    for (const json::value& each : *dependencies) {
      const json::object* dependency = each.if_object();
      const json::value* value = dependency == nullptr ? nullptr : dependency->if_contains("value");
      if (value == nullptr || StringAt(*dependency, "type").empty()) continue;
      all.push_back(
          {{"type", bundle::RequiredType(StringAt(*dependency, "type"))}, {"value", *value}});
    }
  }
  return all;
}

json::object BundleFolder::PreviewSpec() const {
  json::array objects;
  for (const BundleObject& manifest : manifests) objects.push_back(manifest.object);
  json::object bundle = {{"manifests", std::move(objects)}};
  json::array all = AllProperties();
  if (!all.empty()) bundle["properties"] = std::move(all);
  return {{"bundle", std::move(bundle)}};
}

absl::StatusOr<BundleFolder> ReadBundleFolder(const std::string& path) {
  const std::string folder = path + "/manifests";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Misused(StrCat(path, " is no bundle: it has no folder manifests/"));
  }
  BundleFolder bundle;
  ReadFiles(folder, ReadManifest, bundle);
  DropRepeated(bundle);
  if (const std::string metadata = path + "/metadata"; fs::is_directory(metadata, error)) {
    ReadFiles(metadata, ReadMetadata, bundle);
  }
  if (bundle.with_properties.size() > 1) {
    std::vector<std::string> files;
    for (const BundleObject& file : bundle.with_properties) files.push_back(file.file);
    bundle.findings.Refuse(
        files.back(), StrCat("properties: only one file of metadata/ may have them; these have: ",
                             absl::StrJoin(files, ", ")));
  }
  return bundle;
}

}  // namespace steward::plugin
