#include "olm/plan/install_plan.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/plan/step_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

absl::Status Bad(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(field, ": ", why));
}

// Members that may be absent or null. A member of another type is an error that names `path`.
absl::StatusOr<std::string> TextIn(const json::object& parent, std::string_view path,
                                   std::string_view key) {
  const json::value* value = parent.if_contains(key);
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string()) return Bad(StrCat(path, key), "must be a string");
  return std::string(View(value->get_string()));
}
absl::StatusOr<bool> BoolIn(const json::object& parent, std::string_view path,
                            std::string_view key) {
  const json::value* value = parent.if_contains(key);
  if (value == nullptr || value->is_null()) return false;
  if (!value->is_bool()) return Bad(StrCat(path, key), "must be true or false");
  return value->get_bool();
}
absl::StatusOr<const json::object*> ObjectIn(const json::object& parent, std::string_view path,
                                             std::string_view key) {
  const json::value* value = parent.if_contains(key);
  if (value == nullptr || value->is_null()) return nullptr;
  if (!value->is_object()) return Bad(StrCat(path, key), "must be an object");
  return &value->get_object();
}
absl::StatusOr<const json::array*> ArrayIn(const json::object& parent, std::string_view path,
                                           std::string_view key) {
  const json::value* value = parent.if_contains(key);
  if (value == nullptr || value->is_null()) return nullptr;
  if (!value->is_array()) return Bad(StrCat(path, key), "must be a list");
  return &value->get_array();
}

absl::StatusOr<PlanStep> ReadStep(const json::value& value, size_t index) {
  const std::string path = StrCat("status.plan[", index, "]");
  if (!value.is_object()) return Bad(path, "must be an object");
  const json::object& object = value.get_object();
  const std::string in = path + ".";
  PlanStep step;
  ASSIGN_OR_RETURN(step.resolving, TextIn(object, in, "resolving"));
  ASSIGN_OR_RETURN(step.status, TextIn(object, in, "status"));
  ASSIGN_OR_RETURN(step.optional, BoolIn(object, in, "optional"));
  ASSIGN_OR_RETURN(const json::object* resource, ObjectIn(object, in, "resource"));
  if (resource == nullptr) return Bad(in + "resource", "must be an object");
  const std::string of = in + "resource.";
  ASSIGN_OR_RETURN(step.gvk.group, TextIn(*resource, of, "group"));
  ASSIGN_OR_RETURN(step.gvk.version, TextIn(*resource, of, "version"));
  ASSIGN_OR_RETURN(step.gvk.kind, TextIn(*resource, of, "kind"));
  ASSIGN_OR_RETURN(step.name, TextIn(*resource, of, "name"));
  ASSIGN_OR_RETURN(step.source_name, TextIn(*resource, of, "sourceName"));
  ASSIGN_OR_RETURN(step.source_namespace, TextIn(*resource, of, "sourceNamespace"));
  ASSIGN_OR_RETURN(step.manifest, TextIn(*resource, of, "manifest"));
  return step;
}

absl::Status ReadStatus(const json::object& status, InstallPlan& plan) {
  constexpr std::string_view kIn = "status.";
  ASSIGN_OR_RETURN(plan.phase, TextIn(status, kIn, "phase"));
  ASSIGN_OR_RETURN(plan.message, TextIn(status, kIn, "message"));
  ASSIGN_OR_RETURN(const std::string started, TextIn(status, kIn, "startTime"));
  if (!started.empty()) {
    const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(started);
    if (!time.ok()) return Bad("status.startTime", "must be a time");
    plan.start_time = *time;
  }
  ASSIGN_OR_RETURN(const json::array* steps, ArrayIn(status, kIn, "plan"));
  if (steps != nullptr && steps->size() > InstallPlan::kMaxSteps) {
    return Bad("status.plan", StrCat("must not have more than ", InstallPlan::kMaxSteps, " steps"));
  }
  for (size_t i = 0; steps != nullptr && i < steps->size(); ++i) {
    ASSIGN_OR_RETURN(PlanStep step, ReadStep((*steps)[i], i));
    plan.steps.push_back(std::move(step));
  }
  ASSIGN_OR_RETURN(const json::array* lookups, ArrayIn(status, kIn, "bundleLookups"));
  for (size_t i = 0; lookups != nullptr && i < lookups->size(); ++i) {
    const std::string path = StrCat("status.bundleLookups[", i, "]");
    if (!(*lookups)[i].is_object()) return Bad(path, "must be an object");
    const json::object& object = (*lookups)[i].get_object();
    BundleLookup lookup;
    ASSIGN_OR_RETURN(lookup.identifier, TextIn(object, path + ".", "identifier"));
    ASSIGN_OR_RETURN(lookup.properties, TextIn(object, path + ".", "properties"));
    ASSIGN_OR_RETURN(const json::array* conditions, ArrayIn(object, path + ".", "conditions"));
    for (size_t j = 0; conditions != nullptr && j < conditions->size(); ++j) {
      const json::object* condition = (*conditions)[j].if_object();
      if (condition == nullptr || StringAt(*condition, "status") != "True") continue;
      const std::string_view type = StringAt(*condition, "type");
      if (type == "BundleLookupPending" || type == "BundleLookupNotPersisted") {
        lookup.pending = true;
      }
    }
    plan.lookups.push_back(std::move(lookup));
  }
  return absl::OkStatus();
}

