// The rights that a payload needs, asked for before its first write. A coroutine on the caller's
// executor.
#ifndef PAYLOAD_RIGHTS_H_
#define PAYLOAD_RIGHTS_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "olm/payload/payload.h"

namespace steward::payload {

// The rights that the client's user lacks for applying these manifests, and with `deletes` for
// deleting what they say, each as `patch deployments.apps "name" in namespace "ns"`, sorted; at
// most 64, and then how many more. Whoever applies a role needs `escalate` on it, or all rights
// that it gives; whoever applies a binding, `bind` on its role, or the same. A kind that is not
// served yet is asked about where a definition of the payload brings it. Empty where the server
// knows no SelfSubjectAccessReview. REQUIRES: the references outlive the task.
Task<std::vector<std::string>> FindMissingRights(kube::Client& client, kube::RestMapper& mapper,
                                                 const std::vector<olm::PayloadManifest>& manifests,
                                                 bool deletes);

}  // namespace steward::payload

#endif  // PAYLOAD_RIGHTS_H_
