// The manifests of deploy/ that say what Steward's accounts may do, and what they may not, as this
// program was built with them. Thread-safe.
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

// The parts by which an object is named; "" for one that it lacks.
std::string_view KindOf(const boost::json::object& object);
std::string NameIn(const boost::json::object& object);
std::string NamespaceIn(const boost::json::object& object);

// The first field in which they differ, as a path ("spec.validations[0].expression"); "" = they say
// the same. Defaults of the API server do not count, nor do spaces and line breaks in texts.
std::string DifferenceFrom(const boost::json::value& shipped, const boost::json::value& actual,
                           const std::string& path);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_SHIPPED_H_
