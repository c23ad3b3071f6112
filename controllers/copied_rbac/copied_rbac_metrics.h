// The metrics of copied Roles and RoleBindings. Not thread-safe.
#ifndef CONTROLLERS_COPIED_RBAC_COPIED_RBAC_METRICS_H_
#define CONTROLLERS_COPIED_RBAC_COPIED_RBAC_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <map>
#include <string>

namespace steward::controllers {

// Series: steward_copied_rbac_foreign (the slots where another object is in the way of a copy), and
// steward_copied_rbac_writes_total{operation=create|update|delete}, of writes that succeeded.
class CopiedRbacMetrics {
 public:
  // REQUIRES: `registry` outlives this object.
  explicit CopiedRbacMetrics(prometheus::Registry& registry);

  // Replaces the count for copies from one namespace.
  void SetForeign(const std::string& source, size_t count);
  // Called at the end of a term, because nothing is known from then on.
  void ForgetAll();

  prometheus::Counter& created;
  prometheus::Counter& updated;
  prometheus::Counter& deleted;

 private:
  prometheus::Gauge& foreign_;
  std::map<std::string, size_t> counts_;  // by source; no zeros
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_COPIED_RBAC_METRICS_H_
