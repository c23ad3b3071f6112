#include "plugin/preview/asked_preview.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

const kube::GroupVersionResource kPlanPreviews = {"views.operators.coreos.com", "v1alpha1",
                                                  "planpreviews"};
// The outcomes against which nothing stands.
constexpr std::string_view kGood[] = {"Create",     "Update", "Unchanged",
                                      "NotCreated", "Delete", "Keep"};
// The reasons why a plan is not executed now, and its preview holds all the same.
constexpr std::string_view kHarmless[] = {"NotApproved", "PlanIsComplete"};

std::string ObjectText(const AskedStep& step) {
  return StrCat(step.kind, step.kind.empty() ? "" : " ", step.ns, step.ns.empty() ? "" : "/",
                step.name);
}

std::vector<std::string> TextsAt(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::array* list = ArrayAt(object, key);
  if (list == nullptr) return texts;
  for (const json::value& each : *list) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

std::optional<json::value> ValueAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return std::nullopt;
  return *value;
}

std::vector<AskedChange> ChangesOf(const json::object& step) {
  std::vector<AskedChange> changes;
  const json::array* list = ArrayAt(step, "changes");
  if (list == nullptr) return changes;
  for (const json::value& each : *list) {
    const json::object* change = each.if_object();
    if (change == nullptr) continue;
    changes.push_back({std::string(StringAt(*change, "path")), ValueAt(*change, "before"),
                       ValueAt(*change, "after"), BoolAt(*change, "cut")});
  }
  return changes;
}

AskedStep ReadStep(const json::object& object) {
  AskedStep step;
  step.group = StringAt(object, "group");
  step.version = StringAt(object, "version");
  step.kind = StringAt(object, "kind");
  step.ns = StringAt(object, "namespace");
  step.name = StringAt(object, "name");
  step.object = ObjectText(step);
  step.outcome = StringAt(object, "outcome");
  step.basis = StringAt(object, "basis");
  step.reason = StringAt(object, "reason");
  step.message = StringAt(object, "message");
  step.optional = BoolAt(object, "optional");
  step.changed_fields = TextsAt(object, "changedFields");
  step.changes = ChangesOf(object);
  step.warnings = TextsAt(object, "warnings");
  return step;
}

int64_t CountAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

}  // namespace

bool AskedStep::Warns() const {
  return std::find(std::begin(kGood), std::end(kGood), outcome) == std::end(kGood);
}

bool AskedPreview::IsClear() const {
  const bool stands = executable || std::find(std::begin(kHarmless), std::end(kHarmless), reason) !=
                                        std::end(kHarmless);
  return stands && hidden == 0 && remaining == 0 &&
         std::none_of(steps.begin(), steps.end(),
                      [](const AskedStep& step) { return step.Warns(); });
}

absl::StatusOr<AskedPreview> ReadPreview(const json::object& object) {
  const json::object* status = ObjectAt(object, "status");
  if (status == nullptr) return absl::InvalidArgumentError("the PlanPreview has no status");
  const json::array* steps = ArrayAt(*status, "steps");
  if (steps == nullptr) return absl::InvalidArgumentError("the PlanPreview has no status.steps");
  AskedPreview preview;
  for (const json::value& each : *steps) {
    const json::object* step = each.if_object();
    if (step == nullptr) return absl::InvalidArgumentError("a step is no object");
    preview.steps.push_back(ReadStep(*step));
  }
  preview.hidden = CountAt(*status, "hidden");
  preview.remaining = CountAt(*status, "remaining");
  if (const json::array* conditions = ArrayAt(*status, "conditions")) {
    for (const json::value& each : *conditions) {
      const json::object* condition = each.if_object();
      if (condition == nullptr || StringAt(*condition, "type") != "Executable") continue;
      preview.executable = StringAt(*condition, "status") == "True";
      preview.reason = StringAt(*condition, "reason");
      preview.message = StringAt(*condition, "message");
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
