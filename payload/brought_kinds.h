// The kinds that a payload's own definitions bring. A pure function.
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
  kube::RestMapping mapping;       // without a version
  std::set<std::string> versions;  // that are served
  size_t manifest = 0;             // the index of its definition
};
// By group and kind.
using BroughtKinds = std::map<std::pair<std::string, std::string>, BroughtKind>;

// The kinds of the CustomResourceDefinitions among `manifests` that are applied.
BroughtKinds BroughtBy(const std::vector<olm::PayloadManifest>& manifests);

}  // namespace steward::payload

#endif  // PAYLOAD_BROUGHT_KINDS_H_
