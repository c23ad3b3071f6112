// A live and complete listing of the custom resources for which an uninstallation has to wait. Runs
// on the caller's executor.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_OPERAND_LISTER_H_
#define CONTROLLERS_CLEANUP_OPERANDS_OPERAND_LISTER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"

namespace steward::controllers {

// A pending custom resource.
struct Operand {
  kube::NamespacedName name;
  std::string uid;
  std::string deletion_timestamp;  // "" = not being deleted yet
  std::vector<std::string> finalizers;
  bool gone = false;  // gone since the listing

  bool deleting() const { return !deletion_timestamp.empty(); }
};

// The pending operands of one owned definition.
struct OperandsOfCrd {
  olm::CrdPlan plan;
  kube::GroupVersionResource gvr;  // the version that answered
  std::vector<Operand> pending;
};

struct OperandListing {
  std::vector<OperandsOfCrd> crds;
  // Definitions with targets that are being deleted: pending until they are gone.
  std::vector<std::string> terminating_crds;

  size_t custom_resources() const;  // without those that are gone
  // All that is waited for: custom resources, and definitions that are being deleted.
  size_t pending() const { return custom_resources() + terminating_crds.size(); }
};

// Makes one pass over all of `plans`. Each list shows the present state with all its pages, by the
// storage version or, when that fails, by another served one (a conversion webhook may be dead).
// Objects that are neither to be deleted nor waited for are left out. Fails when any part could not
// be listed, as the listing would prove nothing. A list that expired between two pages starts the
// pass again, three times at most (R-000-70). Memory is proportional to the pending operands.
//
// REQUIRES: `client` outlives the call.
Task<OperandListing> ListOperands(kube::Client& client, std::vector<olm::CrdPlan> plans);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_OPERAND_LISTER_H_
