// Finds by dry runs what the executor of InstallPlans would do with each step. Lives on one
// executor.
#ifndef CONTROLLERS_PREVIEW_PLAN_DRY_RUN_H_
#define CONTROLLERS_PREVIEW_PLAN_DRY_RUN_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/install_plan/prepared_plan.h"
#include "controllers/install_plan/step_writer.h"
#include "controllers/preview/discovered_apis.h"
#include "kube/client/rest_mapper.h"
#include "kube/dry_run/dry_run_client.h"
#include "kube/meta/names.h"
#include "olm/plan/install_plan.h"
#include "olm/preview/plan_outlook.h"
#include "olm/preview/preview.h"

namespace steward::controllers {

struct PlanDryRunLimits {
  size_t width = 8;         // steps that are tried at the same time
  size_t max_steps = 1000;  // the most steps that are tried; further steps are Unknown
  absl::Duration time = absl::Seconds(25);
  size_t max_paths = 50;              // the most changed fields that one step names
  size_t max_path_bytes = 512 << 10;  // for the paths and warnings of all steps together
  size_t max_value_bytes = 1 << 20;   // for the changed values of all steps together; 0 = no values
};

struct PlanDryRunDeps {
  kube::DryRunClient& own;     // for reads and definitions
  kube::DryRunClient& steps;   // for all other steps
  kube::RestMapper& mapper;    // uses `own`
  const DiscoveredApis& apis;  // for the kinds of the plan's steps
  Clock& clock;
  bool optional_manifests = false;  // the feature gate
  bool scoped = false;              // `steps` is the service account of an OperatorGroup
  // True if `own` is the requester and not the executor, so that a forbidden read is no error of
  // the plan.
  bool reads_as_requester = false;
  PlanDryRunLimits limits = {};
  // Awaited before each step is tried; null: no wait.
  std::function<VoidTask()> pace = nullptr;
};

// Prepares the plan by the executor's own rules (PreparedPlan). Then it tries the pending steps
// with the executor's own code (PreparedPlan::Write), in the executor's order:
// ClusterServiceVersions, definitions, the rest, several of each at the same time. Steps after the
// first that fails are blocked. If nothing of the plan is written yet, earlier steps are blocked,
// too, because the executor tries all steps first (Rehearse).
//
//   dry run ─► Create, Update, Unchanged, NotCreated, Fail
//           └► no answer, or a webhook that cannot be asked ─► Unknown
//   needs an object that another step of the plan creates ─► Unknown: NeedsEarlierStep
//   read, or a rule of the executor, refuses ─► Fail, by that rule
//
// Each step is tried by itself, so a quota that several steps exceed together is not noticed. Steps
// after an Unknown one are previewed as if that one succeeds.
class PlanDryRun {
 public:
  // REQUIRES: what `deps` refers to, `plan` and `steps` outlive this object; `steps` has one entry
  // per step of the plan, with declared_optional set.
  PlanDryRun(const PlanDryRunDeps& deps, const olm::InstallPlan& plan,
             std::vector<olm::PreviewStep>& steps);

  // Concludes about the pending steps, and leaves the others as they are. `refusal` gets the reason
  // why the executor would write nothing at all. Fails only if nothing could be found out about any
  // step.
  StatusTask Run(std::optional<olm::PlanCondition>* refusal);

 private:
  VoidTask Try();
  // Returns true if there are steps to try.
  boost::asio::awaitable<bool> Prepare();
  boost::asio::awaitable<bool> CheckDefinitions();
  VoidTask TryStage(const std::vector<size_t>& stage);
  VoidTask TryOne(size_t index);
  VoidTask FindObstacle(size_t index);
  VoidTask Write(size_t index);
  void Conclude(size_t index, StepOutcome outcome, const std::vector<std::string>& warnings);
  bool NeedsPlannedRole(size_t index, const absl::Status& answer) const;

  void FindNeeds();
  void NoteWhatComes(size_t index);
  void NoteAbsentApi(size_t index);
  // Blocks every step without a conclusion, since the executor would write nothing.
  void BlockAll(std::string_view reason, const std::string& message);
  void Refuse(const absl::Status& why);
  void ByRule(size_t index, const absl::Status& error);
  void Need(size_t index, std::string_view what);
  void NeedDefinition(size_t index);
  void NoteTrouble(const absl::Status& error);
  void Done(size_t index);
  void Finish();

  const PlanDryRunDeps deps_;
  const olm::InstallPlan& plan_;
  std::vector<olm::PreviewStep>& steps_;
  PreparedPlan prepared_;
  std::vector<size_t> order_;  // the pending steps in the order of execution
  std::vector<size_t> place_;  // by step: its place in `order_`
  std::vector<bool> done_;     // by step: whether it is concluded
  size_t failing_ =
      static_cast<size_t>(-1);  // the place of the first failing step, or past the end
  std::optional<olm::PlanCondition> refusal_;
  absl::Status trouble_;    // the first error that left a step Unknown
  size_t troubled_ = 0;     // the number of steps left Unknown by an error
  size_t path_bytes_ = 0;   // bytes of changed fields and warnings so far
  size_t value_bytes_ = 0;  // bytes of changed values so far

  // Facts about objects that the plan's own steps will write.
  std::set<size_t> repeated_;  // steps that write the same object as an earlier step
  std::set<std::pair<std::string, std::string>> roles_;  // kind, name
  // Group and kind of definitions whose API the plan will change.
  std::set<std::pair<std::string, std::string>> unsettled_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_PLAN_DRY_RUN_H_
