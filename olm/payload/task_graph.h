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
// A stage begins after all nodes of the stage before it have ended. If one of them fails, the later
// stages do not begin.
using TaskGraph = std::vector<TaskStage>;

// For an update: the levels one after the other, and the components of one level in parallel.
// Adjacent levels with one component each form one node; so do files whose names have another form.
// A Job of batch/v1 is a stage of its own, after everything before it and before everything behind
// it (R-003-11, 12).
TaskGraph UpdateGraph(const std::vector<PayloadManifest>& manifests);

// For an installation, and for reconciling a finished payload: each component of each level is a
// node of its own, and levels have no order, so a failed component delays no other. Only a Job
// still runs between the manifests before it and those behind it.
TaskGraph FlatGraph(const std::vector<PayloadManifest>& manifests);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_TASK_GRAPH_H_
