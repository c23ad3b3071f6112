// The requests that bring one copied Role and its RoleBinding into the state they shall have, or
// away. Lives on one executor.
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

// A pair in one namespace. The pointers are to copies that a live list has shown, by their
// identity; null = it has no copy of the name.
struct RbacSlot {
  olm::WantedRbac role;
  olm::WantedRbac binding;
  const olm::StoredRbac* role_there = nullptr;
  const olm::StoredRbac* binding_there = nullptr;
  // The Role as it is while it waits to be given something.
  std::optional<boost::json::object> locked;
};

enum class PutResult {
  kDone,
  kForeignRole,     // an object that is no copy has the name
  kForeignBinding,  // likewise
  kStale,           // what was listed is not so any more: look again
  // The server answered with success, and with another content than was sent: something changes it
  // on the way. Nothing is given then.
  kNotObeyed,
};

// Every change and deletion carries the UID and resourceVersion of the object that it stands on.
// Errors are those of the client. `may_send` is passed to each write.
class RbacWriter {
 public:
  // REQUIRES: the references outlive this object.
  RbacWriter(kube::Client& client, CopiedRbacMetrics& metrics)
      : client_(client), metrics_(metrics) {}

  // Writes what differs, the Role first. A Role that would grant more than now is locked instead
  // (`slot.locked`), so that nobody can bind it any more, and is to be given the rest after a look
  // at those who did before. May be called again after an error. REQUIRES: `slot` outlives the
  // call.
  Task<PutResult> Prepare(RbacSlot& slot, kube::SendCheck may_send);
  // Gives the Role, if it is still as it was locked, what it shall grant. REQUIRES: slot.locked,
  // and as above.
  Task<PutResult> Give(const RbacSlot& slot, kube::SendCheck may_send);
  // Takes away what the Role grants and locks it, as somebody else is bound to it. REQUIRES:
  // slot.role_there, and as above.
  Task<PutResult> TakeBack(const RbacSlot& slot, kube::SendCheck may_send);
  // Notes on a copy since when it waits for another one to take its place, where a later leader
  // finds it. `copy` then has the resourceVersion that it has by that. False: stale. REQUIRES:
  // `copy` outlives the call.
  Task<bool> NoteWait(olm::StoredRbac& copy, absl::Time since, kube::SendCheck may_send);
  // Deletes a copy; of one that something holds, takes away what it grants. kDone, kStale or
  // kNotObeyed. REQUIRES: `copy` outlives the call.
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
  // The object as it is now; nullopt when it is gone, or another one.
  Task<std::optional<olm::StoredRbac>> ReadNow(const olm::StoredRbac& listed);

  kube::Client& client_;
  CopiedRbacMetrics& metrics_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_
