#include "controllers/install_plan/plan_pass.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "olm/plan/answer.h"
#include "olm/plan/definition_change.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::AnswerVerdict;
using olm::StepKind;

}  // namespace

PlanPass::PlanPass(const PlanPassDeps& deps, const olm::InstallPlan& plan)
    : deps_(deps),
      plan_(plan),
      prepared_({.own = deps.own,
                 .mapper = deps.mapper,
                 .optional_manifests = deps.optional_manifests,
                 .scoped = deps.scoped},
                plan) {
  for (const olm::PlanStep& step : plan_.steps) {
    result_.steps.push_back({step.status, step.optional});
  }
}

boost::asio::awaitable<PlanPassResult> PlanPass::Run() {
  result_.error = Sort();
  if (!result_.error.ok()) {
    result_.invalid = true;
    co_return std::move(result_);
  }
  result_.error = co_await prepared_.ReadManifests();
  if (result_.error.ok()) result_.error = ChooseOptional();
  result_.invalid = absl::IsInvalidArgument(result_.error) && !kube::IsAnswer(result_.error);
  if (result_.error.ok()) result_.error = co_await CheckDefinitions();
  if (result_.error.ok()) result_.error = co_await Execute();
  co_return std::move(result_);
}

absl::Status PlanPass::Sort() {
  absl::Status sorted = prepared_.Sort();
  for (size_t i = 0; i < result_.steps.size(); ++i) {
    const PreparedStep& step = prepared_.steps()[i];
    if (!step.pending || step.kind != StepKind::kUnsupported) continue;
    result_.steps[i].status = olm::kStepUnsupported;
  }
  return sorted;
}

absl::Status PlanPass::ChooseOptional() {
  RETURN_IF_ERROR(prepared_.ChooseOptional());
  for (size_t i = 0; i < result_.steps.size(); ++i) {
    if (prepared_.steps()[i].optional) result_.steps[i].optional = true;
  }
  return absl::OkStatus();
}

StatusTask PlanPass::CheckDefinitions() {
  for (size_t i = 0; i < result_.steps.size(); ++i) {
    const absl::Status checked = co_await prepared_.CheckDefinition(i);
    if (!checked.ok()) co_return prepared_.InStep(i, checked);
  }
  co_return absl::OkStatus();
}

StatusTask PlanPass::Execute() {
  for (const size_t i : prepared_.Order()) {
    const StepKind kind = prepared_.steps()[i].kind;
    const bool is_definition = kind == StepKind::kDefinition;
    if (kind != StepKind::kCsv && !is_definition && !result_.waiting_for.empty()) break;
    if (!prepared_.steps()[i].pending) continue;
    // No conditional expression: g++ 12 destroys what it awaits twice.
    absl::Status done;
    if (is_definition) {
      done = co_await DoDefinition(i);
    } else {
      done = co_await Do(i);
    }
    if (!done.ok()) co_return prepared_.InStep(i, done);
  }
  co_return absl::OkStatus();
}

StatusTask PlanPass::DoDefinition(size_t index) {
  olm::PlanProgress::Step& progress = result_.steps[index];
  CO_ASSIGN_OR_RETURN(StepTarget target, co_await prepared_.TargetOf(index));
  const kube::NamespacedName name = {"", kube::MetadataText(target.object, "name")};
  if (progress.status == olm::kStepWaitingForApi) {
    const absl::StatusOr<kube::RawObject> raw = co_await deps_.own.Get(target.gvr, name);
    if (raw.ok()) {
      CO_ASSIGN_OR_RETURN(const json::value live, ParseJson(raw->json));
      if (IsThere(live, name.name)) progress.status = olm::kStepCreated;
      co_return absl::OkStatus();
    }
    if (!kube::IsNotFound(raw.status(), name.name)) co_return raw.status();
    progress.status = olm::kStepNotPresent;  // somebody deleted it: it is made again
  }
  StepWriter writer(deps_.own, Warnings(index));
  StepOutcome outcome = co_await writer.Put(std::move(target));
  if (!outcome.answer.ok()) co_return outcome.answer;
  const bool there = IsThere(outcome.object, name.name);
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
  const PreparedStep& step = prepared_.steps()[index];
  const olm::PlanStep& planned = plan_.steps[index];
  if (step.kind == StepKind::kCsv) {
    CO_RETURN_IF_ERROR(co_await prepared_.MayPutCsv(index));
  }
  CO_RETURN_IF_ERROR(co_await prepared_.HasAccount(index));
  if (step.kind == StepKind::kOther && step.optional && !prepared_.IsSupplied(planned.gvk)) {
    // A discovery that fails is an error below, never absence.
    CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                        co_await deps_.mapper.Find(planned.gvk));
    if (!mapping) {
      NotCreated(index, prepared_.NotServed(planned.gvk));
      co_return absl::OkStatus();
    }
  }
  CO_ASSIGN_OR_RETURN(StepTarget target, co_await prepared_.TargetOf(index));
  StepWriter writer(deps_.steps, Warnings(index));
  StepOutcome outcome = co_await writer.Put(std::move(target));
  if (step.optional && kube::IsNotServed(outcome.answer)) {
    // R-002-29: a 404 of the path is believed where discovery answers, whatever it says.
    deps_.mapper.Forget({planned.gvk.group, planned.gvk.version});
    CO_RETURN_IF_ERROR((co_await deps_.mapper.Find(planned.gvk)).status());
  }
  co_return Conclude(index, std::move(outcome));
}

absl::Status PlanPass::Conclude(size_t index, StepOutcome outcome) {
  olm::PlanProgress::Step& progress = result_.steps[index];
  if (outcome.answer.ok()) {
    const bool created = outcome.verdict == AnswerVerdict::kCreated;
    progress.status = created ? olm::kStepCreated : olm::kStepPresent;
    if (prepared_.steps()[index].kind == StepKind::kCsv && created) {
      prepared_.NoteCsv(plan_.steps[index].name, kube::MetadataText(outcome.object, "uid"));
    }
    return absl::OkStatus();
  }
  const kube::GroupVersionKind& gvk = plan_.steps[index].gvk;
  const bool unserved = kube::IsNotServed(outcome.answer);
  if (unserved) deps_.mapper.Forget({gvk.group, gvk.version});
  if (!prepared_.steps()[index].optional || outcome.verdict != AnswerVerdict::kNotCreated ||
      (unserved && prepared_.IsSupplied(gvk))) {
    return outcome.answer;
  }
  NotCreated(index, StrCat(outcome.answer.message(),
                           outcome.existed ? "; the object that is there stays as it is" : ""));
  return absl::OkStatus();
}

void PlanPass::NotCreated(size_t index, const std::string& why) {
  result_.steps[index].status = olm::kStepNotCreated;
  result_.notes.push_back({StepNote::Kind::kNotCreated, index, why});
}

kube::WarningSink PlanPass::Warnings(size_t index) {
  return [this, index](std::string text) {
    result_.notes.push_back({StepNote::Kind::kAppliedWithWarnings, index, std::move(text)});
  };
}

}  // namespace steward::controllers
