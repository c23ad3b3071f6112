// OpenAPI schemas of the metadata that every object and list has.
#ifndef APISERVER_DISCOVERY_META_SCHEMAS_H_
#define APISERVER_DISCOVERY_META_SCHEMAS_H_

#include <string_view>

namespace steward::discovery {

// The name under which Kubernetes publishes this type, as it does the others here.
inline constexpr std::string_view kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

// A JSON object: schemas by name.
std::string_view MetaSchemas();

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_META_SCHEMAS_H_
