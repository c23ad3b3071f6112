// Checks the rights that a payload needs before its first write. A coroutine on the caller's
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

// Returns the rights that the client's user lacks to apply these manifests, and with `deletes` also
// to carry out the delete manifests. Each reads like `patch deployments.apps "name" in namespace
// "ns"`; they are sorted, at most 64, followed by the number of the others. Applying a role takes
// `escalate` on it or all rights that it grants; applying a binding takes `bind` on its role or the
// same rights. A kind that is not served yet is checked if a definition of the payload adds it. The
// result is empty if the server has no SelfSubjectAccessReview. REQUIRES: the references outlive
// the task.
Task<std::vector<std::string>> FindMissingRights(kube::Client& client, kube::RestMapper& mapper,
                                                 const std::vector<olm::PayloadManifest>& manifests,
                                                 bool deletes);

}  // namespace steward::payload

#endif  // PAYLOAD_RIGHTS_H_
