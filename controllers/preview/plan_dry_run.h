// The dry run of an InstallPlan: what the executor would do with each step, asked of
// the cluster. Lives on one executor.
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
  size_t max_steps = 1000;  // that are tried; what the rest would come to is not known
  absl::Duration time = absl::Seconds(25);
  size_t max_paths = 50;              // changed fields that one step names
  size_t max_path_bytes = 512 << 10;  // of all steps together, with their warnings
  size_t max_value_bytes = 1 << 20;   // of what changes, of all steps together; 0 = none is told
};

struct PlanDryRunDeps {
  kube::DryRunClient& own;     // reads, definitions
  kube::DryRunClient& steps;   // every other step
  kube::RestMapper& mapper;    // of `own`
  const DiscoveredApis& apis;  // of the plan's steps
  Clock& clock;
  bool optional_manifests = false;  // the gate
  bool scoped = false;              // `steps` is the service account of an OperatorGroup
  // Where `own` is not the executor, and what it may not read is no error of the plan.
  bool reads_as_requester = false;
  PlanDryRunLimits limits = {};
  // What each step waits for before it is tried; null: for nothing.
  std::function<VoidTask()> pace = nullptr;
};

// Prepares the plan by the executor's own rules (PreparedPlan), and then tries the steps that are
// pending in the executor's order: ClusterServiceVersions, definitions, the rest, several of each
// at the same time. Each is tried by the executor's own walk (PreparedPlan::Write). What follows
// the first that fails is blocked, and of a plan of which nothing is written yet what comes before
// it, too: the executor tries all of them first (Rehearse).
//
//   dry run ─► Create, Update, Unchanged, NotCreated, Fail
//           └► no answer, or a webhook that cannot be asked ─► Unknown
//   needs what another step of the plan is to make ─► Unknown: NeedsEarlierStep
//   read, or a rule of the executor, refuses ─► Fail, by that rule
//
// Steps are tried each for itself: that several together exceed a quota is not seen, and what
// follows a step that is Unknown is said for the case that it succeeds.
class PlanDryRun {
 public:
  // REQUIRES: what `deps` refers to, `plan` and `steps` outlive this object; as many steps as in
  // the plan, with declared_optional set.
  PlanDryRun(const PlanDryRunDeps& deps, const olm::InstallPlan& plan,
             std::vector<olm::PreviewStep>& steps);

  // Concludes about the steps that are pending, and leaves the others as they are. `refusal`: why
  // the executor would write nothing at all. An error only where no step could be told anything of.
  StatusTask Run(std::optional<olm::PlanCondition>* refusal);

 private:
  VoidTask Try();
  // Whether there is something to be written.
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
  // Blocks every step that is not concluded: the executor writes nothing.
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
  std::vector<size_t> order_;  // of the steps that are pending
  std::vector<size_t> place_;  // in that order, by step
  std::vector<bool> done_;     // by step: concluded
  size_t failing_ =
      static_cast<size_t>(-1);  // the place of the first that fails; else past the end
  std::optional<olm::PlanCondition> refusal_;
  absl::Status trouble_;    // the first
  size_t troubled_ = 0;     // steps of which, by trouble, nothing is told
  size_t path_bytes_ = 0;   // of the changed fields and warnings so far
  size_t value_bytes_ = 0;  // of their values so far

  // What the plan's own steps are to make.
  std::set<size_t> repeated_;                            // write what an earlier one writes
  std::set<std::pair<std::string, std::string>> roles_;  // kind, name
  // Group and kind of definitions whose API is not the one of now.
  std::set<std::pair<std::string, std::string>> unsettled_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_PLAN_DRY_RUN_H_
