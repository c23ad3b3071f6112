// Faults of the manifests of one payload that a cluster takes together. Pure functions.
#ifndef OLM_PAYLOAD_CONTRADICTIONS_H_
#define OLM_PAYLOAD_CONTRADICTIONS_H_

#include <cstddef>
#include <vector>

#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"

namespace steward::olm {

// Among manifests that one cluster takes: one object twice, whether both apply or delete it
// (R-003-34, 55); one that is applied in a namespace that is deleted (R-003-30); and a namespace
// too many or too few, where every cluster has the kind, or one of the manifests defines it.
std::vector<PayloadFault> ContradictionsAmong(const std::vector<PayloadManifest>& taken);

inline constexpr size_t kMaxPayloadClusters = 256;

// Returns the contradictions that some cluster meets, each with its profile and feature set. The
// clusters combine those of `given` with all that the manifests name; if they name no profile,
// clusters without one count as well. More than kMaxPayloadClusters combinations are a fault by
// themselves.
std::vector<PayloadFault> ContradictionsAnywhere(const std::vector<PayloadManifest>& manifests,
                                                 const ClusterChoices& given);

// The choices of every cluster that the manifests tell apart by profile and feature set, `given`
// first; at most kMaxPayloadClusters and one more.
std::vector<ClusterChoices> ClustersToldApart(const std::vector<PayloadManifest>& manifests,
                                              const ClusterChoices& given);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_CONTRADICTIONS_H_
