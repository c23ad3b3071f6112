// The metadata that is held of an object whose contents do not matter. A value and a pure function.
#ifndef CONTROLLERS_RUNTIME_METADATA_OBJECT_METADATA_H_
#define CONTROLLERS_RUNTIME_METADATA_OBJECT_METADATA_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct ObjectMetadata {
  kube::NamespacedName name;
  std::string uid;
  bool deleting = false;  // has a deletionTimestamp
  std::vector<std::string> finalizers;

  bool operator==(const ObjectMetadata&) const = default;
};

// Reads an object's JSON, or its PartialObjectMetadata. Total: kInvalidArgument for anything
// without a name and a uid, or with one of these members of another type.
absl::StatusOr<ObjectMetadata> DecodeObjectMetadata(std::string_view json);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_METADATA_OBJECT_METADATA_H_
