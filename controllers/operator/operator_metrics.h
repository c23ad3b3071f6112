// The metrics of Operators. Thread-safe.
#ifndef CONTROLLERS_OPERATOR_OPERATOR_METRICS_H_
#define CONTROLLERS_OPERATOR_OPERATOR_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/registry.h>

namespace steward::controllers {

// Series: steward_operator_writes_total{write=Create|Status|Delete|Label}.
struct OperatorMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit OperatorMetrics(prometheus::Registry& registry);

  prometheus::Counter& created;
  prometheus::Counter& status_written;
  prometheus::Counter& deleted;
  prometheus::Counter& labelled;  // objects that got or lost a component label
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_OPERATOR_METRICS_H_
