#include "payload/brought_kinds.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/json/json_access.h"

namespace steward::payload {
namespace json = boost::json;

BroughtKinds BroughtBy(const std::vector<olm::PayloadManifest>& manifests) {
  BroughtKinds brought;
  for (size_t i = 0; i < manifests.size(); ++i) {
    const olm::PayloadManifest& each = manifests[i];
    const json::object* spec = ObjectAt(each.object, "spec");
    if (each.deletes || each.gvk.kind != "CustomResourceDefinition" || spec == nullptr) continue;
    const json::object* names = ObjectAt(*spec, "names");
    if (names == nullptr) continue;
    const std::string group(StringAt(*spec, "group"));
    BroughtKind& kind = brought[{group, std::string(StringAt(*names, "kind"))}];
    kind.mapping = {{group, "", std::string(StringAt(*names, "plural"))},
                    StringAt(*spec, "scope") == "Namespaced"};
    kind.manifest = i;
    const json::array* versions = ArrayAt(*spec, "versions");
    if (versions == nullptr) continue;
    for (const json::value& version : *versions) {
      if (version.is_object() && BoolAt(version.get_object(), "served")) {
        kind.versions.emplace(StringAt(version.get_object(), "name"));
      }
    }
  }
  return brought;
}

}  // namespace steward::payload
