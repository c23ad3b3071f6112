#include "storage/embedded/types/crd.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/time.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

const json::object kEmpty;
const json::array kNone;

const json::object& ObjectIn(const json::object& parent, std::string_view key) {
  const json::object* object = ObjectAt(parent, key);
  return object == nullptr ? kEmpty : *object;
}

const json::array& ArrayIn(const json::object& parent, std::string_view key) {
  const json::array* array = ArrayAt(parent, key);
  return array == nullptr ? kNone : *array;
}

std::string TextIn(const json::object& parent, std::string_view key) {
  return std::string(StringAt(parent, key));
}

std::vector<std::string> StringsAt(const json::object& parent, std::string_view key) {
  std::vector<std::string> strings;
  for (const json::value& element : ArrayIn(parent, key)) {
    if (!element.is_string()) continue;
    strings.emplace_back(element.get_string().data(), element.get_string().size());
  }
  return strings;
}

// Returns the object at `key` for changes; creates it when it is missing or of another type.
json::object& MutableObject(json::object& parent, std::string_view key) {
  json::value& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

kube::StatusCause Required(std::string field) {
  return {"FieldValueRequired", "Required value", std::move(field)};
}

kube::StatusCause Wrong(std::string field, const std::string& value, std::string_view why) {
  std::string message = "Invalid value: ";
  AppendJsonString(value, message);
  return {"FieldValueInvalid", StrCat(message, ": ", why), std::move(field)};
}

void CheckNames(const json::object& names, std::vector<kube::StatusCause>& causes) {
  for (const std::string_view key : {"plural", "kind"}) {
    if (TextIn(names, key).empty()) causes.push_back(Required(StrCat("spec.names.", key)));
  }
  const std::string plural = TextIn(names, "plural");
  if (!plural.empty() && !kube::IsDns1123Label(plural)) {
    causes.push_back(Wrong("spec.names.plural", plural, "must be a DNS label"));
  }
}

void CheckVersions(const json::array& versions, std::vector<kube::StatusCause>& causes) {
  int stored = 0;
  std::vector<std::string> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    const json::object& version = versions[i].is_object() ? versions[i].get_object() : kEmpty;
    const std::string name = TextIn(version, "name");
    const std::string field = StrCat("spec.versions[", i, "].name");
    if (!kube::IsDns1123Label(name)) causes.push_back(Wrong(field, name, "must be a DNS label"));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      causes.push_back(Wrong(field, name, "must be unique"));
    }
    seen.push_back(name);
    if (BoolAt(version, "storage")) ++stored;
  }
  if (stored != 1) {
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: must have exactly one version marked as storage version",
                      "spec.versions"});
  }
}

