// The OpenAPI v3 document of one version of a group.
#ifndef APISERVER_DISCOVERY_OPENAPI_V3_H_
#define APISERVER_DISCOVERY_OPENAPI_V3_H_

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/discovery/group_documents.h"
#include "kube/meta/names.h"

namespace steward::discovery {

// The name of a kind's schema: the group's domain reversed, version, kind
// ("com.example.v1.Widget").
std::string SchemaName(const kube::GroupVersionKind& gvk);

// One path for each way to read a resource, and the schemas of its kind, its list and their
// metadata: what `kubectl explain` needs. `document_version` is the document's own version. Error:
// a resource's schema is not a JSON object.
absl::StatusOr<boost::json::object> OpenApiV3(const ServedVersion& version,
                                              const std::string& document_version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_V3_H_
