#include "plugin/preview/asked_preview.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/preview/plan_outlook.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

using olm::Outcome;

const kube::GroupVersionResource kPlanPreviews = {"views.operators.coreos.com", "v1alpha1",
                                                  "planpreviews"};
std::vector<std::string> TextsAt(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::array* list = ArrayAt(object, key);
  if (list == nullptr) return texts;
  for (const json::value& each : *list) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

// Returns a member as JSON; "" = it is absent.
std::string JsonAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? "" : Serialize(*value);
}

std::vector<olm::PreviewChange> ChangesOf(const json::object& step) {
  std::vector<olm::PreviewChange> changes;
  const json::array* list = ArrayAt(step, "changes");
  if (list == nullptr) return changes;
  for (const json::value& each : *list) {
    const json::object* change = each.if_object();
    if (change == nullptr) continue;
    changes.push_back({std::string(StringAt(*change, "path")), JsonAt(*change, "before"),
                       JsonAt(*change, "after"), BoolAt(*change, "cut")});
  }
  return changes;
}

int64_t CountAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

olm::PreviewStep ReadStep(const json::object& object) {
  olm::PreviewStep step;
  step.index = static_cast<size_t>(std::max<int64_t>(CountAt(object, "index"), 1) - 1);
  step.resolving = StringAt(object, "resolving");
  step.gvk = {std::string(StringAt(object, "group")), std::string(StringAt(object, "version")),
              std::string(StringAt(object, "kind"))};
  step.ns = StringAt(object, "namespace");
  step.name = StringAt(object, "name");
  step.declared_optional = BoolAt(object, "declaredOptional");
  step.optional = BoolAt(object, "optional");
  step.outcome = olm::OutcomeOf(StringAt(object, "outcome"));
  step.basis = olm::BasisOf(StringAt(object, "basis"));
  step.reason = StringAt(object, "reason");
  step.code = static_cast<int>(CountAt(object, "code"));
  step.message = StringAt(object, "message");
  step.changed_fields = TextsAt(object, "changedFields");
  step.changes = ChangesOf(object);
  step.warnings = TextsAt(object, "warnings");
  step.status = StringAt(object, "status");
  return step;
}

}  // namespace

bool Warns(const olm::PreviewStep& step) {
  return step.outcome == Outcome::kBlocked || step.outcome == Outcome::kFail ||
         step.outcome == Outcome::kUnknown;
}

bool IsClear(const olm::PlanPreview& preview) {
  // A plan is also clear if only its approval is missing or its steps are already done.
  const olm::PlanCondition& condition = preview.condition;
  const bool stands = condition.executable || condition.reason == olm::kNotApproved ||
                      condition.reason == olm::kPlanIsComplete;
  return stands && preview.hidden == 0 && preview.remaining == 0 &&
         std::none_of(preview.steps.begin(), preview.steps.end(), Warns);
}

std::string ObjectText(const olm::PreviewStep& step) {
  return StrCat(step.gvk.kind, step.gvk.kind.empty() ? "" : " ", step.ns,
                step.ns.empty() ? "" : "/", step.name);
}

absl::StatusOr<AskedPreview> ReadPreview(const json::object& object) {
  const json::object* status = ObjectAt(object, "status");
  if (status == nullptr) return absl::InvalidArgumentError("the PlanPreview has no status");
  const json::array* steps = ArrayAt(*status, "steps");
  if (steps == nullptr) return absl::InvalidArgumentError("the PlanPreview has no status.steps");
  AskedPreview preview;
  olm::PlanPreview& said = preview.said;
  for (const json::value& each : *steps) {
    const json::object* step = each.if_object();
    if (step == nullptr) return absl::InvalidArgumentError("a step is no object");
    said.steps.push_back(ReadStep(*step));
  }
  said.hidden = CountAt(*status, "hidden");
  said.remaining = CountAt(*status, "remaining");
  if (const json::array* conditions = ArrayAt(*status, "conditions")) {
    for (const json::value& each : *conditions) {
      const json::object* condition = each.if_object();
      if (condition == nullptr || StringAt(*condition, "type") != "Executable") continue;
      said.condition = {StringAt(*condition, "status") == "True",
                        std::string(StringAt(*condition, "reason")),
                        std::string(StringAt(*condition, "message"))};
    }
  }
  preview.object = object;
  return preview;
}

Task<AskedPreview> AskPreview(kube::Client& client, std::string ns, json::object spec) {
  const json::value question = {{"apiVersion", "views.operators.coreos.com/v1alpha1"},
                                {"kind", "PlanPreview"},
                                {"metadata", {{"namespace", ns}}},
                                {"spec", std::move(spec)}};
  const kube::WriteOptions options;
  CO_ASSIGN_OR_RETURN(const json::value answer,
                      co_await client.Create(kPlanPreviews, ns, question, options));
  if (!answer.is_object()) co_return absl::InvalidArgumentError("the answer is no object");
  co_return ReadPreview(answer.get_object());
}

bool IsWithoutPreviews(const absl::Status& error) {
  return kube::IsNotServed(error) || kube::IsUnsupported(error) || kube::IsForbidden(error) ||
         kube::IsTransient(error);
}

}  // namespace steward::plugin
