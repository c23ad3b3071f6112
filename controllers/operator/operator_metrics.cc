#include "controllers/operator/operator_metrics.h"

#include <prometheus/family.h>

namespace steward::controllers {
namespace {

prometheus::Family<prometheus::Counter>& Writes(prometheus::Registry& registry) {
  return prometheus::BuildCounter()
      .Name("steward_operator_writes_total")
      .Help("Writes of Operators and of their components' labels, by what was written")
      .Register(registry);
}

}  // namespace

OperatorMetrics::OperatorMetrics(prometheus::Registry& registry)
    : created(Writes(registry).Add({{"write", "Create"}})),
      status_written(Writes(registry).Add({{"write", "Status"}})),
      deleted(Writes(registry).Add({{"write", "Delete"}})),
      labelled(Writes(registry).Add({{"write", "Label"}})) {}

}  // namespace steward::controllers
