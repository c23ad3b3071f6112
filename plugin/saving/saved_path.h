// The paths of saved objects. Pure functions.
#ifndef PLUGIN_SAVING_SAVED_PATH_H_
#define PLUGIN_SAVING_SAVED_PATH_H_

#include <string>
#include <string_view>

#include "kube/meta/names.h"

namespace steward::plugin {

// `text` as the name of a file or folder on any file system: lower case letters, digits, '-' and
// (not at the start) '.' stay, every other byte becomes %XX. Names of more than 200 bytes are cut
// and end in a hash of the whole, so different names stay different.
std::string SafeFileName(std::string_view text);

// The path "<crd>/<namespace>/<name>.yaml"; "_cluster" stands for the namespace of a cluster-scoped
// object.
std::string SavedPath(std::string_view crd, const kube::NamespacedName& name);

}  // namespace steward::plugin

#endif  // PLUGIN_SAVING_SAVED_PATH_H_
