#include "storage/embedded/dump/dump_layout.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::storage {
namespace {

constexpr std::string_view kClusterScoped = "cluster-scoped-resources";
constexpr std::string_view kNamespaced = "namespaces";
constexpr std::string_view kPods = "pods";

std::vector<std::string_view> Parts(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(path), '/', absl::SkipEmpty())) {
    if (part != ".") parts.emplace_back(part.data(), part.size());
  }
  return parts;
}

std::string_view WithoutExtension(std::string_view name) { return name.substr(0, name.rfind('.')); }

std::string GroupOf(std::string_view folder) {
  return folder == "core" ? std::string() : std::string(folder);
}

}  // namespace

std::optional<DumpPlace> PlaceOf(std::string_view path) {
  const std::vector<std::string_view> parts = Parts(path);
  const auto top = std::find_if(parts.begin(), parts.end(), [](std::string_view part) {
    return part == kClusterScoped || part == kNamespaced;
  });
  if (top == parts.end()) return std::nullopt;
  std::vector<std::string_view> below(top + 1, parts.end());
  DumpPlace place;
  if (*top == kNamespaced) {
    if (below.size() < 2) return std::nullopt;
    place.ns = below.front();
    below.erase(below.begin());
    if (below.size() == 1) {
      if (WithoutExtension(below[0]) != place.ns) return std::nullopt;
      return DumpPlace{"", "", std::string(kNamespaced)};
    }
    if (below.size() == 3 && below[0] == kPods && WithoutExtension(below[2]) == below[1]) {
      place.resource = kPods;
      return place;
    }
  }
  if (below.size() != 2 && below.size() != 3) return std::nullopt;
  place.group = GroupOf(below[0]);
  place.resource = below.size() == 2 ? WithoutExtension(below[1]) : below[1];
  if (!kube::IsDns1123Label(place.resource)) return std::nullopt;
  return place;
}

bool IsDumpFile(std::string_view path) {
  const std::vector<std::string_view> parts = Parts(path);
  if (parts.empty()) return false;
  for (const std::string_view part : parts) {
    if (part.starts_with('.') && part != "..") return false;
  }
  const std::string_view name = parts.back();
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

}  // namespace steward::storage
