// Hints at probable mistakes in a payload that is right. A pure function.
#ifndef OLM_PAYLOAD_HINTS_H_
#define OLM_PAYLOAD_HINTS_H_

#include <vector>

#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"

namespace steward::olm {

// A delete manifest that no cluster takes of those that the payload tells apart, and of these
// choices: nothing is deleted by it; one that stands in a namespace that is deleted, too
// (R-003-30); an operator (a Deployment) that is deleted while custom resources or definitions of
// its component are applied (R-003-13, 26); the deletion of a definition of OLM's, with which every
// operator goes; and whatever differs from the annotation that asks for a removal by case, blanks
// or place.
std::vector<PayloadFault> HintsOf(const std::vector<PayloadManifest>& manifests,
                                  const ClusterChoices& choices);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_HINTS_H_
