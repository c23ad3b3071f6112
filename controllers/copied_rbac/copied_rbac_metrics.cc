#include "controllers/copied_rbac/copied_rbac_metrics.h"

#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

prometheus::Counter& Writes(prometheus::Registry& registry, const char* operation) {
  return CounterFamily(registry, "steward_copied_rbac_writes_total",
                       "Copied Roles and RoleBindings that were written, by operation")
      .Add({{"operation", operation}});
}

}  // namespace

CopiedRbacMetrics::CopiedRbacMetrics(prometheus::Registry& registry)
    : created(Writes(registry, "create")),
      updated(Writes(registry, "update")),
      deleted(Writes(registry, "delete")),
      foreign_(GaugeFamily(registry, "steward_copied_rbac_foreign",
                           "Places where a Role or RoleBinding should be copied to, and an object "
                           "that is no copy is in the way")
                   .Add({})) {}

void CopiedRbacMetrics::SetForeign(const std::string& source, size_t count) {
  counts_.erase(source);
  if (count > 0) counts_[source] = count;
  size_t sum = 0;
  for (const auto& [each, foreign] : counts_) sum += foreign;
  foreign_.Set(static_cast<double>(sum));
}

void CopiedRbacMetrics::ForgetAll() {
  counts_.clear();
  foreign_.Set(0);
}

}  // namespace steward::controllers
