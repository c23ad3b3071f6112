// What the manifests of a payload need of each other. Immutable.
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

// By the order of a graph, whether the manifest that an object needs, since it makes its namespace
// or its definition, is worked on before it. Manifests are named by their indices.
class Dependencies {
 public:
  Dependencies(const std::vector<olm::PayloadManifest>& manifests, const olm::TaskGraph& graph);

  // The manifest that defines the kind, in the version, of the object of another; nullopt: none.
  std::optional<size_t> DefinitionOf(size_t index) const;
  // The manifest that makes the namespace of the object; nullopt: none does.
  std::optional<size_t> NamespaceOf(size_t index) const;

  // False where `other` is worked on later for certain, and so is never reached.
  bool MayComeBefore(size_t other, size_t index) const;
  // True where they are worked on at the same time, so that one may have to wait for the other.
  bool AreBeside(size_t other, size_t index) const;

 private:
  // A manifest's place in the graph: its stage, the node of it, the place in that.
  struct Turn {
    size_t stage = 0;
    size_t node = 0;
    size_t place = 0;
  };

  const std::vector<olm::PayloadManifest>& manifests_;
  const BroughtKinds brought_;
  std::map<std::string, size_t> namespaces_;
  std::vector<Turn> turns_;  // by manifest
};

}  // namespace steward::payload

#endif  // PAYLOAD_DEPENDENCIES_H_
