#include "controllers/preview/plan_dry_run.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <tuple>

#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/async/race.h"
#include "base/json/json_access.h"
#include "base/text/one_line.h"
#include "base/text/str_cat.h"
#include "controllers/preview/changed_fields.h"
#include "controllers/preview/step_verdict.h"
#include "kube/meta/errors.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::Basis;
using olm::Outcome;
using olm::StepKind;

// Stands for the UID that a ClusterServiceVersion will get. Servers do not check that an owner
// exists.
constexpr char kUidToCome[] = "00000000-0000-4000-8000-000000000000";

// The most warnings of a step that are kept. Each try may repeat the same ones.
constexpr size_t kMaxHeard = 100;

std::string TextAt(const json::object& object, std::string_view part, std::string_view key) {
  const json::object* members = ObjectAt(object, part);
  return members == nullptr ? "" : std::string(StringAt(*members, key));
}

std::string NameOf(const json::object& manifest) {
  std::string name = TextAt(manifest, "metadata", "name");
  return name.empty() ? StrCat(TextAt(manifest, "metadata", "generateName"), "*") : name;
}

// Returns the group and kind that a definition adds.
std::pair<std::string, std::string> BroughtBy(const json::object& definition) {
  const json::object* spec = ObjectAt(definition, "spec");
  if (spec == nullptr) return {};
  return {std::string(StringAt(*spec, "group")), TextAt(*spec, "names", "kind")};
}

// Names the failing step by its number only, because readers may not be allowed to see its object.
std::string FailsFirst(size_t index) { return StrCat("step ", index + 1, " fails first"); }

int StageOf(StepKind kind) {
  if (kind == StepKind::kCsv) return 0;
  return kind == StepKind::kDefinition ? 1 : 2;
}

}  // namespace

PlanDryRun::PlanDryRun(const PlanDryRunDeps& deps, const olm::InstallPlan& plan,
                       std::vector<olm::PreviewStep>& steps)
    : deps_(deps),
      plan_(plan),
      steps_(steps),
      prepared_({.own = deps.own,
                 .steps = deps.steps,
                 .mapper = deps.mapper,
                 .optional_manifests = deps.optional_manifests,
                 .scoped = deps.scoped},
                plan),
      place_(plan.steps.size()),
      done_(plan.steps.size()) {}

StatusTask PlanDryRun::Run(std::optional<olm::PlanCondition>* refusal) {
  co_await UntilOneEnds(Try(), deps_.clock.Sleep(deps_.limits.time));
  Finish();
  *refusal = std::move(refusal_);
  const bool told = troubled_ == 0 || troubled_ < order_.size();
  if (told) co_return absl::OkStatus();
  co_return trouble_;
}

VoidTask PlanDryRun::Try() {
  const bool prepared = co_await Prepare();
  if (!prepared) co_return;
  FindNeeds();
  std::array<std::vector<size_t>, 3> stages;
  for (const size_t i : order_) stages[StageOf(prepared_.steps()[i].kind)].push_back(i);
  for (const std::vector<size_t>& stage : stages) {
    co_await TryStage(stage);
    if (failing_ < order_.size()) co_return;
    for (const size_t i : stage) NoteWhatComes(i);
  }
}

boost::asio::awaitable<bool> PlanDryRun::Prepare() {
  const absl::Status prepared = co_await prepared_.Prepare();
  for (const size_t i : prepared_.Order()) {
    if (!prepared_.steps()[i].pending) continue;
    place_[i] = order_.size();
    order_.push_back(i);
  }
  if (IsInconclusive(prepared)) {
    for (size_t i = 0; i < order_.size(); ++i) NoteTrouble(prepared);
    co_return false;
  }
  if (!prepared.ok()) {
    for (const size_t i : order_) {
      if (prepared_.steps()[i].kind != StepKind::kUnsupported) continue;
      SetOutcome(steps_[i], Outcome::kBlocked, Basis::kRule, olm::kUnsupportedKind,
                 "a plan does not install objects of this kind");
      Done(i);
    }
    if (const std::optional<size_t> faulty = prepared_.faulty_step()) {
      ConcludeByRule(prepared, steps_[*faulty]);
      steps_[*faulty].outcome = Outcome::kBlocked;
      steps_[*faulty].reason = olm::kInvalidManifest;
      Done(*faulty);
    }
    Refuse(prepared);
    co_return false;
  }
  for (const size_t i : order_) {
    olm::PreviewStep& step = steps_[i];
    step.optional = prepared_.steps()[i].optional;
    step.declared_optional = step.declared_optional || step.optional;
  }
  const bool checked = co_await CheckDefinitions();
  co_return checked;
}

boost::asio::awaitable<bool> PlanDryRun::CheckDefinitions() {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const absl::Status checked = co_await prepared_.CheckDefinition(i);
    if (checked.ok()) continue;
    ByRule(i, checked);
    if (steps_[i].outcome != Outcome::kFail) continue;
    BlockAll(olm::kEarlierStepFails, FailsFirst(i));
    // All other steps are blocked, including earlier ones.
    failing_ = order_.size();
    co_return false;
  }
  co_return true;
}

