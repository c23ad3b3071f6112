// Runs one pass over the steps of an InstallPlan. Lives on one executor.
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

// A remark about a step, for an Event.
struct StepNote {
  enum class Kind { kNotCreated, kAppliedWithWarnings, kDefinition };
  Kind kind;
  size_t step;
  std::string text;
};

// The result of one pass.
struct PlanPassResult {
  // One entry per step of the plan, in its order.
  std::vector<olm::PlanProgress::Step> steps;
  std::vector<StepNote> notes;
  // OK: every step is done, or `waiting_for` says what the plan waits for.
  absl::Status error;
  bool invalid = false;     // the error is in the plan itself, so retries do not help
  std::string waiting_for;  // "" = nothing
};

// The pass first reads everything that can be checked before the first write: manifests,
// properties, and the effect of new definitions on existing ones. If a check fails, nothing is
// written. Then it writes ClusterServiceVersions, definitions and, once their APIs are served, the
// rest (ExecutionOrder). The first step that fails ends the pass. Steps that have ended, including
// NotCreated ones, are not touched again.
//
// An optional step is NotCreated if the cluster refuses it or if discovery lacks its API. An API
// that a definition of the same plan adds is never absent: the pass waits for it.
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
  // Returns true if the API of the definition is served; if not, records that the plan waits for
  // it.
  bool IsThere(const boost::json::value& definition, const std::string& name);
  kube::WarningSink Warnings(size_t index);

  const olm::InstallPlan& plan_;
  PreparedPlan prepared_;
  PlanPassResult result_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PLAN_PASS_H_
