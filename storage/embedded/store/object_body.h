// The form in which objects are stored. It lacks the members that each read adds (apiVersion and
// kind of the requested version, and resourceVersion), so that the rest can be sent unchanged. Pure
// functions.
#ifndef STORAGE_EMBEDDED_STORE_OBJECT_BODY_H_
#define STORAGE_EMBEDDED_STORE_OBJECT_BODY_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::storage {

// REQUIRES: metadata is an object with a name.
std::string BodyOf(const boost::json::object& object);

// The whole object as JSON.
std::string RenderObject(const kube::GroupVersionKind& gvk, int64_t revision,
                         std::string_view body);
kube::RawObject RenderRaw(const kube::GroupVersionKind& gvk, int64_t revision,
                          std::string_view body);
// The resourceVersion in a result of RenderRaw.
std::string RevisionOf(std::string_view rendered);
// The whole object as a value. kDataLoss when BodyOf did not write `body`.
absl::StatusOr<boost::json::object> ParseBody(const kube::GroupVersionKind& gvk, int64_t revision,
                                              std::string_view body);

// The metadata alone, without resourceVersion: cheaper than ParseBody where the rest is large.
// kDataLoss as above.
absl::StatusOr<boost::json::object> ParseMetadata(std::string_view body);

// The key of an object in its resource: "ns/name", or "name".
std::string KeyOf(std::string_view ns, std::string_view name);
kube::NamespacedName NameOf(std::string_view key);

// The UIDs in metadata.ownerReferences.
std::vector<std::string> OwnersOf(const boost::json::object& object);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_STORE_OBJECT_BODY_H_
