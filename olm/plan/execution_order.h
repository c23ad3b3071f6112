// The order in which the steps of a plan are executed. A pure function.
#ifndef OLM_PLAN_EXECUTION_ORDER_H_
#define OLM_PLAN_EXECUTION_ORDER_H_

#include <cstddef>
#include <vector>

#include "olm/plan/step_kind.h"

namespace steward::olm {

// Indices of steps of these kinds: ClusterServiceVersions, then CustomResourceDefinitions
// (R-002-24), then ServiceAccounts, so that a token Secret finds its account, then roles, then
// their bindings, then the rest. Steps of the same rank keep the plan's order.
std::vector<size_t> ExecutionOrder(const std::vector<StepKind>& kinds);

// True for two kinds of the same rank whose steps need nothing of each other, so that the order
// between them is only that in which they are begun. Never true for ClusterServiceVersions and
// definitions.
bool MayGoTogether(StepKind a, StepKind b);

}  // namespace steward::olm

#endif  // OLM_PLAN_EXECUTION_ORDER_H_
