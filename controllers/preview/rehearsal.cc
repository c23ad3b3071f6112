#include "controllers/preview/rehearsal.h"

#include <cstddef>
#include <vector>

#include "base/status/with_context.h"
#include "controllers/preview/discovered_apis.h"
#include "controllers/preview/plan_dry_run.h"
#include "kube/dry_run/dry_run_client.h"
#include "kube/meta/status.h"
#include "olm/preview/preview.h"

namespace steward::controllers {
namespace {

// Returns the answer to the step's dry run as an error.
absl::Status AnswerOf(const olm::PreviewStep& step) {
  if (step.code == 0) return absl::FailedPreconditionError(step.message);
  kube::Status answer;
  answer.code = step.code;
  answer.reason = step.reason;
  answer.message = step.message;
  return kube::ToStatus(answer);
}

}  // namespace

StatusTask Rehearse(const RehearsalDeps& deps, const olm::InstallPlan& plan) {
  kube::DryRunClient own(deps.client);
  std::optional<kube::DryRunClient> scoped;
  if (deps.account) scoped.emplace(own.ActingAs(*deps.account));
  DiscoveredApis apis;
  co_await apis.Find(deps.mapper, plan);
  std::vector<olm::PreviewStep> steps = apis.StepsOf(plan);
  PlanDryRun dry_run({.own = own,
                      .steps = scoped ? *scoped : own,
                      .mapper = deps.mapper,
                      .apis = apis,
                      .clock = deps.clock,
                      .optional_manifests = deps.optional_manifests,
                      .scoped = scoped.has_value(),
                      .limits = {.max_value_bytes = 0}},
                     plan, steps);
  std::optional<olm::PlanCondition> refusal;
  const absl::Status tried = co_await dry_run.Run(&refusal);
  // The execution itself reports faults of the plan, before it writes.
  if (!tried.ok() || refusal) co_return absl::OkStatus();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].outcome != olm::Outcome::kFail) continue;
    co_return WithContext(plan.steps[i].ToString(i), AnswerOf(steps[i]));
  }
  co_return absl::OkStatus();
}

}  // namespace steward::controllers
