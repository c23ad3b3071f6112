// Finds the kinds that a payload's own CustomResourceDefinitions add. A pure function.
#ifndef PAYLOAD_BROUGHT_KINDS_H_
#define PAYLOAD_BROUGHT_KINDS_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/rest_mapper.h"
#include "olm/payload/payload.h"

namespace steward::payload {

struct BroughtKind {
  kube::RestMapping mapping;       // its version is empty
  std::set<std::string> versions;  // the served ones
  size_t manifest = 0;             // the index of the definition's manifest
};
// The key is the group and the kind.
using BroughtKinds = std::map<std::pair<std::string, std::string>, BroughtKind>;

// Returns the kinds of the CustomResourceDefinitions in `manifests`. Delete manifests do not count.
BroughtKinds BroughtBy(const std::vector<olm::PayloadManifest>& manifests);

}  // namespace steward::payload

#endif  // PAYLOAD_BROUGHT_KINDS_H_