void PlanDryRun::FindNeeds() {
  std::set<std::tuple<std::string, std::string, std::string>> written;
  for (const size_t i : order_) {
    const json::object& manifest = prepared_.steps()[i].manifest;
    const kube::GroupVersionKind kind = olm::ObjectKind(plan_.steps[i].gvk);
    const std::string name = NameOf(manifest);
    if (!written.emplace(kind.group, kind.kind, name).second) repeated_.insert(i);
    if (prepared_.steps()[i].kind == StepKind::kServiceAccount) prepared_.NoteAccount(name);
    if (prepared_.steps()[i].kind == StepKind::kRole) roles_.emplace(kind.kind, name);
  }
}

// Called after a stage. Records the objects that the step will create, on which later stages
// depend.
void PlanDryRun::NoteWhatComes(size_t index) {
  const olm::PreviewStep& step = steps_[index];
  const bool unknown = step.outcome == Outcome::kUnknown;
  const StepKind kind = prepared_.steps()[index].kind;
  if (kind == StepKind::kCsv && (unknown || step.outcome == Outcome::kCreate)) {
    prepared_.NoteCsv(step.name, kUidToCome);
  }
  if (kind != StepKind::kDefinition) return;
  const std::vector<std::string>& paths = step.changed_fields;
  const bool all_told = paths.size() < deps_.limits.max_paths;
  const bool changes = step.outcome == Outcome::kUpdate &&
                       (!all_told || std::any_of(paths.begin(), paths.end(), [](const auto& path) {
                         return path.starts_with("spec");
                       }));
  if (unknown || changes || step.outcome == Outcome::kCreate) {
    unsettled_.insert(BroughtBy(prepared_.steps()[index].manifest));
  }
}

VoidTask PlanDryRun::TryStage(const std::vector<size_t>& stage) {
  if (stage.empty()) co_return;
  const auto work = [this, &stage](size_t number) { return TryOne(stage[number]); };
  co_await ForEachInFlight(stage.size(), deps_.limits.width, work);
}

VoidTask PlanDryRun::TryOne(size_t index) {
  if (done_[index] || place_[index] > failing_) co_return;
  if (place_[index] >= deps_.limits.max_steps) {
    SetOutcome(steps_[index], Outcome::kUnknown, Basis::kRule, kTooManySteps,
               StrCat("only the first ", deps_.limits.max_steps, " steps are tried"));
    Done(index);
    co_return;
  }
  if (deps_.pace) co_await deps_.pace();
  co_await FindObstacle(index);
  if (!done_[index]) co_await Write(index);
}

// Handles the differences of a dry run from an execution: objects of the plan's own steps do not
// exist yet, and discovery was already asked for all kinds.
VoidTask PlanDryRun::FindObstacle(size_t index) {
  if (repeated_.contains(index)) {
    Need(index, "an earlier step of the plan writes the same object");
    co_return;
  }
  const absl::StatusOr<json::value> waited = co_await prepared_.WaitedFor(index);
  if (!waited.ok()) {
    ByRule(index, waited.status());
  } else if (!waited->is_null()) {
    SetOutcome(steps_[index], Outcome::kUnchanged, Basis::kRule, olm::kWaitsForApi);
    Done(index);
  }
  if (prepared_.steps()[index].kind != StepKind::kOther) co_return;
  const kube::GroupVersionKind& gvk = plan_.steps[index].gvk;
  const DiscoveredApis::Answer& api = deps_.apis.Of(gvk);
  if (!api.ok() && absl::IsResourceExhausted(api.status())) {
    SetOutcome(steps_[index], Outcome::kUnknown, Basis::kRule, kTooManySteps,
               ToStd(api.status().message()));
    Done(index);
  } else if (!api.ok()) {
    ByRule(index, api.status());
  } else if (prepared_.IsSupplied(gvk)) {
    if (!*api || unsettled_.contains({gvk.group, gvk.kind})) NeedDefinition(index);
  } else if (!*api) {
    NoteAbsentApi(index);
  }
}

VoidTask PlanDryRun::Write(size_t index) {
  std::vector<std::string> warnings;
  absl::StatusOr<StepOutcome> outcome =
      co_await prepared_.Write(index, [&warnings](std::string text) {
        if (warnings.size() < kMaxHeard) warnings.push_back(std::move(text));
      });
  if (!outcome.ok()) {
    ByRule(index, outcome.status());
    co_return;
  }
  if (kube::IsNotServed(outcome->answer) && prepared_.IsSupplied(plan_.steps[index].gvk)) {
    NeedDefinition(index);
    co_return;
  }
  if (NeedsPlannedRole(index, outcome->answer)) {
    Need(index, "the plan itself brings the role that is bound");
    co_return;
  }
  if (IsInconclusive(outcome->answer)) NoteTrouble(outcome->answer);
  Conclude(index, *std::move(outcome), warnings);
  olm::PreviewStep& step = steps_[index];
  if (step.outcome == Outcome::kUpdate) {
    for (const std::string& change : prepared_.TakeChanges(index)) {
      step.message = OneLine(StrCat(step.message, step.message.empty() ? "" : "; ", change),
                             kMaxPreviewMessage);
    }
  }
  Done(index);
}

