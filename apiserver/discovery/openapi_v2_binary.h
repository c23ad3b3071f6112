// The definitions of OpenAPI v2 in the binary form in which kubectl reads them. Pure functions.
#ifndef APISERVER_DISCOVERY_OPENAPI_V2_BINARY_H_
#define APISERVER_DISCOVERY_OPENAPI_V2_BINARY_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::discovery {

inline constexpr std::string_view kOpenApiV2Binary =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
// The Content-Type of the response, without the "@", which client-go does not accept there.
inline constexpr std::string_view kOpenApiV2BinarySent =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// The schemas of documents made by OpenApiV3, without paths. kubectl checks objects of kinds
// without PATCH, such as PlanPreviews, against these schemas before it sends them. If kubectl could
// not read one schema, it would refuse all objects. So this function omits every constraint that v2
// cannot express, or that kubectl would enforce more strictly than the server.
std::string OpenApiV2Binary(const std::vector<boost::json::object>& v3_documents,
                            const std::string& document_version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_V2_BINARY_H_
