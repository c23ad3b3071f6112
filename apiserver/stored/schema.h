// The OpenAPI schemas of stored kinds. Pure functions.
#ifndef APISERVER_STORED_SCHEMA_H_
#define APISERVER_STORED_SCHEMA_H_

#include <string>

#include "kube/meta/resource_type.h"

namespace steward::stored {

// The type's own schema with the fields of every object, for rest::Resource::openapi_schema. An
// object of any content when the schema is unknown or no JSON object.
std::string OpenApiSchema(const kube::ResourceType& type);

}  // namespace steward::stored

#endif  // APISERVER_STORED_SCHEMA_H_