std::vector<kube::PrinterColumn> ColumnsOf(const json::object& version) {
  std::vector<kube::PrinterColumn> columns;
  for (const json::value& element : ArrayIn(version, "additionalPrinterColumns")) {
    if (!element.is_object()) continue;
    const json::object& from = element.get_object();
    kube::PrinterColumn column;
    column.name = TextIn(from, "name");
    column.type = TextIn(from, "type");
    column.format = TextIn(from, "format");
    column.description = TextIn(from, "description");
    column.json_path = TextIn(from, "jsonPath");
    if (const json::value* priority = from.if_contains("priority")) {
      if (priority->is_int64()) column.priority = static_cast<int>(priority->get_int64());
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

json::object Condition(std::string_view type, std::string_view reason, std::string_view message,
                       const std::string& now) {
  return {{"type", type},
          {"status", "True"},
          {"lastTransitionTime", now},
          {"reason", reason},
          {"message", message}};
}

}  // namespace

absl::Status CheckCrd(const json::object& crd) {
  const json::object& spec = ObjectIn(crd, "spec");
  const json::object& names = ObjectIn(spec, "names");
  const std::string group = TextIn(spec, "group");
  const std::string name = TextIn(ObjectIn(crd, "metadata"), "name");
  std::vector<kube::StatusCause> causes;
  const std::string expected = StrCat(TextIn(names, "plural"), ".", group);
  if (name != expected) {
    causes.push_back(
        Wrong("metadata.name", name, StrCat("must be spec.names.plural+\".\"+spec.group")));
  }
  if (group.empty()) {
    causes.push_back(Required("spec.group"));
  } else if (!kube::IsDns1123Subdomain(group) || group.find('.') == std::string::npos) {
    causes.push_back(Wrong("spec.group", group, "should be a domain with at least one dot"));
  }
  const std::string scope = TextIn(spec, "scope");
  if (scope != "Namespaced" && scope != "Cluster") {
    causes.push_back({"FieldValueNotSupported",
                      StrCat("Unsupported value: \"", scope,
                             "\": supported values: \"Cluster\", \"Namespaced\""),
                      "spec.scope"});
  }
  CheckNames(names, causes);
  CheckVersions(ArrayIn(spec, "versions"), causes);
  if (causes.empty()) return absl::OkStatus();
  return kube::ToStatus(
      kube::Invalid({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, name, causes));
}

absl::Status CheckCrdUpdate(const json::object& stored, const json::object& updated) {
  const json::object& before = ObjectIn(stored, "spec");
  const json::object& after = ObjectIn(updated, "spec");
  std::vector<kube::StatusCause> causes;
  if (TextIn(before, "scope") != TextIn(after, "scope")) {
    causes.push_back(Wrong("spec.scope", TextIn(after, "scope"), "field is immutable"));
  }
  const std::string kind = TextIn(ObjectIn(after, "names"), "kind");
  if (TextIn(ObjectIn(before, "names"), "kind") != kind) {
    causes.push_back(Wrong("spec.names.kind", kind, "field is immutable"));
  }
  if (causes.empty()) return absl::OkStatus();
  return kube::ToStatus(kube::Invalid({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                                      TextIn(ObjectIn(updated, "metadata"), "name"), causes));
}

namespace {

kube::ResourceType TypeOf(const json::object& spec, const json::object& version) {
  const json::object& names = ObjectIn(spec, "names");
  kube::ResourceType type;
  type.gvk = {TextIn(spec, "group"), TextIn(version, "name"), TextIn(names, "kind")};
  type.plural = TextIn(names, "plural");
  type.singular = TextIn(names, "singular");
  type.list_kind = TextIn(names, "listKind");
  type.short_names = StringsAt(names, "shortNames");
  type.categories = StringsAt(names, "categories");
  type.namespaced = TextIn(spec, "scope") == "Namespaced";
  type.status_subresource = ObjectIn(version, "subresources").contains("status");
  type.custom = true;
  type.columns = ColumnsOf(version);
  const json::object& schema = ObjectIn(ObjectIn(version, "schema"), "openAPIV3Schema");
  if (!schema.empty()) type.schema = Serialize(schema);
  return type;
}

}  // namespace

kube::ResourceType StoredTypeOf(const json::object& crd) {
  const json::object& spec = ObjectIn(crd, "spec");
  for (const json::value& element : ArrayIn(spec, "versions")) {
    if (BoolAt(element.get_object(), "storage")) return TypeOf(spec, element.get_object());
  }
  return {};
}

std::vector<kube::ResourceType> TypesOf(const json::object& crd) {
  const json::object& spec = ObjectIn(crd, "spec");
  std::vector<kube::ResourceType> types;
  for (const json::value& element : ArrayIn(spec, "versions")) {
    const json::object& version = element.get_object();
    if (!BoolAt(version, "served")) continue;
    types.push_back(TypeOf(spec, version));
    if (BoolAt(version, "storage")) std::rotate(types.begin(), types.end() - 1, types.end());
  }
  return types;
}

void CompleteCrd(json::object& crd, absl::Time now) {
  json::object& spec = MutableObject(crd, "spec");
  json::object& names = MutableObject(spec, "names");
  const std::string kind = TextIn(names, "kind");
  if (TextIn(names, "singular").empty()) {
    std::string singular = kind;
    std::transform(singular.begin(), singular.end(), singular.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    names["singular"] = singular;
  }
  if (TextIn(names, "listKind").empty()) names["listKind"] = StrCat(kind, "List");
  if (ObjectIn(spec, "conversion").empty()) spec["conversion"] = json::object{{"strategy", "None"}};

  json::object& status = MutableObject(crd, "status");
  status["acceptedNames"] = names;
  if (ArrayIn(status, "conditions").empty()) {
    const std::string time = kube::FormatRfc3339(now);
    status["conditions"] =
        json::array{Condition("NamesAccepted", "NoConflicts", "no conflicts found", time),
                    Condition("Established", "InitialNamesAccepted",
                              "the initial names have been accepted", time)};
  }
  std::vector<std::string> stored = StringsAt(status, "storedVersions");
  for (const json::value& element : ArrayIn(spec, "versions")) {
    if (!BoolAt(element.get_object(), "storage")) continue;
    const std::string name = TextIn(element.get_object(), "name");
    if (std::find(stored.begin(), stored.end(), name) == stored.end()) stored.push_back(name);
  }
  status["storedVersions"] = json::array(stored.begin(), stored.end());
}

void SetCrdTerminating(json::object& crd, absl::Time now) {
  json::value& conditions = MutableObject(crd, "status")["conditions"];
  if (!conditions.is_array()) conditions.emplace_array();
  conditions.get_array().push_back(Condition(
      "Terminating", "InstanceDeletionPending",
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      kube::FormatRfc3339(now)));
}

}  // namespace steward::storage
