// The Operators themselves: made, brought up to date and deleted. Lives on one executor.
#ifndef CONTROLLERS_OPERATOR_OPERATOR_WRITER_H_
#define CONTROLLERS_OPERATOR_OPERATOR_WRITER_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "controllers/operator/component_index.h"
#include "controllers/operator/operator_metrics.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/rest_mapper.h"
#include "olm/operator/operator_status.h"

namespace steward::controllers {

// The components of one Operator that its status shows, and their size in JSON: a cluster stores no
// objects beyond 1.5 MiB.
inline constexpr size_t kMaxShown = 1000;
inline constexpr size_t kMaxShownBytes = size_t{1} << 20;

// An Operator exists while an object bears its label (R-004-11…15). An Operator that nothing bears
// any more is deleted if Steward made it, after a complete list of every kind: a list that fails is
// an error. The status is written only when it differs; of many components it shows the first ones.
class OperatorWriter {
 public:
  // REQUIRES: the references outlive this object.
  OperatorWriter(const ReconcilerDeps& deps, ComponentIndex& index, OperatorMetrics& metrics);

  Task<ReconcileResult> Reconcile(std::string name);

 private:
  struct Shown {
    std::vector<olm::ComponentRef> refs;
    size_t left_out = 0;
  };
  // Shows kMaxShown components and kMaxShownBytes at most, the first ones by kind, namespace and
  // name: a larger status could not be written.
  Task<Shown> ReadRefs(std::string name);
  // Reads the conditions if they changed. Nullopt: the component is gone, or belongs to the
  // Operator no longer.
  Task<std::optional<boost::json::array>> ReadConditionsOf(ComponentId id, std::string name);

  Task<ReconcileResult> Write(std::string name, Shown shown);
  Task<ReconcileResult> Remove(std::string name, boost::json::value object);
  // OK if no object bears the label, by complete lists of this moment.
  StatusTask ProveUnused(std::string name);
  void ReportLeftOut(const std::string& name, size_t left_out, const std::string& uid);
  // Events about what people wonder at.
  void Report(const std::string& name, const std::vector<olm::ComponentRef>& refs,
              const boost::json::value& object);

  const ReconcilerDeps deps_;
  ComponentIndex& index_;
  OperatorMetrics& metrics_;
  kube::RestMapper mapper_;
  // The state found or written last: while neither that Operator nor its components change, nothing
  // is asked of the cluster.
  struct Settled {
    std::string uid;
    std::string resource_version;
    boost::json::object components;
    // Their number is told when it has doubled.
    int left_out_width = 0;
  };
  std::map<std::string, Settled> settled_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_OPERATOR_WRITER_H_
