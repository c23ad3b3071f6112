// A custom resource as it is saved, and as it is created again.
#ifndef PLUGIN_SAVED_OBJECT_H_
#define PLUGIN_SAVED_OBJECT_H_

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "plugin/save_index.h"

namespace steward::plugin {

// The object's YAML without what a server sets in metadata. Its status, finalizers and owners are
// in it, for whoever wants to know. kDataLoss when `json` is no object of a kind.
absl::StatusOr<std::string> SavedYaml(std::string_view json);

// Largest file that can be read back.
inline constexpr size_t kMaxSavedBytes = 16 << 20;

// The object to create: without status, and without the finalizers and owners that it had: who
// honoured them may be gone, and then it could not be deleted, or would be at once. Total.
// kInvalidArgument when `yaml` is not the object of `resource` that `name` names.
absl::StatusOr<boost::json::value> ObjectToRestore(std::string_view yaml,
                                                   const SavedResource& resource,
                                                   const kube::NamespacedName& name);

}  // namespace steward::plugin

#endif  // PLUGIN_SAVED_OBJECT_H_
