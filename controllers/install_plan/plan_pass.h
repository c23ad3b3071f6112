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
// rest (ExecutionOrder), steps that need nothing of each other up to kWidth at a time. After the
// first step that fails no other begins. Steps that have ended, including NotCreated ones, are not
// touched again.
//
// A plan whose last pass failed, and of which something is written, is executed one step after the
// other: its preview names the step that fails, and says that no later one is written. Beside a
// failure that is not foreseen, up to kWidth - 1 later steps may be written.
//
// An optional step is NotCreated if the cluster refuses it or if discovery lacks its API. An API
// that a definition of the same plan adds is never absent: the pass waits for it.
class PlanPass {
 public:
  // The most steps that are written at the same time.
  static constexpr size_t kWidth = 8;

  // REQUIRES: what `deps` refers to and `plan` outlive this object.
  PlanPass(const PreparedPlanDeps& deps, const olm::InstallPlan& plan);

  boost::asio::awaitable<PlanPassResult> Run();

 private:
  // The failure of the first step of a group that fails.
  struct GroupFailure {
    size_t place;  // in the group; past its end: none failed
    absl::Status why;
  };

  StatusTask Prepare();
  StatusTask CheckDefinitions();
  StatusTask Execute();
  // Executes steps that need nothing of each other. Fails with the error of the first in order.
  StatusTask DoGroup(const std::vector<size_t>& group);
  VoidTask DoOne(size_t index, size_t place, GroupFailure& failure);

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
