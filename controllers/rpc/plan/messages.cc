#include "controllers/rpc/plan/messages.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/preview.h"
#include "olm/preview/preview_message.h"

namespace steward::rpc {
namespace {

constexpr std::string_view kNoValues =
    "the values of changed fields are left out, as the answer would be too large";
constexpr std::string_view kNoMessages =
    "messages, warnings and changed fields of steps are left out, as the answer would be too large";
constexpr std::string_view kNoSteps = "steps are left out, as the answer would be too large";

void NoteOmission(std::string_view what, plan::v1::Condition& condition) {
  const std::string& said = condition.message();
  condition.set_message(StrCat(said, said.empty() ? "" : "; ", what));
}

// Returns true if `out`, without values, and then without messages, warnings and changed fields of
// steps where need be, has no more than `max_bytes`.
template <typename Message>
bool Fits(size_t max_bytes, Message& out) {
  if (out.ByteSizeLong() <= max_bytes) return true;
  const std::string whole = out.executable().message();
  bool had_values = false;
  for (plan::v1::Step& step : *out.mutable_steps()) {
    had_values = had_values || step.changes_size() > 0;
    step.clear_changes();
  }
  if (had_values) {
    NoteOmission(kNoValues, *out.mutable_executable());
    if (out.ByteSizeLong() <= max_bytes) return true;
    out.mutable_executable()->set_message(whole);
  }
  for (plan::v1::Step& step : *out.mutable_steps()) {
    step.clear_message();
    step.clear_warnings();
    step.clear_changed_fields();
  }
  NoteOmission(kNoMessages, *out.mutable_executable());
  if (out.ByteSizeLong() <= max_bytes) return true;
  out.mutable_executable()->set_message(whole);
  return false;
}

}  // namespace

void WritePlanPreview(const olm::PlanOutlook& outlook, bool optional_manifests,
                      plan::v1::PlanPreview& out, size_t max_bytes) {
  const olm::PlanFacts& plan = *outlook.plan;
  const olm::PlanPreview preview = olm::PreviewOf(outlook, optional_manifests);
  out.set_namespace_(plan.key.ns);
  out.set_name(plan.key.name);
  out.set_install_plan_uid(plan.uid);
  out.set_creation_timestamp(plan.created);
  out.set_approved(plan.approved);
  out.set_phase(plan.phase);
  for (const std::string& csv : plan.csv_names) out.add_cluster_service_version_names(csv);
  olm::WriteCondition(preview.condition, *out.mutable_executable());
  for (const olm::PreviewStep& step : preview.steps) olm::WriteStep(step, *out.add_steps());
  if (Fits(max_bytes, out)) return;
  out.clear_steps();
  NoteOmission(kNoSteps, *out.mutable_executable());
}

absl::Status WriteLivePreview(const olm::PlanPreview& preview, const std::vector<bool>& shown,
                              plan::v1::PreviewResponse& out, size_t max_bytes) {
  olm::WriteCondition(preview.condition, *out.mutable_executable());
  int64_t hidden = 0;
  for (size_t i = 0; i < preview.steps.size(); ++i) {
    if (shown[i]) {
      olm::WriteStep(preview.steps[i], *out.add_steps());
    } else {
      ++hidden;
    }
  }
  out.set_hidden(hidden);
  if (hidden > 0 && preview.condition.reason == olm::kInvalidPlan) {
    out.mutable_executable()->set_message("the plan cannot be executed as it is");
  }
  if (Fits(max_bytes, out)) return absl::OkStatus();
  return BadRequest("the preview has too many steps for one answer");
}

}  // namespace steward::rpc
