// Lists, live and completely, the custom resources that an uninstallation has to wait for. Runs on
// the caller's executor.
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
  // The number of everything that a cleanup waits for: custom resources, and definitions that are
  // being deleted.
  size_t pending() const { return custom_resources() + terminating_crds.size(); }
};

// Lists the objects of all `plans` once. Each list shows the present state with all its pages. Uses
// the storage version or, if that fails, another served version (a conversion webhook may be dead).
// Leaves out objects that are neither to be deleted nor waited for. Fails if any part could not be
// listed, because an incomplete listing would prove nothing. If a list expires between two pages,
// starts again from the beginning, at most three times (R-000-70). Memory is proportional to the
// pending operands.
//
// REQUIRES: `client` outlives the call.
Task<OperandListing> ListOperands(kube::Client& client, std::vector<olm::CrdPlan> plans);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_OPERAND_LISTER_H_
