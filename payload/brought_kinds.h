// The kinds that a payload's own definitions bring. A pure function.
#ifndef PAYLOAD_BROUGHT_KINDS_H_
#define PAYLOAD_BROUGHT_KINDS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/rest_mapper.h"
#include "olm/payload/payload.h"

namespace steward::payload {

// By group and kind; the resources have no version.
using BroughtKinds = std::map<std::pair<std::string, std::string>, kube::RestMapping>;

// Of the CustomResourceDefinitions that are applied.
BroughtKinds BroughtBy(const std::vector<olm::PayloadManifest>& manifests);

}  // namespace steward::payload

#endif  // PAYLOAD_BROUGHT_KINDS_H_
