// The metadata of an object whose contents do not matter. Values and a pure function.
//
// This decoder is not shared with those that read more of an object, since they read its metadata
// in the same pass: olm/decode and olm/cleanup for OLM's kinds, apiserver/stored for the bytes to
// pass on.
#ifndef KUBE_CLIENT_OBJECT_META_H_
#define KUBE_CLIENT_OBJECT_META_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

struct ObjectMeta {
  NamespacedName name;
  std::string uid;
  bool deleting = false;  // has a deletionTimestamp
  std::vector<std::string> finalizers;

  bool operator==(const ObjectMeta&) const = default;
};

// The resourceVersion is apart, since it differs after each change of an object.
struct VersionedMeta {
  ObjectMeta meta;
  std::string resource_version;  // "" = absent
};

// Reads an object, or its PartialObjectMetadata, no further than to the end of its metadata. Total:
// kInvalidArgument for anything without a name and a uid, or if either has another type. Null
// counts as absent.
absl::StatusOr<VersionedMeta> DecodeObjectMeta(const RawObject& object);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_OBJECT_META_H_
