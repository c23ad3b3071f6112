#include "controllers/install_plan/plan_pass.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "olm/plan/answer.h"
#include "olm/plan/definition_change.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::AnswerVerdict;
using olm::StepKind;

}  // namespace

PlanPass::PlanPass(const PreparedPlanDeps& deps, const olm::InstallPlan& plan)
    : plan_(plan), prepared_(deps, plan) {
  for (const olm::PlanStep& step : plan_.steps) {
    result_.steps.push_back({step.status, step.optional});
  }
}

boost::asio::awaitable<PlanPassResult> PlanPass::Run() {
  result_.error = co_await Prepare();
  result_.invalid = absl::IsInvalidArgument(result_.error) && !kube::IsAnswer(result_.error);
  if (result_.error.ok()) result_.error = co_await CheckDefinitions();
  if (result_.error.ok()) result_.error = co_await Execute();
  // Steps that were written together have remarked in any order.
  std::stable_sort(result_.notes.begin(), result_.notes.end(),
                   [](const StepNote& a, const StepNote& b) { return a.step < b.step; });
  co_return std::move(result_);
}

StatusTask PlanPass::Prepare() {
  const absl::Status prepared = co_await prepared_.Prepare();
  for (size_t i = 0; i < result_.steps.size(); ++i) {
    const PreparedStep& step = prepared_.steps()[i];
    if (step.optional) result_.steps[i].optional = true;
    if (!step.pending || step.kind != StepKind::kUnsupported) continue;
    result_.steps[i].status = olm::kStepUnsupported;
  }
  co_return prepared;
}

StatusTask PlanPass::CheckDefinitions() {
  for (size_t i = 0; i < result_.steps.size(); ++i) {
    const absl::Status checked = co_await prepared_.CheckDefinition(i);
    if (!checked.ok()) co_return prepared_.InStep(i, checked);
  }
  co_return absl::OkStatus();
}

StatusTask PlanPass::Execute() {
  for (const std::vector<size_t>& group : prepared_.PendingGroups()) {
    const StepKind kind = prepared_.steps()[group.front()].kind;
    const bool first = kind == StepKind::kCsv || kind == StepKind::kDefinition;
    if (!first && !result_.waiting_for.empty()) break;
    CO_RETURN_IF_ERROR(co_await DoGroup(group));
  }
  co_return absl::OkStatus();
}

StatusTask PlanPass::DoGroup(const std::vector<size_t>& group) {
  GroupFailure failure{group.size(), {}};
  const auto work = [this, &group, &failure](size_t place) {
    return DoOne(group[place], place, failure);
  };
  co_await ForEachInFlight(group.size(), plan_.smooth() ? kWidth : 1, work);
  if (failure.why.ok()) co_return absl::OkStatus();
  co_return prepared_.InStep(group[failure.place], failure.why);
}

VoidTask PlanPass::DoOne(size_t index, size_t place, GroupFailure& failure) {
  if (!failure.why.ok()) co_return;
  // Do not use a conditional expression: g++ 12 destroys the awaited object twice.
  absl::Status done;
  if (prepared_.steps()[index].kind == StepKind::kDefinition) {
    done = co_await DoDefinition(index);
  } else {
    done = co_await Do(index);
  }
  if (done.ok() || place > failure.place) co_return;
  failure = {place, done};
}

StatusTask PlanPass::DoDefinition(size_t index) {
  olm::PlanProgress::Step& progress = result_.steps[index];
  const std::string& name = plan_.steps[index].name;
  CO_ASSIGN_OR_RETURN(const json::value waited, co_await prepared_.WaitedFor(index));
  if (!waited.is_null()) {
    if (IsThere(waited, name)) progress.status = olm::kStepCreated;
    co_return absl::OkStatus();
  }
  // Somebody deleted the definition, so it is created again.
  if (progress.status == olm::kStepWaitingForApi) progress.status = olm::kStepNotPresent;
  CO_ASSIGN_OR_RETURN(const StepOutcome outcome, co_await prepared_.Write(index, Warnings(index)));
  if (!outcome.answer.ok()) co_return outcome.answer;
  const bool there = IsThere(outcome.object, name);
  const bool existed = outcome.verdict == AnswerVerdict::kExists;
  progress.status = !there    ? olm::kStepWaitingForApi
                    : existed ? olm::kStepPresent
                              : olm::kStepCreated;
  for (std::string& change : prepared_.TakeChanges(index)) {
    result_.notes.push_back({StepNote::Kind::kDefinition, index, std::move(change)});
  }
  co_return absl::OkStatus();
}

bool PlanPass::IsThere(const json::value& definition, const std::string& name) {
  std::string refused;
  if (definition.is_object() && olm::IsEstablished(definition.get_object(), &refused)) return true;
  std::string& waiting = result_.waiting_for;
  StrAppend(&waiting, waiting.empty() ? "" : ", ", name);
  if (!refused.empty()) StrAppend(&waiting, " (", refused, ")");
  return false;
}

StatusTask PlanPass::Do(size_t index) {
  CO_ASSIGN_OR_RETURN(const StepOutcome outcome, co_await prepared_.Write(index, Warnings(index)));
  olm::PlanProgress::Step& progress = result_.steps[index];
  const PreparedStep& step = prepared_.steps()[index];
  if (outcome.answer.ok()) {
    const bool created = outcome.verdict == AnswerVerdict::kCreated;
    progress.status = created ? olm::kStepCreated : olm::kStepPresent;
    if (step.kind == StepKind::kCsv && created) {
      prepared_.NoteCsv(plan_.steps[index].name, kube::MetadataText(outcome.object, "uid"));
    }
    co_return absl::OkStatus();
  }
  const bool comes =
      kube::IsNotServed(outcome.answer) && prepared_.IsSupplied(plan_.steps[index].gvk);
  if (!step.optional || outcome.verdict != AnswerVerdict::kNotCreated || comes) {
    co_return outcome.answer;
  }
  progress.status = olm::kStepNotCreated;
  result_.notes.push_back(
      {StepNote::Kind::kNotCreated, index,
       StrCat(outcome.answer.message(),
              outcome.existed ? "; the object that is there stays as it is" : "")});
  co_return absl::OkStatus();
}

kube::WarningSink PlanPass::Warnings(size_t index) {
  return [this, index](std::string text) {
    result_.notes.push_back({StepNote::Kind::kAppliedWithWarnings, index, std::move(text)});
  };
}

}  // namespace steward::controllers
