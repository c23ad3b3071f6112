// Contradictions between manifests of one payload that the same cluster takes. Pure functions.
#ifndef OLM_PAYLOAD_CONTRADICTIONS_H_
#define OLM_PAYLOAD_CONTRADICTIONS_H_

#include <cstddef>
#include <vector>

#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"

namespace steward::olm {

// `taken` are the manifests that one cluster takes. Faults: two manifests for one object, whether
// they apply or delete it (R-003-34, 55); an object that is applied in a namespace that is deleted
// (R-003-30); an object that names a namespace although its kind is cluster-scoped, or the reverse,
// if every cluster has the kind or a manifest defines it.
std::vector<PayloadFault> ContradictionsAmong(const std::vector<PayloadManifest>& taken);

inline constexpr size_t kMaxPayloadClusters = 256;

// Returns the contradictions in any cluster, each with that cluster's profile and feature set. The
// clusters are all combinations of the profiles and feature sets of `given` and of the manifests.
// If the manifests name no profile, clusters without a profile count as well. More than
// kMaxPayloadClusters combinations are a fault by themselves.
std::vector<PayloadFault> ContradictionsAnywhere(const std::vector<PayloadManifest>& manifests,
                                                 const ClusterChoices& given);

// The choices of every cluster that the manifests tell apart by profile and feature set, `given`
// first. At most kMaxPayloadClusters + 1, which means that there are too many.
std::vector<ClusterChoices> ClustersToldApart(const std::vector<PayloadManifest>& manifests,
                                              const ClusterChoices& given);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_CONTRADICTIONS_H_
