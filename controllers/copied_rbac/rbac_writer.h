// The requests that bring one copied Role and its RoleBinding into the state they shall have, or
// away. Lives on one executor.
#ifndef CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_
#define CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_

#include <string>

#include "base/async/task.h"
#include "controllers/copied_rbac/copied_rbac_metrics.h"
#include "kube/client/client.h"
#include "kube/meta/write_options.h"
#include "olm/copied_rbac/rbac_copy.h"
#include "olm/copied_rbac/rbac_object.h"

namespace steward::controllers {

// A pair in one namespace. The pointers are to copies that a live list has shown; null = it has no
// copy of the name.
struct RbacSlot {
  olm::WantedRbac role;
  olm::WantedRbac binding;
  const olm::StoredRbac* role_there = nullptr;
  const olm::StoredRbac* binding_there = nullptr;

  bool IsRight() const;
  // True when the Role will grant what it does not grant now.
  bool Widens() const;
};

enum class PutResult {
  kDone,
  kForeignRole,     // an object that is no copy has the name
  kForeignBinding,  // likewise
  kStale,           // what was listed is not so any more: look again
};

// Every change and deletion carries the UID and resourceVersion that were listed. Errors are those
// of the client. `may_send` is passed to each write.
class RbacWriter {
 public:
  // REQUIRES: the references outlive this object.
  RbacWriter(kube::Client& client, CopiedRbacMetrics& metrics)
      : client_(client), metrics_(metrics) {}

  // Writes what differs. A binding that is there comes before its Role, so that nobody but the
  // wanted subjects gets what the Role is given; a new one after it, when the Role proves to be a
  // copy. REQUIRES: `slot` outlives the call.
  Task<PutResult> Put(const RbacSlot& slot, kube::SendCheck may_send);
  // Writes what differs of the objects that are there, but gives the Role nothing that it does not
  // grant. kStale, or kForeignBinding. REQUIRES: as above.
  Task<PutResult> Narrow(const RbacSlot& slot, kube::SendCheck may_send);
  // Deletes a copy; of one that something holds, takes away what it grants. False: stale.
  // REQUIRES: `copy` outlives the call.
  Task<bool> Remove(const olm::StoredRbac& copy, kube::SendCheck may_send);
  // Takes away what the Role grants, when it is a copy from `source`. False: stale.
  Task<bool> Empty(kube::NamespacedName role, std::string source, kube::SendCheck may_send);

 private:
  Task<PutResult> Create(const olm::WantedRbac& wanted, kube::SendCheck may_send);
  Task<bool> Update(olm::RbacKind kind, boost::json::value object, kube::SendCheck may_send);
  Task<bool> Delete(const olm::StoredRbac& copy, kube::SendCheck may_send);
  // Makes an object that is there right; false: stale. A binding that cannot be changed is deleted.
  Task<bool> Correct(const olm::StoredRbac* there, const olm::WantedRbac& wanted,
                     kube::SendCheck may_send);

  kube::Client& client_;
  CopiedRbacMetrics& metrics_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_WRITER_H_
