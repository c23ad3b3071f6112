// The manifests of deploy/, from the time of this program's build, that grant rights to Steward's
// accounts or limit them. Thread-safe.
#ifndef PLUGIN_DOCTOR_SHIPPED_H_
#define PLUGIN_DOCTOR_SHIPPED_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {

// A folder of deploy/ with its objects: accounts, roles, bindings, admission policies and their
// bindings.
struct ShippedFolder {
  std::string name;  // "base", "overlays/copies"
  std::vector<boost::json::object> objects;
};

// "base" first. Parsed at the first call.
const std::vector<ShippedFolder>& ShippedFolders();

// The kind and the name of an object; "" for a part that it lacks.
std::string_view KindOf(const boost::json::object& object);
std::string NameIn(const boost::json::object& object);
std::string NamespaceIn(const boost::json::object& object);

// The first field in which `shipped` and `actual` differ, as a path
// ("spec.validations[0].expression"); "" = they mean the same. Ignores defaults of the API server,
// and spaces and line breaks in texts. `path` is the path of the two values.
std::string DifferenceFrom(const boost::json::value& shipped, const boost::json::value& actual,
                           const std::string& path);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_SHIPPED_H_
