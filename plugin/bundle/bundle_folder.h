// A bundle in its author's folder: manifests/ and metadata/. Values; thread-safe functions.
#ifndef PLUGIN_BUNDLE_BUNDLE_FOLDER_H_
#define PLUGIN_BUNDLE_BUNDLE_FOLDER_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/plan/optional_manifests.h"
#include "plugin/bundle/findings.h"

namespace steward::plugin {

// An object, and the file that it stands in.
struct BundleObject {
  std::string file;
  boost::json::object object;

  std::string where() const;  // "file:1"
};

struct BundleFolder {
  // The objects that OLM would make steps of, in the order of the files' names: the first object of
  // each file, and the last one of several objects with the same name.
  std::vector<BundleObject> manifests;
  std::vector<BundleObject> metadata;  // what the files of metadata/ say
  // Files of metadata/ that have a top-level `properties` (R-002-08 to 10). `properties` joins all
  // of them.
  std::vector<BundleObject> with_properties;
  std::string properties;  // {"properties": […]}; "" = none
  olm::OptionalManifests declared;
  // Parts that cannot be read, that are left out, or that break the rules for properties.
  Findings findings;

  std::vector<boost::json::object> Objects() const;
  // The bundle's properties, followed by those that stand for its dependencies
  // (metadata/dependencies.yaml).
  boost::json::array AllProperties() const;
  // The spec of a PlanPreview that asks about this bundle.
  boost::json::object PreviewSpec() const;
};

// Reads the bundle in the folder `path`: the files directly in manifests/ and metadata/, of any
// name. Misused (plugin/command/exit.h) if `path` is no folder or lacks manifests/. All other
// faults become findings.
absl::StatusOr<BundleFolder> ReadBundleFolder(const std::string& path);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_BUNDLE_FOLDER_H_