// Sets the member, and notes whether that changed anything.
void Set(json::object& parent, std::string_view key, json::value value, bool& changed) {
  const json::value* before = parent.if_contains(key);
  if (before != nullptr && *before == value) return;
  parent[key] = std::move(value);
  changed = true;
}

// As Set, but removes the member if `text` is empty.
void SetText(json::object& parent, std::string_view key, const std::string& text, bool& changed) {
  if (!text.empty()) {
    Set(parent, key, json::string(text), changed);
  } else if (parent.erase(key) > 0) {
    changed = true;
  }
}

json::object& ConditionIn(json::object& status) {
  json::value& value = status["conditions"];
  if (!value.is_array()) value.emplace_array();
  for (json::value& each : value.get_array()) {
    if (each.is_object() && StringAt(each.get_object(), "type") == kPlanInstalled) {
      return each.get_object();
    }
  }
  json::value made = json::object{{"type", json::string(kPlanInstalled)}};
  value.get_array().push_back(std::move(made));
  return value.get_array().back().get_object();
}

void SetCondition(const PlanProgress::Condition& wanted, absl::Time now, json::object& status,
                  bool& changed) {
  json::object& condition = ConditionIn(status);
  const std::string_view state = wanted.installed ? "True" : "False";
  const bool turned = StringAt(condition, "status") != state;
  bool differs = turned;
  SetText(condition, "reason", wanted.reason, differs);
  SetText(condition, "message", wanted.message, differs);
  if (!differs) return;
  const std::string time = kube::FormatRfc3339(now);
  condition["status"] = json::string(state);
  condition["lastUpdateTime"] = time;
  if (turned) condition["lastTransitionTime"] = time;
  changed = true;
}

}  // namespace

bool IsPendingStep(std::string_view status) {
  return status.empty() || status == kStepUnknown || status == kStepNotPresent ||
         status == kStepWaitingForApi;
}

bool HasStepEnded(std::string_view status) {
  return status == kStepPresent || status == kStepCreated || status == kStepNotCreated;
}

std::string PlanStep::ToString(size_t index) const {
  return StrCat("step ", index + 1, ", ", ObjectKind(gvk).kind, " ", name);
}

bool InstallPlan::untouched() const {
  return std::all_of(steps.begin(), steps.end(), [](const PlanStep& step) {
    return step.status.empty() || step.status == kStepUnknown;
  });
}

absl::StatusOr<InstallPlan> ReadInstallPlan(const json::object& object) {
  InstallPlan plan;
  ASSIGN_OR_RETURN(const json::object* metadata, ObjectIn(object, "", "metadata"));
  if (metadata == nullptr) return Bad("metadata", "must be an object");
  ASSIGN_OR_RETURN(plan.key.ns, TextIn(*metadata, "metadata.", "namespace"));
  ASSIGN_OR_RETURN(plan.key.name, TextIn(*metadata, "metadata.", "name"));
  ASSIGN_OR_RETURN(plan.uid, TextIn(*metadata, "metadata.", "uid"));
  ASSIGN_OR_RETURN(plan.resource_version, TextIn(*metadata, "metadata.", "resourceVersion"));
  ASSIGN_OR_RETURN(const std::string deleted, TextIn(*metadata, "metadata.", "deletionTimestamp"));
  plan.deleting = !deleted.empty();
  if (plan.key.name.empty() || plan.key.ns.empty()) {
    return Bad("metadata", "must have a name and a namespace");
  }
  if (plan.uid.empty()) return Bad("metadata.uid", "must not be empty");
  ASSIGN_OR_RETURN(const json::object* spec, ObjectIn(object, "", "spec"));
  if (spec != nullptr) {
    ASSIGN_OR_RETURN(plan.approved, BoolIn(*spec, "spec.", "approved"));
    ASSIGN_OR_RETURN(const json::array* names,
                     ArrayIn(*spec, "spec.", "clusterServiceVersionNames"));
    for (size_t i = 0; names != nullptr && i < names->size(); ++i) {
      if (!(*names)[i].is_string()) {
        return Bad(StrCat("spec.clusterServiceVersionNames[", i, "]"), "must be a string");
      }
      plan.csv_names.emplace_back(View((*names)[i].get_string()));
    }
  }
  ASSIGN_OR_RETURN(const json::object* status, ObjectIn(object, "", "status"));
  if (status != nullptr) RETURN_IF_ERROR(ReadStatus(*status, plan));
  return plan;
}

bool SetProgress(const InstallPlan& plan, const PlanProgress& progress, absl::Time now,
                 json::object& object) {
  bool changed = false;
  json::value& value = object["status"];
  if (!value.is_object()) value.emplace_object();
  json::object& status = value.get_object();
  Set(status, "phase", json::string(progress.phase), changed);
  SetText(status, "message", progress.message, changed);
  if (progress.start_time) {
    Set(status, "startTime", json::string(kube::FormatRfc3339(*progress.start_time)), changed);
  }
  if (progress.anew && status.erase("startTime") > 0) changed = true;
  if (progress.condition) SetCondition(*progress.condition, now, status, changed);
  json::value* steps = status.if_contains("plan");
  const size_t count = std::min(progress.steps.size(), plan.steps.size());
  for (size_t i = 0; steps != nullptr && i < count; ++i) {
    json::object& step = steps->as_array()[i].as_object();
    Set(step, "status", json::string(progress.steps[i].status), changed);
    if (progress.steps[i].optional && !plan.steps[i].optional) {
      Set(step, "optional", true, changed);
    }
  }
  return changed;
}

}  // namespace steward::olm
