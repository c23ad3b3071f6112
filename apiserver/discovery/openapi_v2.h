// The API described in OpenAPI v2 (Swagger), for older clients. Pure functions.
#ifndef APISERVER_DISCOVERY_OPENAPI_V2_H_
#define APISERVER_DISCOVERY_OPENAPI_V2_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

namespace steward::discovery {

// Converts documents made by OpenApiV3 into one of v2.
boost::json::object OpenApiV2(const std::vector<boost::json::object>& v3_documents,
                              const std::string& document_version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_V2_H_
