// The counts of an operator's custom resources, by their fate in a cleanup. Runs on the caller's
// executor.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_OPERAND_COUNTER_H_
#define CONTROLLERS_CLEANUP_OPERANDS_OPERAND_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"

namespace steward::controllers {

struct CountedOperand {
  kube::NamespacedName name;
  std::string uid;
  olm::OperandFate fate = olm::OperandFate::kKeep;
};

struct OperandCount {
  olm::CrdPlan plan;
  kube::GroupVersionResource gvr;  // the version that answered
  int64_t to_delete = 0;           // not being deleted yet
  int64_t waited_for = 0;          // being deleted
  int64_t kept = 0;
  std::string unreadable;             // why counting failed; "" = it succeeded
  std::vector<CountedOperand> first;  // of all, in the list's order

  int64_t all() const { return to_delete + waited_for + kept; }
};

// Lists the whole cluster, live, page by page: memory is one page, and the first `keep` operands.
// Uses the storage version or, if that fails, another served version, as ListOperands does.
// REQUIRES: `client` outlives the call.
boost::asio::awaitable<OperandCount> CountOperands(kube::Client& client, olm::CrdPlan plan,
                                                   size_t keep = 0);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_OPERAND_COUNTER_H_
