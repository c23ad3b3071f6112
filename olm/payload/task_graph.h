// The order in which a payload's manifests are worked on. Values and pure functions.
#ifndef OLM_PAYLOAD_TASK_GRAPH_H_
#define OLM_PAYLOAD_TASK_GRAPH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olm/payload/payload.h"

namespace steward::olm {

// The parts of a file's name: `0000_<level>_<component>_…`.
struct PayloadName {
  int level = 0;
  std::string component;  // words joined by dashes
  bool operator==(const PayloadName&) const = default;
};
// Nullopt for a name of another form.
std::optional<PayloadName> ReadPayloadName(std::string_view file);

// Indices of manifests, one after the other.
using TaskNode = std::vector<size_t>;
// Nodes that may be worked on at the same time.
using TaskStage = std::vector<TaskNode>;
// Each stage begins when all nodes of the one before have ended; so no stage is worked on of which
// one before has failed.
using TaskGraph = std::vector<TaskStage>;

// For an update: components of one level beside each other, levels after each other; what has one
// component alone, or a name of another form, goes on in one node with its neighbours. A Job of
// batch/v1 is a stage of its own, between all before and all behind it (R-003-11, 12).
TaskGraph UpdateGraph(const std::vector<PayloadManifest>& manifests);

// For an installation, and while everything is kept as it is: each component of a level by itself,
// without an order of levels, so that one that fails holds up no other; but Jobs still part what
// stands before them from what stands behind.
TaskGraph FlatGraph(const std::vector<PayloadManifest>& manifests);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_TASK_GRAPH_H_
