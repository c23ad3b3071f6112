// What the path of a file in a must-gather says about the file's objects. Pure functions.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_LAYOUT_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_LAYOUT_H_

#include <optional>
#include <string>
#include <string_view>

namespace steward::storage {

struct DumpPlace {
  std::string ns;  // "" for cluster-scoped objects
  std::string group;
  std::string resource;  // plural
};

// The place that `path`, relative to the dump, stands for. Folders above these are ignored:
//   cluster-scoped-resources/GROUP/RESOURCE.yaml, a list, or .../GROUP/RESOURCE/NAME.yaml
//   namespaces/NS/GROUP/RESOURCE.yaml, a list, or .../GROUP/RESOURCE/NAME.yaml
//   namespaces/NS/NS.yaml, the Namespace, and namespaces/NS/pods/POD/POD.yaml
// GROUP is `core` for the group without a name. nullopt for any other path, and if RESOURCE is no
// DNS label, because all names of resources are DNS labels.
std::optional<DumpPlace> PlaceOf(std::string_view path);

// True for the files that are read: .yaml, .yml and .json outside of hidden folders.
bool IsDumpFile(std::string_view path);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_LAYOUT_H_
