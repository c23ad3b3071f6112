// What can be done to a resource, as OpenAPI v3 path items.
#ifndef APISERVER_DISCOVERY_OPENAPI_PATHS_H_
#define APISERVER_DISCOVERY_OPENAPI_PATHS_H_

#include <boost/json/object.hpp>

#include "apiserver/rest/resource.h"

namespace steward::discovery {

// Adds to `paths` each path of the resource, with an operation for each of its verbs there. A
// resource with patch names `fieldValidation` among that operation's parameters: kubectl sends no
// write of a kind where it does not find it.
void WritePaths(const rest::Resource& resource, boost::json::object& paths);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_PATHS_H_
