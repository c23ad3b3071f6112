// The operations on a resource, as OpenAPI v3 path items. Pure functions.
#ifndef APISERVER_DISCOVERY_OPENAPI_PATHS_H_
#define APISERVER_DISCOVERY_OPENAPI_PATHS_H_

#include <boost/json/object.hpp>

#include "apiserver/rest/resource/resource.h"

namespace steward::discovery {

// Adds to `paths` each path of the resource, with an operation for each of its verbs there. A
// resource with patch lists `fieldValidation` among that operation's parameters: kubectl sends no
// write of a kind without it.
void WritePaths(const rest::Resource& resource, boost::json::object& paths);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_PATHS_H_
