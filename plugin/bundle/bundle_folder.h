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
  // The objects that OLM would make steps of, in the order of the files' names: of each file the
  // first object; of objects of one name the last one.
  std::vector<BundleObject> manifests;
  std::vector<BundleObject> metadata;  // what the files of metadata/ say
  // Files of metadata/ that have a top-level `properties` (R-002-08 to 10), and all of those
  // together.
  std::vector<BundleObject> with_properties;
  std::string properties;  // {"properties": […]}; "" = none
  olm::OptionalManifests declared;
  // The parts that cannot be read, are left out, or break the rules of the properties.
  Findings findings;

  std::vector<boost::json::object> Objects() const;
  // The bundle's properties, and behind them those that its dependencies
  // (metadata/dependencies.yaml) come to.
  boost::json::array AllProperties() const;
  // The spec of a PlanPreview that asks for it.
  boost::json::object PreviewSpec() const;
};

// Reads `path`; of manifests/ and metadata/ the files that lie in it directly, of any name. Misused
// (plugin/command/exit.h) where it is no bundle at all: no folder, or one without manifests/.
// Everything else that is wrong is among the findings.
absl::StatusOr<BundleFolder> ReadBundleFolder(const std::string& path);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_BUNDLE_FOLDER_H_
