// A custom resource in its saved form, and in the form in which it is created again. Pure
// functions.
#ifndef PLUGIN_SAVING_SAVED_OBJECT_H_
#define PLUGIN_SAVING_SAVED_OBJECT_H_

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "plugin/saving/save_index.h"

namespace steward::plugin {

// The object's YAML without the metadata that a server sets. Status, finalizers and owners are
// included for people to read. kDataLoss when `json` is no object of a kind.
absl::StatusOr<std::string> SavedYaml(std::string_view json);

// The largest file that can be read back.
inline constexpr size_t kMaxSavedBytes = 16 << 20;

// The object to create, without status, finalizers and owners: the controllers of the finalizers
// may be gone, so that nobody could delete the object; and as its owners are gone, the garbage
// collector would delete it at once. Total. kInvalidArgument when `yaml` is not the object of
// `resource` with this `name`.
absl::StatusOr<boost::json::value> ObjectToRestore(std::string_view yaml,
                                                   const SavedResource& resource,
                                                   const kube::NamespacedName& name);

}  // namespace steward::plugin

#endif  // PLUGIN_SAVING_SAVED_OBJECT_H_
