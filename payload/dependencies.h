// Finds which manifests of a payload depend on others. Immutable.
#ifndef PAYLOAD_DEPENDENCIES_H_
#define PAYLOAD_DEPENDENCIES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "olm/payload/payload.h"
#include "olm/payload/task_graph.h"
#include "payload/brought_kinds.h"

namespace steward::payload {

// Finds the manifests that create an object's namespace or definition, and tells by the graph's
// order whether they are applied before the object. Manifests are named by their indices.
class Dependencies {
 public:
  Dependencies(const std::vector<olm::PayloadManifest>& manifests, const olm::TaskGraph& graph);

  // Returns the manifest that defines the kind and version of the object of manifest `index`;
  // nullopt: none does.
  std::optional<size_t> DefinitionOf(size_t index) const;
  // Returns the manifest that creates the namespace of the object; nullopt: none does.
  std::optional<size_t> NamespaceOf(size_t index) const;

  // Returns false if `other` certainly comes after `index`, so that waiting for it is in vain.
  bool MayComeBefore(size_t other, size_t index) const;
  // Returns true if both are applied at the same time, so that one may have to wait for the other.
  bool AreBeside(size_t other, size_t index) const;

 private:
  // A manifest's place in the graph: the stage, the node within the stage, the place within the
  // node.
  struct Turn {
    size_t stage = 0;
    size_t node = 0;
    size_t place = 0;
  };

  const std::vector<olm::PayloadManifest>& manifests_;
  const BroughtKinds brought_;
  std::map<std::string, size_t> namespaces_;
  std::vector<Turn> turns_;  // the index is that of the manifest
};

}  // namespace steward::payload

#endif  // PAYLOAD_DEPENDENCIES_H_
