// Decoding of a client's JSON object as one of a resource, the way a kube-apiserver decodes a body.
// Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_OBJECT_DECODE_H_
#define STORAGE_EMBEDDED_RULES_OBJECT_DECODE_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/status.h"

namespace steward::storage {

// A decoded object starts with apiVersion, kind and metadata (object_meta.h), which is always
// there; the other members follow as they were sent.

// Decodes the body of a POST or PUT. Returns a 400 if the body is not of the type; but a custom
// resource of another kind passes, because TypeCauses reports it. Fills in a missing apiVersion or
// kind from the type, unless it is a custom resource.
absl::StatusOr<boost::json::object> DecodeBody(const kube::ResourceType& type,
                                               boost::json::object object);
// Decodes the result of a patch. Returns a 422 about the field "patch" if the result is not of the
// type; but a custom resource of another kind or apiVersion passes.
absl::StatusOr<boost::json::object> DecodePatched(const kube::ResourceType& type,
                                                  boost::json::object object);

// apiVersion and kind of a decoded object.
kube::GroupVersionKind GvkOf(const boost::json::object& object);
// The errors in apiVersion and kind of a decoded custom resource, as causes of a 422.
std::vector<kube::StatusCause> TypeCauses(const kube::ResourceType& type,
                                          const boost::json::object& object);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_OBJECT_DECODE_H_
