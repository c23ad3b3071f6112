// The small parts of OpenAPI v3 documents. Pure functions.
#ifndef APISERVER_DISCOVERY_OPENAPI_PARTS_H_
#define APISERVER_DISCOVERY_OPENAPI_PARTS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "kube/meta/names.h"

namespace steward::discovery {

// The name of a kind's schema: the group's domain reversed, version, kind
// ("com.example.v1.Widget"); in the core group "io.k8s.api.core.v1.Widget".
std::string SchemaName(const kube::GroupVersionKind& gvk);

// A reference to the schema of this name.
boost::json::object Ref(std::string_view schema);
// The value of x-kubernetes-group-version-kind.
boost::json::object Gvk(const kube::GroupVersionKind& gvk);

// Query parameters of one operation.
boost::json::array ListParameters(const rest::Resource& resource);
boost::json::array GetParameters();
boost::json::array PageParameters();
boost::json::array WriteParameters();
boost::json::array DeleteParameters();
// Parameters of every operation on a path.
boost::json::array PathParameters(bool namespaced, bool named, bool pretty);

// The content of a body: `schema` in each of the media types.
boost::json::object Content(const std::vector<std::string>& media_types,
                            const boost::json::object& schema);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_OPENAPI_PARTS_H_
