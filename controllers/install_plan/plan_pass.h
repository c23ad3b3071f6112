// One pass over the steps of an InstallPlan. Lives on one executor.
#ifndef CONTROLLERS_INSTALL_PLAN_PLAN_PASS_H_
#define CONTROLLERS_INSTALL_PLAN_PLAN_PASS_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/install_plan/prepared_plan.h"
#include "controllers/install_plan/step_writer.h"
#include "kube/meta/write_options.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {

// Something to be told about a step.
struct StepNote {
  enum class Kind { kNotCreated, kAppliedWithWarnings, kDefinition };
  Kind kind;
  size_t step;
  std::string text;
};

// The findings and the work of one pass.
struct PlanPassResult {
  // As many as the plan has, in its order.
  std::vector<olm::PlanProgress::Step> steps;
  std::vector<StepNote> notes;
  // OK: everything is done, or `waiting` says for what it waits.
  absl::Status error;
  bool invalid = false;     // the error is the plan's own, and no time mends it
  std::string waiting_for;  // "" = nothing
};

// Everything that can be known before the first write is read first: manifests, properties, and
// what new definitions would do to those that are there. An error of that kind writes nothing. Then
// come ClusterServiceVersions, definitions, and, once the API of each is there, the rest
// (ExecutionOrder). The first step that fails ends the pass. A step that has ended is not touched
// again; NotCreated is such an end.
//
// An optional step is NotCreated where the cluster refuses it or, by discovery, lacks its API. An
// API that a definition of the same plan brings is never absent: what is missing of it is waited
// for.
class PlanPass {
 public:
  // REQUIRES: what `deps` refers to and `plan` outlive this object.
  PlanPass(const PreparedPlanDeps& deps, const olm::InstallPlan& plan);

  boost::asio::awaitable<PlanPassResult> Run();

 private:
  StatusTask Prepare();
  StatusTask CheckDefinitions();
  StatusTask Execute();

  StatusTask Do(size_t index);
  StatusTask DoDefinition(size_t index);
  // True if the API of the definition is there; if not, the plan waits for it.
  bool IsThere(const boost::json::value& definition, const std::string& name);
  kube::WarningSink Warnings(size_t index);

  const olm::InstallPlan& plan_;
  PreparedPlan prepared_;
  PlanPassResult result_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PLAN_PASS_H_
