#include "olm/operator/operator_status.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/operator/component.h"
#include "olm/operator/component_label.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

void Take(const json::object& from, std::string_view key, json::object& to) {
  const std::string_view text = StringAt(from, key);
  if (!text.empty()) to[key] = text;
}

void TakeTime(const json::object& from, std::string_view key, json::object& to) {
  const auto time = kube::ParseRfc3339(StringAt(from, key));
  if (time.ok()) to[key] = kube::FormatRfc3339(*time);
}

json::object TakeCondition(const json::object& from) {
  json::object condition;
  for (const char* key : {"type", "status", "reason", "message"}) Take(from, key, condition);
  for (const char* key : {"lastUpdateTime", "lastTransitionTime"}) TakeTime(from, key, condition);
  return condition;
}

// `text` is JSON, or "".
json::value Parsed(std::string_view text) {
  absl::StatusOr<json::value> value = ParseJson(text);
  return value.ok() ? *std::move(value) : json::value();
}

json::object ToJson(ComponentRef& ref) {
  json::object entry = {{"kind", ref.gvk.kind}, {"apiVersion", ref.gvk.ApiVersion()}};
  if (!ref.name.ns.empty()) entry["namespace"] = ref.name.ns;
  entry["name"] = ref.name.name;
  if (!ref.conditions.empty()) entry["conditions"] = std::move(ref.conditions);
  return entry;
}

}  // namespace

json::array ReadConditions(const json::object& object) {
  json::array conditions;
  const json::object* status = ObjectAt(object, "status");
  const json::array* all = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (all == nullptr) return conditions;
  for (const json::value& value : *all) {
    const json::object* members = value.if_object();
    if (members == nullptr) continue;
    json::object condition = TakeCondition(*members);
    if (!condition.contains("type") || !condition.contains("status")) continue;
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

json::array ConditionsOf(const CsvContent& csv) {
  json::array conditions;
  if (csv.phase.empty()) return conditions;
  const json::value members = Parsed(StrCat("{", csv.status_json.view(), "}"));
  json::object said = members.is_object() ? members.get_object() : json::object();
  said["type"] = csv.phase;
  said["status"] = "True";
  said["reason"] = Parsed(csv.reason_json);
  said["message"] = Parsed(csv.message_json);
  conditions.push_back(TakeCondition(said));
  return conditions;
}

json::object ComponentsOf(std::string_view operator_name, std::vector<ComponentRef> refs) {
  std::sort(refs.begin(), refs.end(), [](const ComponentRef& a, const ComponentRef& b) {
    return std::tuple(a.gvk.kind, a.gvk.ApiVersion(), a.name) <
           std::tuple(b.gvk.kind, b.gvk.ApiVersion(), b.name);
  });
  json::array all;
  for (ComponentRef& ref : refs) all.push_back(ToJson(ref));
  const json::object exists = {{"key", ComponentLabel(operator_name)}, {"operator", "Exists"}};
  json::object components;
  components["labelSelector"] = json::object{{"matchExpressions", json::array{exists}}};
  if (!all.empty()) components["refs"] = std::move(all);
  return components;
}

bool SetComponents(json::object components, json::object& object) {
  json::value& status = object["status"];
  if (!status.is_object()) status.emplace_object();
  const json::object* said = ObjectAt(status.get_object(), "components");
  if (said != nullptr && *said == components) return false;
  status.get_object()["components"] = std::move(components);
  return true;
}

json::object NewOperator(std::string_view name) {
  const json::object annotations = {{kGeneratedAnnotation, "true"}};
  return {{"apiVersion", "operators.coreos.com/v1"},
          {"kind", "Operator"},
          {"metadata", {{"name", name}, {"annotations", annotations}}},
          {"spec", json::object()}};
}

}  // namespace steward::olm
