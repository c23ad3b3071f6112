#include "controllers/operator/operator_metrics.h"

#include <prometheus/family.h>

#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

prometheus::Family<prometheus::Counter>& Writes(prometheus::Registry& registry) {
  return CounterFamily(registry, "steward_operator_writes_total",
                       "Writes of Operators and of their components' labels, by what was written");
}

}  // namespace

OperatorMetrics::OperatorMetrics(prometheus::Registry& registry)
    : created(Writes(registry).Add({{"write", "Create"}})),
      status_written(Writes(registry).Add({{"write", "Status"}})),
      deleted(Writes(registry).Add({{"write", "Delete"}})),
      labelled(Writes(registry).Add({{"write", "Label"}})) {}

}  // namespace steward::controllers
