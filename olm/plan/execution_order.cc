#include "olm/plan/execution_order.h"

#include <algorithm>
#include <numeric>

namespace steward::olm {
namespace {

int RankOf(StepKind kind) {
  switch (kind) {
    case StepKind::kCsv:
      return 0;
    case StepKind::kDefinition:
      return 1;
    case StepKind::kServiceAccount:
      return 2;
    case StepKind::kRole:
      return 3;
    case StepKind::kBinding:
      return 4;
    default:
      return 5;
  }
}

}  // namespace

std::vector<size_t> ExecutionOrder(const std::vector<StepKind>& kinds) {
  std::vector<size_t> order(kinds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&kinds](size_t a, size_t b) { return RankOf(kinds[a]) < RankOf(kinds[b]); });
  return order;
}

bool MayGoTogether(StepKind a, StepKind b) {
  return RankOf(a) == RankOf(b) && RankOf(a) >= RankOf(StepKind::kServiceAccount);
}

}  // namespace steward::olm
