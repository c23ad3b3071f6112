// Hints at probable mistakes in a payload that is right. A pure function.
#ifndef OLM_PAYLOAD_HINTS_H_
#define OLM_PAYLOAD_HINTS_H_

#include <vector>

#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"

namespace steward::olm {

// Hints at: a delete manifest that no cluster takes (of ClustersToldApart), so that it deletes
// nothing; a delete manifest for an object in a namespace that is deleted, too (R-003-30); a
// deleted operator (Deployment) whose component still applies custom resources or definitions
// (R-003-13, 26); the deletion of a definition of OLM, which takes every operator along; and a key
// that differs from kPayloadDelete only by case or blanks, or stands in another place.
std::vector<PayloadFault> HintsOf(const std::vector<PayloadManifest>& manifests,
                                  const ClusterChoices& choices);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_HINTS_H_
