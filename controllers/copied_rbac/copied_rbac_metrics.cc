#include "controllers/copied_rbac/copied_rbac_metrics.h"

namespace steward::controllers {
namespace {

prometheus::Counter& Writes(prometheus::Registry& registry, const char* operation) {
  return prometheus::BuildCounter()
      .Name("steward_copied_rbac_writes_total")
      .Help("Copied Roles and RoleBindings that were written, by operation")
      .Register(registry)
      .Add({{"operation", operation}});
}

}  // namespace

CopiedRbacMetrics::CopiedRbacMetrics(prometheus::Registry& registry)
    : created(Writes(registry, "create")),
      updated(Writes(registry, "update")),
      deleted(Writes(registry, "delete")),
      foreign_(prometheus::BuildGauge()
                   .Name("steward_copied_rbac_foreign")
                   .Help("Places where a Role or RoleBinding should be copied to, and an object "
                         "that is no copy is in the way")
                   .Register(registry)
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
