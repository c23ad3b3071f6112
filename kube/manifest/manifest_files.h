// Reading of objects from files of YAML and JSON, as `kubectl apply --recursive --filename` does.
// Thread-safe functions.
#ifndef KUBE_MANIFEST_MANIFEST_FILES_H_
#define KUBE_MANIFEST_MANIFEST_FILES_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace steward::kube {

inline constexpr size_t kMaxManifestFile = 64 << 20;  // bytes
// The limit of all files together: their objects are held in memory until they are written.
inline constexpr size_t kMaxFileBytes = 512 << 20;

// An object, or the value found in place of one, and where it stands: "crds/a.yaml:12" (the line of
// the `---` before it), or "all.json:1, item 3" for an item of a list.
struct ManifestObject {
  std::string where;
  boost::json::object object;
};
struct ManifestProblem {
  std::string where;
  std::string what;
};
struct Manifests {
  std::vector<ManifestObject> objects;
  // The lists, without their items, that some of `objects` were items of.
  std::vector<ManifestObject> lists;
  std::vector<ManifestProblem> problems;
};

// The files that `paths` stand for: a file stands for itself, a folder for the .yaml, .yml and
// .json files in it and in folders below it, sorted by path. Names that begin with a dot are
// skipped, and links to folders are not followed. Each file is listed once. An error names the path
// that cannot be read.
absl::StatusOr<std::vector<std::string>> FindManifests(const std::vector<std::string>& paths);

// The files in `folder` itself (not below), in the byte order of their names; a link counts as the
// thing it points to; a broken link counts as a file. Names that begin with a dot are skipped. An
// error names the folder.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder);
// The same, but only the .yaml, .yml and .json files.
absl::StatusOr<std::vector<std::string>> ManifestFilesIn(const std::string& folder);

// The file's content; an error gives the reason, without the path. `limit` in bytes.
absl::StatusOr<std::string> ReadManifest(const std::string& path, size_t limit);

// Appends the objects in `text`: documents of YAML, or of JSON one after the other, each an object
// or a list (a kind that ends with "List" and has items, null items, or nothing but metadata
// without a name; items of a typed list may lack apiVersion and kind). Bad parts become problems
// and don't hide the rest.
void ParseManifests(std::string_view path, std::string_view text, Manifests& out);

}  // namespace steward::kube

#endif  // KUBE_MANIFEST_MANIFEST_FILES_H_
