// OpenAPI schemas of the metadata that every object and list has, and of the bodies and answers of
// writes. Constants.
#ifndef APISERVER_DISCOVERY_META_SCHEMAS_H_
#define APISERVER_DISCOVERY_META_SCHEMAS_H_

#include <string_view>

namespace steward::discovery {

// The names under which Kubernetes publishes these types.
inline constexpr std::string_view kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
inline constexpr std::string_view kPatch = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
inline constexpr std::string_view kDeleteOptions =
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
inline constexpr std::string_view kStatus = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";

// JSON objects with schemas by name. WriteSchemas refer to MetaSchemas.
std::string_view MetaSchemas();
std::string_view WriteSchemas();

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_META_SCHEMAS_H_
