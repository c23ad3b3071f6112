#include "olm/plan/definition_change.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

absl::Status Bad(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(field, ": ", why));
}

absl::StatusOr<std::string> RequiredText(const json::object& parent, std::string_view path,
                                         std::string_view key) {
  const std::string_view text = StringAt(parent, key);
  if (text.empty()) return Bad(StrCat(path, key), "must be a string that is not empty");
  return std::string(text);
}

// The schema of a version; one that says nothing admits everything.
absl::StatusOr<kube::Schema> SchemaOf(const json::object& version) {
  const json::object* validation = ObjectAt(version, "schema");
  const json::object* schema =
      validation == nullptr ? nullptr : ObjectAt(*validation, "openAPIV3Schema");
  if (schema == nullptr) {
    return kube::Schema::Parse(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
  }
  return kube::Schema::Parse(Serialize(*schema));
}

absl::Status ReadVersion(const json::value& value, size_t index, Definition& definition) {
  const std::string path = StrCat("spec.versions[", index, "].");
  const json::object* version = value.if_object();
  if (version == nullptr) return Bad(path, "must be an object");
  ASSIGN_OR_RETURN(const std::string name, RequiredText(*version, path, "name"));
  definition.versions.push_back(name);
  if (BoolAt(*version, "storage")) definition.storage = name;
  if (!BoolAt(*version, "served")) return absl::OkStatus();
  ASSIGN_OR_RETURN(kube::Schema schema, SchemaOf(*version));
  definition.served.push_back({name, std::move(schema)});
  return absl::OkStatus();
}

bool Has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
bool IsServed(const Definition& definition, const std::string& version) {
  return std::any_of(definition.served.begin(), definition.served.end(),
                     [&version](const DefinitionVersion& each) { return each.name == version; });
}

std::string_view ConditionStatus(const json::object& condition) {
  return StringAt(condition, "status");
}

}  // namespace

bool Definition::Serves(const kube::GroupVersionKind& gvk) const {
  return gvk.group == group && gvk.kind == kind && IsServed(*this, gvk.version);
}

absl::StatusOr<Definition> ReadDefinition(const json::object& object) {
  Definition definition;
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata == nullptr) return Bad("metadata", "must be an object");
  ASSIGN_OR_RETURN(definition.name, RequiredText(*metadata, "metadata.", "name"));
  const json::object* spec = ObjectAt(object, "spec");
  if (spec == nullptr) return Bad("spec", "must be an object");
  ASSIGN_OR_RETURN(definition.group, RequiredText(*spec, "spec.", "group"));
  const json::object* names = ObjectAt(*spec, "names");
  if (names == nullptr) return Bad("spec.names", "must be an object");
  ASSIGN_OR_RETURN(definition.plural, RequiredText(*names, "spec.names.", "plural"));
  ASSIGN_OR_RETURN(definition.kind, RequiredText(*names, "spec.names.", "kind"));
  definition.namespaced = StringAt(*spec, "scope") == "Namespaced";
  const json::object* conversion = ObjectAt(*spec, "conversion");
  definition.converts = conversion != nullptr && StringAt(*conversion, "strategy") == "Webhook";
  const json::array* versions = ArrayAt(*spec, "versions");
  if (versions == nullptr || versions->empty()) return Bad("spec.versions", "must not be empty");
  for (size_t i = 0; i < versions->size(); ++i) {
    RETURN_IF_ERROR(ReadVersion((*versions)[i], i, definition));
  }
  const json::object* status = ObjectAt(object, "status");
  const json::array* stored = status == nullptr ? nullptr : ArrayAt(*status, "storedVersions");
  if (stored == nullptr) return definition;
  for (const json::value& version : *stored) {
    if (!version.is_string()) return Bad("status.storedVersions", "must be a list of strings");
    definition.stored_versions.emplace_back(View(version.get_string()));
  }
  return definition;
}

bool IsEstablished(const json::object& definition, std::string* refused) {
  refused->clear();
  const json::object* status = ObjectAt(definition, "status");
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (conditions == nullptr) return false;
  bool established = false;
  bool accepted = false;
  for (const json::value& each : *conditions) {
    const json::object* condition = each.if_object();
    if (condition == nullptr) continue;
    const std::string_view type = StringAt(*condition, "type");
    const std::string_view state = ConditionStatus(*condition);
    if (type == "Established") established = state == "True";
    if (type != "NamesAccepted") continue;
    accepted = state == "True";
    if (state == "False") *refused = StringAt(*condition, "message");
  }
  return established && accepted;
}

DefinitionChange CompareDefinitions(const Definition& live, const Definition& wanted) {
  DefinitionChange change;
  for (const std::string& version : live.stored_versions) {
    if (Has(wanted.versions, version)) continue;
    change.refused = StrCat("objects may be stored in version ", version,
                            " (status.storedVersions), which the new definition lacks: they would "
                            "be lost");
    break;
  }
  for (const DefinitionVersion& version : live.served) {
    if (!IsServed(wanted, version.name)) change.versions_that_go.push_back(version.name);
  }
  return change;
}

}  // namespace steward::olm
