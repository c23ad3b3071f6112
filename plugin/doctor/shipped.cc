#include "plugin/doctor/shipped.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/manifest/manifest_files.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr char kText[] =
#include "plugin/doctor/shipped.inc"
    ;
// The line before each file; the file's path follows on it.
constexpr char kFileMark[] = "#### ";

// "overlays/copies" for "deploy/overlays/copies/rbac.yaml". Everything below deploy/base counts to
// "base"; elsewhere a deeper folder counts as a folder of its own.
std::string FolderOf(std::string_view path) {
  path.remove_prefix(std::string_view("deploy/").size());
  if (path.starts_with("base/")) return "base";
  return std::string(path.substr(0, path.rfind('/')));
}

std::vector<ShippedFolder> Parse() {
  static const auto& kinds = *new std::set<std::string_view>{
      "ServiceAccount",
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
  };
  std::vector<ShippedFolder> folders;
  for (const absl::string_view file : absl::StrSplit(kText, kFileMark, absl::SkipWhitespace())) {
    const std::string_view text(file.data(), file.size());
    const size_t end = text.find('\n');
    const std::string path(text.substr(0, end));
    const std::string folder = FolderOf(path);
    if (folders.empty() || folders.back().name != folder) folders.push_back({folder, {}});
    kube::Manifests manifests;
    kube::ParseManifests(path, text.substr(end + 1), manifests);
    for (kube::ManifestObject& each : manifests.objects) {
      if (kinds.contains(KindOf(each.object))) {
        folders.back().objects.push_back(std::move(each.object));
      }
    }
  }
  return folders;
}

std::string MetadataIn(const json::object& object, std::string_view key) {
  const json::object* metadata = ObjectAt(object, "metadata");
  return metadata == nullptr ? "" : std::string(StringAt(*metadata, key));
}

// True for values that the API server may fill in as defaults.
bool IsDefault(std::string_view key, const json::value& value) {
  if (const json::object* members = value.if_object()) return members->empty();
  if (const json::array* items = value.if_array()) return items->empty();
  if (!value.is_string()) return value.is_null();
  const std::string_view text = View(value.get_string());
  return (key == "matchPolicy" && text == "Equivalent") || (key == "scope" && text == "*");
}

// Without spaces and line breaks, because YAML parsers fold the lines of a block differently.
std::string WithoutSpaces(std::string_view text) {
  std::string some;
  for (const char c : text) {
    if (c != ' ' && c != '\n') some += c;
  }
  return some;
}

}  // namespace

const std::vector<ShippedFolder>& ShippedFolders() {
  static const auto& folders = *new std::vector<ShippedFolder>(Parse());
  return folders;
}

std::string_view KindOf(const json::object& object) { return StringAt(object, "kind"); }
std::string NameIn(const json::object& object) { return MetadataIn(object, "name"); }
std::string NamespaceIn(const json::object& object) { return MetadataIn(object, "namespace"); }

std::string DifferenceFrom(const json::value& shipped, const json::value& actual,
                           const std::string& path) {
  if (const json::object* wanted = shipped.if_object()) {
    const json::object* found = actual.if_object();
    if (found == nullptr) return path;
    for (const auto& [key, value] : *wanted) {
      const std::string below = StrCat(path, path.empty() ? "" : ".", View(key));
      const json::value* other = found->if_contains(key);
      if (other == nullptr) return below;
      std::string difference = DifferenceFrom(value, *other, below);
      if (!difference.empty()) return difference;
    }
    for (const auto& [key, value] : *found) {
      if (!wanted->contains(key) && !IsDefault(View(key), value)) {
        return StrCat(path, path.empty() ? "" : ".", View(key));
      }
    }
    return "";
  }
  if (const json::array* wanted = shipped.if_array()) {
    const json::array* found = actual.if_array();
    if (found == nullptr || found->size() != wanted->size()) return path;
    for (size_t i = 0; i < wanted->size(); ++i) {
      std::string difference = DifferenceFrom((*wanted)[i], (*found)[i], StrCat(path, "[", i, "]"));
      if (!difference.empty()) return difference;
    }
    return "";
  }
  if (shipped.is_string() && actual.is_string()) {
    return WithoutSpaces(View(shipped.get_string())) == WithoutSpaces(View(actual.get_string()))
               ? ""
               : path;
  }
  return shipped == actual ? "" : path;
}

}  // namespace steward::plugin
