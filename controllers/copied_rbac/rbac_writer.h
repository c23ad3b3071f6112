// Sends the requests that write or delete one copied Role and its RoleBinding. Lives on one
// executor.
#ifndef CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_
#define CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/copied_rbac/copied_rbac_metrics.h"
#include "kube/client/client.h"
#include "kube/meta/write_options.h"
#include "olm/copied_rbac/rbac_copy.h"
#include "olm/copied_rbac/rbac_object.h"

namespace steward::controllers {

// A pair in one namespace. `role_there` and `binding_there` are the existing copies from a live
// list (only their identity); null = there is no copy of the name.
struct RbacSlot {
  olm::WantedRbac role;
  olm::WantedRbac binding;
  const olm::StoredRbac* role_there = nullptr;
  const olm::StoredRbac* binding_there = nullptr;
  // The locked Role, if it waits for its rules (Give).
  std::optional<boost::json::object> locked;
};

enum class PutResult {
  kDone,
  kForeignRole,     // an object that is not a copy has the Role's name
  kForeignBinding,  // an object that is not a copy has the RoleBinding's name
  kStale,           // the object has changed since the list: look again
  // The write succeeded, but the stored content differs from the one that was sent: something
  // changes it on the way. Then the Role gets no rules.
  kNotObeyed,
};

// Every update and delete has the UID and resourceVersion of the object by which it was decided.
// Errors are those of the client. `may_send` is passed to each write.
class RbacWriter {
 public:
  // REQUIRES: the references outlive this object.
  RbacWriter(kube::Client& client, CopiedRbacMetrics& metrics)
      : client_(client), metrics_(metrics) {}

  // Writes the objects that differ, the Role first. A Role that shall grant more than now is only
  // locked (`slot.locked`), so that nobody can bind it any more. The caller then checks who is
  // bound to it, and calls Give. May be called again after an error. REQUIRES: `slot` outlives the
  // call.
  Task<PutResult> Prepare(RbacSlot& slot, kube::SendCheck may_send);
  // Writes the wanted rules into the Role, if it has not changed since it was locked. REQUIRES:
  // slot.locked; `slot` outlives the call.
  Task<PutResult> Give(const RbacSlot& slot, kube::SendCheck may_send);
  // Empties the Role and locks it, because somebody else is bound to it. REQUIRES: slot.role_there;
  // `slot` outlives the call.
  Task<PutResult> TakeBack(const RbacSlot& slot, kube::SendCheck may_send);
  // Writes kUnwantedSinceAnnotation to a copy that waits for another copy to take its place, so
  // that a later leader knows it. Updates copy.facts.resource_version. Returns false if `copy` is
  // stale. REQUIRES: `copy` outlives the call.
  Task<bool> NoteWait(olm::StoredRbac& copy, absl::Time since, kube::SendCheck may_send);
  // Deletes a copy. If finalizers keep the copy, empties it. Returns kDone, kStale or kNotObeyed.
  // REQUIRES: `copy` outlives the call.
  Task<PutResult> Remove(const olm::StoredRbac& copy, kube::SendCheck may_send);

 private:
  struct Written {
    PutResult result = PutResult::kDone;
    boost::json::object object;  // as the server answered, with kDone
  };

  static Written As(std::optional<boost::json::object> obeyed);
  Task<PutResult> PutRole(RbacSlot& slot, kube::SendCheck may_send);
  Task<PutResult> PutBinding(const RbacSlot& slot, kube::SendCheck may_send);
  Task<Written> Create(const olm::WantedRbac& wanted, kube::SendCheck may_send);
  Task<Written> Update(const olm::WantedRbac& wanted, boost::json::object stored,
                       kube::SendCheck may_send);
  Task<bool> Delete(const olm::StoredRbac& copy, kube::SendCheck may_send);
  // The present state of the object; nullopt when it is gone or has another UID.
  Task<std::optional<olm::StoredRbac>> ReadNow(const olm::StoredRbac& listed);

  kube::Client& client_;
  CopiedRbacMetrics& metrics_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_
