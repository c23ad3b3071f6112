// The OpenAPI schemas of stored kinds.
#ifndef APISERVER_STORED_SCHEMA_H_
#define APISERVER_STORED_SCHEMA_H_

#include <string>

#include "kube/meta/resource_type.h"

namespace steward::stored {

// The type's own schema with the fields that every object has, as rest::Resource::openapi_schema
// wants it. Where nothing is known of the kind, or its schema is no JSON object: an object of any
// content.
std::string OpenApiSchema(const kube::ResourceType& type);

}  // namespace steward::stored

#endif  // APISERVER_STORED_SCHEMA_H_
