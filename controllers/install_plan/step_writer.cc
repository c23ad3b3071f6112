#include "controllers/install_plan/step_writer.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "olm/plan/adoption.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::AnswerVerdict;
using olm::StepKind;
using olm::StepWrite;
using Answer = absl::StatusOr<json::value>;

constexpr char kManager[] = "steward-install-plans";

StepOutcome OutcomeOf(Answer answer, StepWrite write) {
  StepOutcome outcome;
  outcome.existed = write == StepWrite::kUpdate;
  outcome.verdict = olm::ClassifyAnswer(answer.status(), write);
  outcome.answer = answer.status();
  if (answer.ok()) outcome.object = *std::move(answer);
  return outcome;
}

// Returns the outcome for an object that already is as the step wants it.
StepOutcome Present(json::value object) {
  StepOutcome outcome;
  outcome.verdict = AnswerVerdict::kExists;
  outcome.object = std::move(object);
  return outcome;
}

bool IsGoing(const json::value& object) {
  return !kube::MetadataText(object, "deletionTimestamp").empty();
}

// Returns the outcome for an object that is being deleted; a write to it would be lost.
StepOutcome Going() {
  StepOutcome outcome;
  outcome.answer = absl::FailedPreconditionError("it is there, and is being deleted");
  outcome.existed = true;
  return outcome;
}

// Returns the outcome of a write to an existing object.
StepOutcome Updated(Answer answer, json::value before) {
  StepOutcome outcome = OutcomeOf(std::move(answer), StepWrite::kUpdate);
  if (outcome.verdict == AnswerVerdict::kCreated) {
    if (IsGoing(outcome.object)) return Going();
    outcome.verdict = AnswerVerdict::kExists;
    outcome.before = std::move(before);
  }
  return outcome;
}

}  // namespace

kube::WriteOptions StepWriter::Options() const {
  kube::WriteOptions options;
  options.field_manager = kManager;
  options.on_warning = on_warning_;
  return options;
}

boost::asio::awaitable<StepOutcome> StepWriter::Write(StepTarget target) {
  StepOutcome outcome;
  // If the object disappears between the refused creation and the update, it is created again.
  for (int tries = 0; tries < kTries; ++tries) {
    const kube::WriteOptions options = Options();
    const json::value object = target.object;
    Answer created = co_await client_.Create(target.gvr, target.ns, object, options);
    outcome = OutcomeOf(std::move(created), StepWrite::kCreate);
    if (outcome.verdict != AnswerVerdict::kExists) co_return outcome;
    outcome = co_await Change(target);
    if (!kube::IsNotFound(outcome.answer, kube::MetadataText(object, "name"))) co_return outcome;
  }
  co_return outcome;
}

Task<json::value> StepWriter::Read(const StepTarget& target) const {
  const kube::NamespacedName name = {target.ns, kube::MetadataText(target.object, "name")};
  CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client_.Get(target.gvr, name));
  CO_ASSIGN_OR_RETURN(json::value live, ParseJson(raw.json));
  if (!live.is_object()) co_return absl::DataLossError("the object is none");
  co_return live;
}

boost::asio::awaitable<StepOutcome> StepWriter::Change(StepTarget target) {
  const bool stays = target.kind == StepKind::kCsv || target.kind == StepKind::kSubscription;
  const bool patched = target.kind == StepKind::kRole || target.kind == StepKind::kBinding ||
                       target.kind == StepKind::kBuiltIn;
  const kube::NamespacedName name = {target.ns, kube::MetadataText(target.object, "name")};
  const kube::WriteOptions options = Options();
  StepOutcome outcome;
  for (int tries = 0; tries < kTries; ++tries) {
    absl::StatusOr<json::value> live = co_await Read(target);
    if (!live.ok()) co_return OutcomeOf(live.status(), StepWrite::kUpdate);
    if (IsGoing(*live)) co_return Going();
    if (target.checked && kube::MetadataText(*live, "resourceVersion") != *target.checked) {
      co_return OutcomeOf(absl::AbortedError("it has changed since it was checked"),
                          StepWrite::kUpdate);
    }
    if (stays || target.untouched) co_return Present(*std::move(live));
    const json::object& before = live->get_object();
    json::object wanted = target.object;
    if (target.kind != StepKind::kDefinition) olm::Disown(before, wanted);
    json::object after = olm::Adopt(before, std::move(wanted));
    if (olm::IsUnchanged(before, after)) co_return Present(*std::move(live));
    // Do not use conditional expressions: g++ 12 destroys the awaited object twice.
    json::value object;
    if (patched) {
      object = olm::AdoptionPatch(before, after);
    } else {
      object = std::move(after);
    }
    Answer updated;
    if (!patched) {
      updated = co_await client_.Update(target.gvr, object, options);
    } else if (object.get_object().empty()) {
      co_return Present(*std::move(live));
    } else {
      updated =
          co_await client_.Patch(target.gvr, name, kube::PatchType::kJsonMerge, object, options);
    }
    outcome = Updated(std::move(updated), *std::move(live));
    if (!kube::IsConflict(outcome.answer)) co_return outcome;
  }
  co_return outcome;
}

}  // namespace steward::controllers
