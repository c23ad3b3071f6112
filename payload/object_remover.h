// The removal of a payload's objects. Lives on one executor.
#ifndef PAYLOAD_OBJECT_REMOVER_H_
#define PAYLOAD_OBJECT_REMOVER_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "olm/payload/payload.h"
#include "olm/payload/removal.h"
#include "payload/record_store.h"

namespace steward::payload {

struct ObjectRemoverOptions {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::string version;    // of the payload
  bool redelete = false;  // what reappeared is deleted again
  bool allow_olm_deletes = false;
  // Waits for the end of each deletion for this long (R-003-22); nullopt: does not wait (R-003-17).
  std::optional<absl::Duration> wait;
  absl::Duration poll = absl::Seconds(1);
};

// What a removal would come to now, by reads alone.
struct RemovalInspection {
  // Nullopt: the server serves the kind in no version.
  std::optional<kube::RestMapping> mapping;
  kube::NamespacedName name;
  std::optional<olm::LiveObject> live;
  olm::RemovalDecision decision;
  // The reason for which it is not deleted, although that is decided; "" = none.
  std::string refused;
  // The state in which that was judged, where it may change; "" = any.
  std::string resource_version;
};

// The reason for which no definition of OLM's is deleted while there are operators.
inline constexpr std::string_view kOperatorsWouldGo =
    "there are ClusterServiceVersions, and every operator goes with OLM's definitions; "
    "--allow-olm-deletes deletes it all the same";
// True if there is any operator: a ClusterServiceVersion, in whichever namespace.
Task<bool> HasOperators(kube::Client& client, kube::RestMapper& mapper);

// The removal is recorded before each DELETE, which carries the UID that was recorded. So whatever
// ends this process in between, the next one goes on, and nobody deletes another object that came
// under the name.
class ObjectRemover {
 public:
  // Told when a removal has changed, once it is recorded.
  using Changed = std::function<void(const olm::Removal& removal)>;

  // REQUIRES: the references outlive this object.
  ObjectRemover(kube::Client& client, kube::RestMapper& mapper, Clock& clock, RecordStore& record,
                ObjectRemoverOptions options, Changed changed)
      : client_(client),
        mapper_(mapper),
        clock_(clock),
        record_(record),
        options_(std::move(options)),
        changed_(std::move(changed)) {}

  // Reads the object of a delete manifest, or of a removal, whose version may be unknown (""), and
  // decides. A kind that is not served in the manifest's version is looked for in the others.
  // Errors, of discovery as well, say nothing of the object.
  Task<RemovalInspection> Inspect(olm::PayloadIdentity identity, std::string version);

  // Takes the removal a step further, or to its end where it waits. The object's removal then;
  // nullopt where the object is kept. Errors: the object could not be looked at or recorded, the
  // deletion was refused (it is recorded as Failed), or did not end in time.
  Task<std::optional<olm::Removal>> Remove(olm::PayloadIdentity identity, std::string version);

 private:
  // The answer to a DELETE; nullopt where none was sent.
  using Answer = std::optional<absl::Status>;
  // Without `answer` nothing is deleted.
  Task<std::optional<olm::Removal>> Step(olm::PayloadIdentity identity, std::string version,
                                         Answer* answer);
  StatusTask Record(const olm::Removal& removal);
  StatusTask Fail(olm::Removal removal, absl::Status why);

  kube::Client& client_;
  kube::RestMapper& mapper_;
  Clock& clock_;
  RecordStore& record_;
  const ObjectRemoverOptions options_;
  const Changed changed_;
};

}  // namespace steward::payload

#endif  // PAYLOAD_OBJECT_REMOVER_H_
