// The names of objects as kubectl prints them. Pure functions.
#ifndef PLUGIN_CLUSTER_OBJECT_NAMES_H_
#define PLUGIN_CLUSTER_OBJECT_NAMES_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {

// "clusterserviceversion.operators.coreos.com/widgets.v1" for an object of OLM's API.
std::string OlmObjectName(std::string_view kind, std::string_view name);

// The names of `items` in `document`. REQUIRES: they are ClusterServiceVersions.
std::vector<std::string> CsvNamesOf(const boost::json::object& document);

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_OBJECT_NAMES_H_