void PlanDryRun::Conclude(size_t index, StepOutcome outcome,
                          const std::vector<std::string>& warnings) {
  olm::PreviewStep& step = steps_[index];
  const StepKind kind = prepared_.steps()[index].kind;
  const bool has_place = path_bytes_ < deps_.limits.max_path_bytes;
  ChangeLimits limits;
  // The changed fields of a definition are always listed, because they decide about the objects of
  // its kind.
  limits.fields = has_place || kind == StepKind::kDefinition ? deps_.limits.max_paths : 0;
  limits.bytes =
      deps_.limits.max_value_bytes - std::min(value_bytes_, deps_.limits.max_value_bytes);
  ConcludeDryRun(std::move(outcome), kind, limits, step);
  if (has_place) AddWarnings(warnings, step);
  for (const std::string& path : step.changed_fields) path_bytes_ += path.size();
  for (const std::string& warning : step.warnings) path_bytes_ += warning.size();
  for (const olm::PreviewChange& change : step.changes) {
    value_bytes_ += change.before.size() + change.after.size();
  }
}

// An API server refuses a binding to a missing role to users without the right to bind, so the
// refusal may only mean that the plan has not created the role yet.
bool PlanDryRun::NeedsPlannedRole(size_t index, const absl::Status& answer) const {
  if (prepared_.steps()[index].kind != StepKind::kBinding) return false;
  const json::object* role = ObjectAt(prepared_.steps()[index].manifest, "roleRef");
  if (role == nullptr) return false;
  const std::string name(StringAt(*role, "name"));
  return kube::IsNotFound(answer, name) &&
         roles_.contains({std::string(StringAt(*role, "kind")), name});
}

void PlanDryRun::NoteAbsentApi(size_t index) {
  olm::PreviewStep& step = steps_[index];
  SetOutcome(step, step.optional ? Outcome::kNotCreated : Outcome::kFail, Basis::kRule,
             olm::kApiAbsent, prepared_.NotServed(plan_.steps[index].gvk));
  Done(index);
}

void PlanDryRun::BlockAll(std::string_view reason, const std::string& message) {
  for (const size_t i : order_) {
    if (done_[i] && steps_[i].outcome != Outcome::kUnknown) continue;
    SetOutcome(steps_[i], Outcome::kBlocked, Basis::kRule, reason, message);
    Done(i);
  }
}

void PlanDryRun::Refuse(const absl::Status& why) {
  refusal_ = {false, std::string(olm::kInvalidPlan),
              OneLine(ToStd(why.message()), kMaxPreviewMessage)};
  BlockAll(olm::kInvalidPlan, std::string(kPlanRefused));
}

void PlanDryRun::ByRule(size_t index, const absl::Status& error) {
  olm::PreviewStep& step = steps_[index];
  if (IsInconclusive(error)) NoteTrouble(error);
  ConcludeByRule(error, step);
  // The executor may have more rights to read than the requester, so a forbidden read proves
  // nothing.
  if (deps_.reads_as_requester && kube::IsForbidden(error)) step.outcome = Outcome::kUnknown;
  Done(index);
}

void PlanDryRun::Need(size_t index, std::string_view what) {
  SetOutcome(steps_[index], Outcome::kUnknown, Basis::kRule, kNeedsEarlierStep, what);
  Done(index);
}

void PlanDryRun::NeedDefinition(size_t index) {
  Need(index, "the plan itself brings the definition of its kind");
}

void PlanDryRun::NoteTrouble(const absl::Status& error) {
  trouble_.Update(error);
  ++troubled_;
}

void PlanDryRun::Done(size_t index) {
  done_[index] = true;
  if (steps_[index].outcome == Outcome::kFail) failing_ = std::min(failing_, place_[index]);
}

void PlanDryRun::Finish() {
  // The executor tries all steps before the first write, so if one fails, none is written. Unknown
  // steps stay Unknown.
  const bool none = failing_ < order_.size() && plan_.untouched();
  for (size_t place = 0; place < order_.size(); ++place) {
    olm::PreviewStep& step = steps_[order_[place]];
    const bool told = step.outcome != Outcome::kUnknown;
    if (place > failing_ || (none && place < failing_ && told)) {
      SetOutcome(step, Outcome::kBlocked, Basis::kRule, olm::kEarlierStepFails,
                 FailsFirst(order_[failing_]));
    } else if (!done_[order_[place]]) {
      SetOutcome(step, Outcome::kUnknown, Basis::kRule, kOutOfTime,
                 "the time of the preview was over before the step was tried");
    }
  }
}

}  // namespace steward::controllers
