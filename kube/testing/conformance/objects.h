// Construction and inspection of the objects of the cases. Pure functions.
#ifndef KUBE_TESTING_CONFORMANCE_OBJECTS_H_
#define KUBE_TESTING_CONFORMANCE_OBJECTS_H_

#include <boost/json/value.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"

namespace steward::kube::conformance {

inline const GroupVersionResource kNamespaces{"", "v1", "namespaces"};
inline const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline const GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1",
                                               "customresourcedefinitions"};

// Returns {"apiVersion": ..., "kind": "Widget", "metadata": {"name": ...}, "spec": {"size": 1}}.
boost::json::value Widget(const GroupVersionResource& gvr, std::string_view name);
// Returns a widget with one label.
boost::json::value Widget(const GroupVersionResource& gvr, std::string_view name,
                          std::string_view label, std::string_view value);
boost::json::value ConfigMap(std::string_view name);
boost::json::value NamespaceNamed(std::string_view name);

// Returns a CustomResourceDefinition of `kind` (its plural is the lower case with an "s"), with
// status and without a schema; every version is served, the first is stored.
boost::json::value Definition(const std::string& group, const std::string& kind,
                              const std::vector<std::string>& versions, bool namespaced = true);

// Returns the value at the path: a string without quotes, any other value as JSON, "" if there is
// none.
std::string At(const boost::json::value& value, std::initializer_list<std::string_view> path);
// Does the same for a path such as "metadata.name".
std::string At(const boost::json::value& value, std::string_view path);
// Sets `field` at a path such as "metadata.name", creating objects on the way. REQUIRES: existing
// values on the way are objects.
void Set(boost::json::value& value, std::string_view path, boost::json::value field);
void SetText(boost::json::value& value, std::string_view path, std::string_view text);
void Remove(boost::json::value& value, std::string_view path);
NamespacedName NameOf(const boost::json::value& object);
std::string Names(const std::vector<boost::json::value>& objects);  // "a b c"

// Returns true if both are resource versions and `a` is the later one.
bool IsNewer(std::string_view a, std::string_view b);

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_OBJECTS_H_
