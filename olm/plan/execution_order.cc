#include "olm/plan/execution_order.h"

#include <algorithm>
#include <numeric>

#include "olm/plan/step_kind.h"

namespace steward::olm {
namespace {

int RankOf(const PlanStep& step) {
  switch (StepKindOf(step.gvk)) {
    case StepKind::kCsv:
      return 0;
    case StepKind::kDefinition:
      return 1;
    case StepKind::kServiceAccount:
      return 2;
    case StepKind::kAccess:
      return 3;
    default:
      return 4;
  }
}

}  // namespace

std::vector<size_t> ExecutionOrder(const std::vector<PlanStep>& steps) {
  std::vector<size_t> order(steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&steps](size_t a, size_t b) { return RankOf(steps[a]) < RankOf(steps[b]); });
  return order;
}

}  // namespace steward::olm
