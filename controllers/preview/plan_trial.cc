#include "controllers/preview/plan_trial.h"

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

// Stands for the UID that a ClusterServiceVersion will get. Servers do not look for owners.
constexpr char kUidToCome[] = "00000000-0000-4000-8000-000000000000";

// Warnings of a step's tries, of which each may give the same again.
constexpr size_t kMaxHeard = 100;

const kube::GroupVersionResource kDefinitions = {"apiextensions.k8s.io", "v1",
                                                 "customresourcedefinitions"};

std::string TextAt(const json::object& object, std::string_view part, std::string_view key) {
  const json::object* members = ObjectAt(object, part);
  return members == nullptr ? "" : std::string(StringAt(*members, key));
}

std::string NameOf(const json::object& manifest) {
  std::string name = TextAt(manifest, "metadata", "name");
  return name.empty() ? StrCat(TextAt(manifest, "metadata", "generateName"), "*") : name;
}

// The group and kind that a definition brings.
std::pair<std::string, std::string> BroughtBy(const json::object& definition) {
  const json::object* spec = ObjectAt(definition, "spec");
  if (spec == nullptr) return {};
  return {std::string(StringAt(*spec, "group")), TextAt(*spec, "names", "kind")};
}

// Steps without the names of their objects, which others may not see.
std::string FailsFirst(size_t index) { return StrCat("step ", index + 1, " fails first"); }

int StageOf(StepKind kind) {
  if (kind == StepKind::kCsv) return 0;
  return kind == StepKind::kDefinition ? 1 : 2;
}

}  // namespace

PlanTrial::PlanTrial(const PlanTrialDeps& deps, const olm::InstallPlan& plan,
                     std::vector<olm::PreviewStep>& steps)
    : deps_(deps),
      plan_(plan),
      steps_(steps),
      prepared_({.own = deps.own,
                 .mapper = deps.mapper,
                 .optional_manifests = deps.optional_manifests,
                 .scoped = deps.scoped},
                plan),
      place_(plan.steps.size()),
      done_(plan.steps.size()) {}

StatusTask PlanTrial::Run(std::optional<olm::PlanCondition>* refusal) {
  co_await UntilOneEnds(Try(), deps_.clock.Sleep(deps_.limits.time));
  Finish();
  *refusal = std::move(refusal_);
  const bool told = troubled_ == 0 || troubled_ < order_.size();
  if (told) co_return absl::OkStatus();
  co_return trouble_;
}

