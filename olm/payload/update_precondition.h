// The conditions under which an update from one release to another may begin. Values and pure
// functions.
#ifndef OLM_PAYLOAD_UPDATE_PRECONDITION_H_
#define OLM_PAYLOAD_UPDATE_PRECONDITION_H_

#include <string>
#include <vector>

#include "olm/payload/payload.h"
#include "olm/payload/payload_record.h"
#include "olm/payload/release_version.h"

namespace steward::olm {

struct UpdateQuestion {
  const PayloadRecord& record;
  const ReleaseVersion& to;
  // The manifests of the new payload that the cluster takes.
  const std::vector<PayloadManifest>& manifests;
  // The operators that say Upgradeable=False, each with its reason (R-003-37).
  std::vector<std::string> not_upgradeable;
  bool allow_stale_deletes = false;
};

// The reasons why the update may not begin, one sentence each; empty: it may. Refuses only updates
// to another minor or major version (R-003-20, 48): because of removals that have not ended, of
// `not_upgradeable`, and of delete manifests whose objects an earlier minor version has removed
// already (unless `allow_stale_deletes`).
std::vector<std::string> ReasonsNotToUpdate(const UpdateQuestion& question);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_UPDATE_PRECONDITION_H_
