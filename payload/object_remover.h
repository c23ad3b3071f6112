// Deletes a payload's objects. Lives on one executor.
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
  bool redelete = false;  // objects that reappeared are deleted again
  bool allow_olm_deletes = false;
  // Waits for the end of each deletion for this long (R-003-22); nullopt: does not wait (R-003-17).
  std::optional<absl::Duration> wait;
  absl::Duration poll = absl::Seconds(1);
};

// The action that a removal would take now, found by reads alone.
struct RemovalInspection {
  // Nullopt: the server serves the kind in no version.
  std::optional<kube::RestMapping> mapping;
  kube::NamespacedName name;
  std::optional<olm::LiveObject> live;
  olm::RemovalDecision decision;
  // The reason why the object is not deleted although the decision says so; "" = none.
  std::string refused;
  // The resourceVersion of the object that was judged, if its state matters; "" = any.
  std::string resource_version;
};

// The reason why OLM's own definitions are not deleted while operators exist.
inline constexpr std::string_view kOperatorsWouldGo =
    "there are ClusterServiceVersions, and every operator goes with OLM's definitions; "
    "--allow-olm-deletes deletes it all the same";
// Returns true if a ClusterServiceVersion exists in any namespace.
Task<bool> HasOperators(kube::Client& client, kube::RestMapper& mapper);

// Each removal is recorded before its DELETE, which carries the recorded UID. So if this process
// ends at any point, the next one continues, and no other object that later took the name is
// deleted.
class ObjectRemover {
 public:
  // Called after a changed removal was recorded.
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

  // Reads the object of a delete manifest or of a removal, and decides. A removal's `version` may
  // be unknown (""). If the kind is not served in the manifest's version, other versions are tried.
  // Errors, including those of discovery, tell nothing about the object.
  Task<RemovalInspection> Inspect(olm::PayloadIdentity identity, std::string version);

  // Takes the removal one step further, or to its end if the options ask to wait. Returns the new
  // state of the removal, or nullopt if the object is kept. Errors: the object could not be read or
  // recorded, the deletion was refused (it is recorded as Failed), or it did not end in time.
  Task<std::optional<olm::Removal>> Remove(olm::PayloadIdentity identity, std::string version);

 private:
  // The answer to a DELETE; nullopt: none was sent.
  using Answer = std::optional<absl::Status>;
  // If `answer` is null, nothing is deleted.
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
