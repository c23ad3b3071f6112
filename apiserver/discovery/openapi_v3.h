// The OpenAPI v3 document of one version of a group. Pure functions.
#ifndef APISERVER_DISCOVERY_OPENAPI_V3_H_
#define APISERVER_DISCOVERY_OPENAPI_V3_H_

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/discovery/group_documents.h"

namespace steward::discovery {

// The paths of the resources with an operation for each verb, and the schemas of their kinds, their
// lists and their metadata, all of which `kubectl explain` needs. `document_version` is the
// document's own version. Fails when a resource's schema is not a JSON object.
absl::StatusOr<boost::json::object> OpenApiV3(const ServedVersion& version,
                                              const std::string& document_version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_V3_H_
