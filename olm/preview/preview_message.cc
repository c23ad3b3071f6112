#include "olm/preview/preview_message.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/json/json_text.h"

namespace steward::olm {
namespace {

bool IsValue(const std::string& json) { return json.empty() || ParseJson(json).ok(); }

PreviewChange ReadChange(plan::v1::Change& from) {
  PreviewChange change;
  change.path = std::move(*from.mutable_path());
  const bool readable = IsValue(from.before()) && IsValue(from.after());
  change.cut = from.cut() || !readable;
  if (!readable) return change;
  change.before = std::move(*from.mutable_before());
  change.after = std::move(*from.mutable_after());
  return change;
}

PreviewStep ReadStep(plan::v1::Step& from) {
  PreviewStep step;
  step.index = static_cast<size_t>(std::max<int64_t>(from.index(), 1) - 1);
  step.resolving = std::move(*from.mutable_resolving());
  step.gvk = {std::move(*from.mutable_group()), std::move(*from.mutable_version()),
              std::move(*from.mutable_kind())};
  step.ns = std::move(*from.mutable_namespace_());
  step.name = std::move(*from.mutable_name());
  step.declared_optional = from.declared_optional();
  step.optional = from.optional();
  step.outcome = OutcomeOf(from.outcome());
  step.basis = BasisOf(from.basis());
  step.reason = std::move(*from.mutable_reason());
  step.code = from.code();
  step.message = std::move(*from.mutable_message());
  step.changed_fields.assign(from.changed_fields().begin(), from.changed_fields().end());
  for (plan::v1::Change& each : *from.mutable_changes()) step.changes.push_back(ReadChange(each));
  step.warnings.assign(from.warnings().begin(), from.warnings().end());
  step.status = std::move(*from.mutable_status());
  return step;
}

}  // namespace

void WriteCondition(const PlanCondition& condition, plan::v1::Condition& out) {
  out.set_status(condition.executable);
  out.set_reason(condition.reason);
  out.set_message(condition.message);
}

void WriteStep(const PreviewStep& step, plan::v1::Step& out) {
  out.set_index(static_cast<int64_t>(step.index) + 1);
  out.set_resolving(step.resolving);
  out.set_group(step.gvk.group);
  out.set_version(step.gvk.version);
  out.set_kind(step.gvk.kind);
  out.set_namespace_(step.ns);
  out.set_name(step.name);
  out.set_declared_optional(step.declared_optional);
  out.set_optional(step.optional);
  out.set_outcome(std::string(ToString(step.outcome)));
  out.set_basis(std::string(ToString(step.basis)));
  out.set_reason(step.reason);
  out.set_code(step.code);
  out.set_message(step.message);
  for (const std::string& field : step.changed_fields) out.add_changed_fields(field);
  out.set_status(step.status);
  for (const PreviewChange& change : step.changes) {
    plan::v1::Change& to = *out.add_changes();
    to.set_path(change.path);
    to.set_before(change.before);
    to.set_after(change.after);
    to.set_cut(change.cut);
  }
  for (const std::string& warning : step.warnings) out.add_warnings(warning);
}

void WritePreview(const PlanPreview& preview, plan::v1::PreviewResponse& out) {
  WriteCondition(preview.condition, *out.mutable_executable());
  for (const PreviewStep& step : preview.steps) WriteStep(step, *out.add_steps());
  out.set_hidden(preview.hidden);
  out.set_remaining(preview.remaining);
}

PlanPreview ReadPreview(plan::v1::PreviewResponse response) {
  PlanPreview preview;
  plan::v1::Condition& condition = *response.mutable_executable();
  preview.condition = {condition.status(), std::move(*condition.mutable_reason()),
                       std::move(*condition.mutable_message())};
  preview.steps.reserve(static_cast<size_t>(response.steps_size()));
  for (plan::v1::Step& step : *response.mutable_steps()) preview.steps.push_back(ReadStep(step));
  preview.hidden = response.hidden();
  preview.remaining = response.remaining();
  return preview;
}

}  // namespace steward::olm
