#include "payload/brought_kinds.h"

#include <boost/json/object.hpp>

#include "base/json/json_access.h"

namespace steward::payload {

BroughtKinds BroughtBy(const std::vector<olm::PayloadManifest>& manifests) {
  BroughtKinds brought;
  for (const olm::PayloadManifest& each : manifests) {
    const boost::json::object* spec = ObjectAt(each.object, "spec");
    if (each.deletes || each.gvk.kind != "CustomResourceDefinition" || spec == nullptr) continue;
    const boost::json::object* names = ObjectAt(*spec, "names");
    if (names == nullptr) continue;
    const std::string group(StringAt(*spec, "group"));
    brought[{group, std::string(StringAt(*names, "kind"))}] = {
        {group, "", std::string(StringAt(*names, "plural"))},
        StringAt(*spec, "scope") == "Namespaced"};
  }
  return brought;
}

}  // namespace steward::payload
