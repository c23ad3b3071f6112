// The metrics of install plans. Thread-safe.
#ifndef CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_METRICS_H_
#define CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/registry.h>

namespace steward::controllers {

// Series: steward_install_plans_total{phase=Complete|Failed}, and
// steward_install_plan_steps_total{status=Created|Present|NotCreated}.
struct InstallPlanMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit InstallPlanMetrics(prometheus::Registry& registry);

  prometheus::Counter& complete;
  prometheus::Counter& failed;
  prometheus::Counter& created;
  prometheus::Counter& present;
  prometheus::Counter& not_created;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_METRICS_H_
