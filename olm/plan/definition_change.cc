#include "olm/plan/definition_change.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/one_line.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr size_t kMaxUrl = 200;  // bytes of a url in a message

absl::Status Bad(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(field, ": ", why));
}

absl::StatusOr<std::string> RequiredText(const json::object& parent, std::string_view path,
                                         std::string_view key) {
  const std::string_view text = StringAt(parent, key);
  if (text.empty()) return Bad(StrCat(path, key), "must be a string that is not empty");
  return std::string(text);
}

// The schema of a version; a version without a schema admits everything.
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

// "scope: it is Namespaced, …" if the two values differ; else "".
std::string FixedField(std::string_view field, std::string_view live, std::string_view wanted) {
  if (live == wanted) return "";
  return StrCat("spec.", field, ": it is ", live, ", and cannot become ", wanted);
}

std::string_view ScopeOf(const Definition& definition) {
  return definition.namespaced ? "Namespaced" : "Cluster";
}

void SetDefault(json::object& parent, std::string_view key, std::string value) {
  if (StringAt(parent, key).empty()) parent[key] = value;
}

// The spec with the defaults that a server would fill in.
json::object Completed(const json::object& definition) {
  const json::object* found = ObjectAt(definition, "spec");
  json::object spec = found == nullptr ? json::object() : *found;
  if (!BoolAt(spec, "preserveUnknownFields")) spec.erase("preserveUnknownFields");
  json::value& conversion = spec["conversion"];
  if (conversion.is_null()) conversion = json::object{{"strategy", "None"}};
  json::value* names = spec.if_contains("names");
  if (names == nullptr || !names->is_object()) return spec;
  const std::string kind(StringAt(names->get_object(), "kind"));
  SetDefault(names->get_object(), "singular", absl::AsciiStrToLower(kind));
  SetDefault(names->get_object(), "listKind", kind + "List");
  return spec;
}

// The converter of a definition's objects.
struct Converter {
  std::string url;
  std::string ns;
  std::string name;
  bool operator==(const Converter&) const = default;
};

std::optional<Converter> ConverterOf(const json::object& definition) {
  const json::object* spec = ObjectAt(definition, "spec");
  const json::object* conversion = spec == nullptr ? nullptr : ObjectAt(*spec, "conversion");
  if (conversion == nullptr || StringAt(*conversion, "strategy") != "Webhook") return std::nullopt;
  const json::object* webhook = ObjectAt(*conversion, "webhook");
  const json::object* client = webhook == nullptr ? nullptr : ObjectAt(*webhook, "clientConfig");
  // apiextensions.k8s.io/v1beta1 has another field.
  if (client == nullptr) client = ObjectAt(*conversion, "webhookClientConfig");
  Converter converter;
  if (client == nullptr) return converter;
  converter.url = StringAt(*client, "url");
  const json::object* service = ObjectAt(*client, "service");
  if (service == nullptr) return converter;
  converter.ns = StringAt(*service, "namespace");
  converter.name = StringAt(*service, "name");
  return converter;
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
  for (const std::string& fixed : {FixedField("group", live.group, wanted.group),
                                   FixedField("scope", ScopeOf(live), ScopeOf(wanted)),
                                   FixedField("names.kind", live.kind, wanted.kind),
                                   FixedField("names.plural", live.plural, wanted.plural)}) {
    if (change.refused.empty()) change.refused = fixed;
  }
  for (const DefinitionVersion& version : live.served) {
    if (!IsServed(wanted, version.name)) change.versions_that_go.push_back(version.name);
  }
  return change;
}

bool HasSameSpec(const json::object& live, const json::object& wanted) {
  return Completed(live) == Completed(wanted);
}

std::string ConverterNamespace(const json::object& definition) {
  const std::optional<Converter> converter = ConverterOf(definition);
  return converter && converter->url.empty() ? converter->ns : "";
}

std::string ConversionProblem(const json::object* live, const json::object& wanted,
                              std::string_view ns) {
  const std::optional<Converter> converter = ConverterOf(wanted);
  if (!converter) return "";
  if (live != nullptr && ConverterOf(*live) == converter) return "";
  if (!converter->url.empty()) {
    return StrCat("its objects would be converted at ", OneLine(converter->url, kMaxUrl),
                  " (spec.conversion): a plan names only Services of the cluster there");
  }
  if (ns.empty() || converter->ns == ns) return "";
  return StrCat("its objects would be converted by a Service of namespace ", converter->ns,
                " (spec.conversion): under the service account of an OperatorGroup a plan names "
                "only Services of its own namespace there");
}

}  // namespace steward::olm
