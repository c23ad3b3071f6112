// A bundle in its author's folder: manifests/ and metadata/. Values; thread-safe functions.
#ifndef PLUGIN_BUNDLE_BUNDLE_FOLDER_H_
#define PLUGIN_BUNDLE_BUNDLE_FOLDER_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/manifest/manifest_files.h"
#include "olm/plan/optional_manifests.h"

namespace steward::plugin {

struct BundleFolder {
  std::vector<kube::ManifestObject> manifests;  // in the order of the files' names
  // Files of metadata/ that have a top-level `properties` (R-002-08 to 10): the place of each, and
  // all of them together.
  std::vector<std::string> properties_at;
  std::string properties;  // {"properties": […]}; "" = none
  olm::OptionalManifests declared;
  // What cannot be read, or breaks the rules of the properties.
  std::vector<kube::ManifestProblem> problems;

  std::vector<boost::json::object> Objects() const;
};

// Reads `path`; of metadata/ the files that lie in it directly, of any name. Misused
// (plugin/command/exit.h) where it is no bundle at all: no folder, or one without manifests/.
// Everything else that is wrong is among the problems.
absl::StatusOr<BundleFolder> ReadBundleFolder(const std::string& path);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_BUNDLE_FOLDER_H_
