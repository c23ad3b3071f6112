#include "storage/embedded/rules/content_rules.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "storage/embedded/rules/object_meta.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

using Causes = std::vector<kube::StatusCause>;

void Required(Causes& causes, std::string field) {
  causes.push_back({"FieldValueRequired", "Required value", std::move(field)});
}

void Forbidden(Causes& causes, std::string field, std::string_view why) {
  causes.push_back({"FieldValueForbidden", StrCat("Forbidden: ", why), std::move(field)});
}

void Invalid(Causes& causes, std::string field, std::string_view value, std::string_view why) {
  causes.push_back(
      {"FieldValueInvalid", StrCat("Invalid value: ", value, ": ", why), std::move(field)});
}

// The members of a map; none where it is absent.
const json::object& MapAt(const json::object& object, std::string_view key) {
  static const auto& none = *new json::object();
  const json::object* map = ObjectAt(object, key);
  return map == nullptr ? none : *map;
}

void CheckImmutableData(const json::object& object, const json::object& stored, Causes& causes) {
  constexpr char kWhy[] = "field is immutable when `immutable` is set";
  if (!BoolAt(stored, "immutable")) return;
  if (!BoolAt(object, "immutable")) Forbidden(causes, "immutable", kWhy);
  for (const char* map : {"data", "binaryData"}) {
    if (MapAt(object, map) != MapAt(stored, map)) Forbidden(causes, map, kWhy);
  }
}

void CheckConfigMap(const json::object& object, const json::object* stored, Causes& causes) {
  if (stored != nullptr) CheckImmutableData(object, *stored, causes);
}

void CheckSecret(const json::object& object, const json::object* stored, Causes& causes) {
  if (stored == nullptr) return;
  const auto type = [](const json::object& secret) {
    const std::string_view said = StringAt(secret, "type");
    return said.empty() ? std::string_view("Opaque") : said;
  };
  if (type(object) != type(*stored)) {
    Invalid(causes, "type", kube::Quote(type(object)), "field is immutable");
  }
  CheckImmutableData(object, *stored, causes);
}

void CheckAddress(const json::object& spec, const json::object& before, Causes& causes) {
  const std::string_view address = StringAt(spec, "clusterIP");
  const std::string_view had = StringAt(before, "clusterIP");
  if (address.empty() || had.empty() || address == had) return;
  if (StringAt(spec, "type") == "ExternalName" || StringAt(before, "type") == "ExternalName")
    return;
  Invalid(causes, "spec.clusterIPs[0]", StrCat("[", kube::Quote(address), "]"),
          "may not change once set");
}

void CheckService(const json::object& object, const json::object* stored, Causes& causes) {
  const json::object& spec = MapAt(object, "spec");
  if (stored != nullptr) CheckAddress(spec, MapAt(*stored, "spec"), causes);
  const json::array* ports = ArrayAt(spec, "ports");
  const bool none = ports == nullptr || ports->empty();
  if (none && StringAt(spec, "clusterIP") != "None" && StringAt(spec, "type") != "ExternalName") {
    Required(causes, "spec.ports");
  }
  if (none) return;
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports->size(); ++i) {
    const json::object* port = (*ports)[i].if_object();
    const std::string_view name = port == nullptr ? std::string_view() : StringAt(*port, "name");
    const std::string field = StrCat("spec.ports[", i, "].name");
    if (name.empty() && ports->size() > 1) {
      Required(causes, field);
    } else if (!name.empty() && !names.insert(name).second) {
      causes.push_back(
          {"FieldValueDuplicate", StrCat("Duplicate value: ", kube::Quote(name)), field});
    }
  }
}

void CheckBinding(const json::object& object, const json::object* stored, Causes& causes) {
  if (stored == nullptr) return;
  const json::object& role = MapAt(object, "roleRef");
  const json::object& before = MapAt(*stored, "roleRef");
  for (const std::string_view key : {"apiGroup", "kind", "name"}) {
    if (StringAt(role, key) == StringAt(before, key)) continue;
    Invalid(causes, "roleRef", Serialize(role), "cannot change roleRef");
    return;
  }
}

void CheckPriorityClass(const json::object& object, const json::object* stored, Causes& causes) {
  if (stored == nullptr) return;
  const json::value* before = stored->if_contains("value");
  const json::value* after = object.if_contains("value");
  if (before == nullptr || after == nullptr || *before == *after) return;
  Forbidden(causes, "value", "may not be changed in an update.");
}

void CheckDefinition(const json::object& object, const json::object*, Causes& causes) {
  const json::array* versions = ArrayAt(MapAt(object, "spec"), "versions");
  if (versions == nullptr) return;
  for (size_t i = 0; i < versions->size(); ++i) {
    const json::object* version = (*versions)[i].if_object();
    if (version == nullptr) continue;
    if (ObjectAt(MapAt(*version, "schema"), "openAPIV3Schema") != nullptr) continue;
    Required(causes, StrCat("spec.versions[", i, "].schema.openAPIV3Schema"));
  }
}

struct Kind {
  std::string_view group;
  std::string_view kind;
  void (*check)(const json::object& object, const json::object* stored, Causes& causes);
};
constexpr std::array<Kind, 7> kKinds = {{
    {"", "ConfigMap", CheckConfigMap},
    {"", "Secret", CheckSecret},
    {"", "Service", CheckService},
    {"rbac.authorization.k8s.io", "RoleBinding", CheckBinding},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", CheckBinding},
    {"scheduling.k8s.io", "PriorityClass", CheckPriorityClass},
    {"apiextensions.k8s.io", "CustomResourceDefinition", CheckDefinition},
}};

}  // namespace

std::string ContentProblem(const kube::ResourceType& type, const json::object& object) {
  const bool config = type.gvk.kind == "ConfigMap";
  if (!type.gvk.group.empty() || (!config && type.gvk.kind != "Secret")) return "";
  for (const std::string_view map : {"data", "binaryData", "stringData"}) {
    for (const auto& member : MapAt(object, map)) {
      if (member.value().is_string() || member.value().is_null()) continue;
      const bool bytes = map == (config ? "binaryData" : "data");
      return StrCat("json: cannot unmarshal ", JsonTypeName(member.value()),
                    " into Go struct field ", type.gvk.kind, ".", map, " of type ",
                    bytes ? "[]uint8" : "string");
    }
  }
  return "";
}

std::vector<kube::StatusCause> ContentCauses(const kube::ResourceType& type,
                                             const json::object& object,
                                             const json::object* stored) {
  Causes causes;
  for (const Kind& each : kKinds) {
    if (each.group == type.gvk.group && each.kind == type.gvk.kind) {
      each.check(object, stored, causes);
    }
  }
  return causes;
}

}  // namespace steward::storage
