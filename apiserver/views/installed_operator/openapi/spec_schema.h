// The part of the schema that a ClusterServiceVersion's author writes.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_OPENAPI_SPEC_SCHEMA_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_OPENAPI_SPEC_SCHEMA_H_

#include <string>

namespace steward::views {

// The schema of `spec`, a JSON object.
std::string InstalledOperatorSpecSchema();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_OPENAPI_SPEC_SCHEMA_H_
