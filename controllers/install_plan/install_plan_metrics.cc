#include "controllers/install_plan/install_plan_metrics.h"

#include <prometheus/family.h>

namespace steward::controllers {
namespace {

prometheus::Family<prometheus::Counter>& Plans(prometheus::Registry& registry) {
  return prometheus::BuildCounter()
      .Name("steward_install_plans_total")
      .Help("InstallPlans that ended, by their phase")
      .Register(registry);
}
prometheus::Family<prometheus::Counter>& Steps(prometheus::Registry& registry) {
  return prometheus::BuildCounter()
      .Name("steward_install_plan_steps_total")
      .Help("Steps of InstallPlans that ended, by their status")
      .Register(registry);
}

}  // namespace

InstallPlanMetrics::InstallPlanMetrics(prometheus::Registry& registry)
    : complete(Plans(registry).Add({{"phase", "Complete"}})),
      failed(Plans(registry).Add({{"phase", "Failed"}})),
      created(Steps(registry).Add({{"status", "Created"}})),
      present(Steps(registry).Add({{"status", "Present"}})),
      not_created(Steps(registry).Add({{"status", "NotCreated"}})) {}

}  // namespace steward::controllers