VoidTask PlanTrial::Try() {
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

boost::asio::awaitable<bool> PlanTrial::Prepare() {
  const absl::Status sorted = prepared_.Sort();
  for (const size_t i : prepared_.Order()) {
    if (!prepared_.steps()[i].pending) continue;
    place_[i] = order_.size();
    order_.push_back(i);
  }
  if (!sorted.ok()) {
    for (const size_t i : order_) {
      if (prepared_.steps()[i].kind != StepKind::kUnsupported) continue;
      Say(steps_[i], Outcome::kBlocked, Basis::kRule, olm::kUnsupportedKind,
          "a plan does not install objects of this kind");
      Done(i);
    }
    Refuse(sorted);
    co_return false;
  }
  const absl::Status read = co_await prepared_.ReadManifests();
  if (IsTrouble(read)) {
    for (size_t i = 0; i < order_.size(); ++i) NoteTrouble(read);
    co_return false;
  }
  if (!read.ok()) {
    if (const std::optional<size_t> faulty = prepared_.faulty_step()) {
      ConcludeByRule(read, steps_[*faulty]);
      steps_[*faulty].outcome = Outcome::kBlocked;
      steps_[*faulty].reason = olm::kInvalidManifest;
      Done(*faulty);
    }
    Refuse(read);
    co_return false;
  }
  const absl::Status chosen = prepared_.ChooseOptional();
  if (!chosen.ok()) {
    Refuse(chosen);
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

boost::asio::awaitable<bool> PlanTrial::CheckDefinitions() {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const absl::Status checked = co_await prepared_.CheckDefinition(i);
    if (checked.ok()) continue;
    ByRule(i, checked);
    if (steps_[i].outcome != Outcome::kFail) continue;
    BlockAll(olm::kEarlierStepFails, FailsFirst(i));
    // All others are blocked, also those that come before it.
    failing_ = order_.size();
    co_return false;
  }
  co_return true;
}

void PlanTrial::FindNeeds() {
  std::set<std::tuple<std::string, std::string, std::string>> written;
  for (const size_t i : order_) {
    const json::object& manifest = prepared_.steps()[i].manifest;
    const kube::GroupVersionKind kind = olm::ObjectKind(plan_.steps[i].gvk);
    const std::string name = NameOf(manifest);
    if (!written.emplace(kind.group, kind.kind, name).second) repeated_.insert(i);
    if (prepared_.steps()[i].kind == StepKind::kServiceAccount) accounts_.insert(name);
    if (prepared_.steps()[i].kind == StepKind::kAccess) roles_.emplace(kind.kind, name);
  }
}

// After a stage: what it makes, which those of the next build upon.
void PlanTrial::NoteWhatComes(size_t index) {
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

VoidTask PlanTrial::TryStage(const std::vector<size_t>& stage) {
  if (stage.empty()) co_return;
  const auto work = [this, &stage](size_t number) { return TryOne(stage[number]); };
  co_await ForEachInFlight(stage.size(), deps_.limits.width, work);
}

VoidTask PlanTrial::TryOne(size_t index) {
  if (done_[index] || place_[index] > failing_) co_return;
  if (place_[index] >= deps_.limits.max_steps) {
    Say(steps_[index], Outcome::kUnknown, Basis::kRule, kTooManySteps,
        StrCat("only the first ", deps_.limits.max_steps, " steps are tried"));
    Done(index);
    co_return;
  }
  if (deps_.pace) co_await deps_.pace();
  co_await FindObstacle(index);
  if (!done_[index]) co_await DryRun(index);
}

// What the executor looks at before it writes.
VoidTask PlanTrial::FindObstacle(size_t index) {
  if (repeated_.contains(index)) {
    Need(index, "an earlier step of the plan writes the same object");
    co_return;
  }
  const kube::GroupVersionKind& gvk = plan_.steps[index].gvk;
  switch (prepared_.steps()[index].kind) {
    case StepKind::kCsv: {
      const absl::Status may = co_await prepared_.MayPutCsv(index);
      if (!may.ok()) ByRule(index, may);
      co_return;
    }
    case StepKind::kDefinition: {
      co_await FindWaiting(index);
      co_return;
    }
    case StepKind::kBuiltIn: {
      const std::optional<std::string> account = prepared_.TokenAccount(index);
      if (!account || accounts_.contains(*account)) co_return;
      const absl::Status has = co_await prepared_.HasAccount(index);
      if (!has.ok()) ByRule(index, has);
      co_return;
    }
    case StepKind::kOther:
      break;
    default:
      co_return;
  }
  const FoundApis::Answer& api = deps_.apis.Of(gvk);
  if (!api.ok() && absl::IsResourceExhausted(api.status())) {
    Say(steps_[index], Outcome::kUnknown, Basis::kRule, kTooManySteps,
        ToStd(api.status().message()));
    Done(index);
  } else if (!api.ok()) {
    ByRule(index, api.status());
  } else if (prepared_.IsSupplied(gvk)) {
    if (!*api || unsettled_.contains({gvk.group, gvk.kind})) {
      Need(index, "the plan itself brings the definition of its kind");
    }
  } else if (!*api) {
    NoteAbsentApi(index);
  }
}

// A definition that this plan has created already is only waited for.
VoidTask PlanTrial::FindWaiting(size_t index) {
  if (plan_.steps[index].status != olm::kStepWaitingForApi) co_return;
  const kube::NamespacedName name = {"", NameOf(prepared_.steps()[index].manifest)};
  const absl::Status there = (co_await deps_.own.Get(kDefinitions, name)).status();
  if (kube::IsNotFound(there, name.name)) co_return;
  if (!there.ok()) {
    ByRule(index, there);
    co_return;
  }
  Say(steps_[index], Outcome::kUnchanged, Basis::kRule, olm::kWaitsForApi);
  Done(index);
}

VoidTask PlanTrial::DryRun(size_t index) {
  olm::PreviewStep& step = steps_[index];
  const StepKind kind = prepared_.steps()[index].kind;
  const kube::GroupVersionKind& gvk = plan_.steps[index].gvk;
  absl::StatusOr<StepTarget> target = co_await prepared_.TargetOf(index);
  if (!target.ok()) {
    ByRule(index, target.status());
    co_return;
  }
  std::vector<std::string> warnings;
  StepWriter writer(kind == StepKind::kDefinition ? deps_.own : deps_.steps,
                    [&warnings](std::string text) {
                      if (warnings.size() < kMaxHeard) warnings.push_back(std::move(text));
                    });
  StepOutcome outcome = co_await writer.Put(*std::move(target));
  if (kube::IsNotServed(outcome.answer)) {
    // Gone since it was discovered, or never there behind a proxy: discovery decides.
    deps_.mapper.Forget(gvk.group_version());
    const FoundApis::Answer found = co_await deps_.mapper.Find(gvk);
    if (!found.ok()) {
      ByRule(index, found.status());
      co_return;
    }
    if (prepared_.IsSupplied(gvk)) {
      Need(index, "the plan itself brings the definition of its kind");
      co_return;
    }
  }
  if (LeansOnRole(index, outcome.answer)) {
    Need(index, "the plan itself brings the role that is bound");
    co_return;
  }
  if (IsTrouble(outcome.answer)) NoteTrouble(outcome.answer);
  Conclude(index, std::move(outcome), warnings);
  if (step.outcome == Outcome::kUpdate) {
    for (const std::string& change : prepared_.TakeChanges(index)) {
      step.message = OneLine(StrCat(step.message, step.message.empty() ? "" : "; ", change),
                             kMaxPreviewMessage);
    }
  }
  Done(index);
}

void PlanTrial::Conclude(size_t index, StepOutcome outcome,
                         const std::vector<std::string>& warnings) {
  olm::PreviewStep& step = steps_[index];
  const StepKind kind = prepared_.steps()[index].kind;
  const bool has_place = path_bytes_ < deps_.limits.max_path_bytes;
  ChangeLimits limits;
  // What a definition changes decides about the objects of its kind.
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

// An API server looks for a role before it lets somebody bind it who holds no right to do so.
bool PlanTrial::LeansOnRole(size_t index, const absl::Status& answer) const {
  if (prepared_.steps()[index].kind != StepKind::kAccess) return false;
  const json::object* role = ObjectAt(prepared_.steps()[index].manifest, "roleRef");
  if (role == nullptr) return false;
  const std::string name(StringAt(*role, "name"));
  return kube::IsNotFound(answer, name) &&
         roles_.contains({std::string(StringAt(*role, "kind")), name});
}

void PlanTrial::NoteAbsentApi(size_t index) {
  olm::PreviewStep& step = steps_[index];
  Say(step, step.optional ? Outcome::kNotCreated : Outcome::kFail, Basis::kRule, olm::kApiAbsent,
      prepared_.NotServed(plan_.steps[index].gvk));
  Done(index);
}

void PlanTrial::BlockAll(std::string_view reason, const std::string& message) {
  for (const size_t i : order_) {
    if (done_[i] && steps_[i].outcome != Outcome::kUnknown) continue;
    Say(steps_[i], Outcome::kBlocked, Basis::kRule, reason, message);
    Done(i);
  }
}

void PlanTrial::Refuse(const absl::Status& why) {
  refusal_ = {false, std::string(olm::kInvalidPlan),
              OneLine(ToStd(why.message()), kMaxPreviewMessage)};
  BlockAll(olm::kInvalidPlan, std::string(kPlanRefused));
}

void PlanTrial::ByRule(size_t index, const absl::Status& error) {
  olm::PreviewStep& step = steps_[index];
  if (IsTrouble(error)) NoteTrouble(error);
  ConcludeByRule(error, step);
  // The executor may read more than whoever asks.
  if (deps_.reads_as_requester && kube::IsForbidden(error)) step.outcome = Outcome::kUnknown;
  Done(index);
}

void PlanTrial::Need(size_t index, std::string_view what) {
  Say(steps_[index], Outcome::kUnknown, Basis::kRule, kNeedsEarlierStep, what);
  Done(index);
}

void PlanTrial::NoteTrouble(const absl::Status& error) {
  trouble_.Update(error);
  ++troubled_;
}

void PlanTrial::Done(size_t index) {
  done_[index] = true;
  if (steps_[index].outcome == Outcome::kFail) failing_ = std::min(failing_, place_[index]);
}

void PlanTrial::Finish() {
  // Before the first write all of them are tried, so none is written then. Of which nothing could
  // be told, nothing is.
  const bool none = failing_ < order_.size() && plan_.untouched();
  for (size_t place = 0; place < order_.size(); ++place) {
    olm::PreviewStep& step = steps_[order_[place]];
    const bool told = step.outcome != Outcome::kUnknown;
    if (place > failing_ || (none && place < failing_ && told)) {
      Say(step, Outcome::kBlocked, Basis::kRule, olm::kEarlierStepFails,
          FailsFirst(order_[failing_]));
    } else if (!done_[order_[place]]) {
      Say(step, Outcome::kUnknown, Basis::kRule, kOutOfTime,
          "the time of the preview was over before the step was tried");
    }
  }
}

}  // namespace steward::controllers
