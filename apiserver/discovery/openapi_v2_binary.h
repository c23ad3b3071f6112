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
// The Content-Type that is sent: client-go accepts no "@" in it.
inline constexpr std::string_view kOpenApiV2BinarySent =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// The schemas of documents made by OpenApiV3, without paths: by these kubectl checks the objects of
// kinds that have no PATCH, such as PlanPreviews, before it sends them. A single schema that
// kubectl cannot read would have it refuse all objects, so what v2 cannot say, or kubectl would
// read more strictly than the server does, is left open.
std::string OpenApiV2Binary(const std::vector<boost::json::object>& v3_documents,
                            const std::string& document_version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_V2_BINARY_H_
