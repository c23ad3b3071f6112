// Creates, updates and deletes Operators. Lives on one executor.
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

// The limits of the components in one Operator's status, in number and in bytes of JSON, because a
// cluster stores no objects beyond 1.5 MiB.
inline constexpr size_t kMaxShown = 1000;
inline constexpr size_t kMaxShownBytes = size_t{1} << 20;

// An Operator exists while an object has its label (R-004-11…15). If no object has the label any
// more, and Steward made the Operator, it is deleted after a complete list of every kind; a failed
// list is an error. The status is written only when it differs. If there are too many components,
// it shows the first ones.
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
  // Returns at most kMaxShown components and kMaxShownBytes, the first ones by kind, namespace and
  // name, because a larger status could not be written.
  Task<Shown> ReadRefs(std::string name);
  // Reads the conditions if they changed. Nullopt: the component is gone, or belongs to the
  // Operator no longer.
  Task<std::optional<boost::json::array>> ReadConditionsOf(ComponentId id, std::string name);

  Task<ReconcileResult> Write(std::string name, Shown shown);
  Task<ReconcileResult> Remove(std::string name, boost::json::value object);
  // OK if no object has the label, by complete live lists.
  StatusTask ProveUnused(std::string name);
  void ReportLeftOut(const std::string& name, size_t left_out, const std::string& uid);
  // Records Events about oddities of the Operator.
  void Report(const std::string& name, const std::vector<olm::ComponentRef>& refs,
              const boost::json::value& object);

  const ReconcilerDeps deps_;
  ComponentIndex& index_;
  OperatorMetrics& metrics_;
  kube::RestMapper mapper_;
  // The state that was found or written last. While neither the Operator nor its components change,
  // no request is sent.
  struct Settled {
    std::string uid;
    std::string resource_version;
    boost::json::object components;
    // The magnitude of the left-out number in the last Event. A new Event is recorded when the
    // number has doubled.
    int left_out_width = 0;
  };
  std::map<std::string, Settled> settled_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_OPERATOR_WRITER_H_
