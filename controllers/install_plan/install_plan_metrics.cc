#include "controllers/install_plan/install_plan_metrics.h"

#include <prometheus/family.h>

#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

prometheus::Family<prometheus::Counter>& Plans(prometheus::Registry& registry) {
  return CounterFamily(registry, "steward_install_plans_total",
                       "InstallPlans that ended, by their phase");
}
prometheus::Family<prometheus::Counter>& Steps(prometheus::Registry& registry) {
  return CounterFamily(registry, "steward_install_plan_steps_total",
                       "Steps of InstallPlans that ended, by their status");
}

}  // namespace

InstallPlanMetrics::InstallPlanMetrics(prometheus::Registry& registry)
    : complete(Plans(registry).Add({{"phase", "Complete"}})),
      failed(Plans(registry).Add({{"phase", "Failed"}})),
      created(Steps(registry).Add({{"status", "Created"}})),
      present(Steps(registry).Add({{"status", "Present"}})),
      not_created(Steps(registry).Add({{"status", "NotCreated"}})) {}

}  // namespace steward::controllers
