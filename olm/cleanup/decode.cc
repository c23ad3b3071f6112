#include "olm/cleanup/decode.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/decode.h"

namespace steward::olm {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

absl::Status Bad(std::string_view why) { return absl::InvalidArgumentError(ToAbsl(why)); }

// A parsed document; its elements live as long as it does.
class Document {
 public:
  absl::StatusOr<object> Parse(std::string_view json) {
    text_ = simdjson::padded_string(json);
    element root;
    if (const auto error = parser_.parse(text_).get(root)) {
      return Bad(simdjson::error_message(error));
    }
    object members;
    if (root.get(members)) return Bad("not an object");
    return members;
  }

 private:
  simdjson::dom::parser parser_;
  simdjson::padded_string text_;
};

// What is absent or of another type is not there.
std::optional<object> ObjectIn(const object& parent, std::string_view key) {
  object member;
  if (parent.at_key(key).get(member)) return std::nullopt;
  return member;
}
std::optional<array> ArrayIn(const object& parent, std::string_view key) {
  array member;
  if (parent.at_key(key).get(member)) return std::nullopt;
  return member;
}
std::string StringIn(const object& parent, std::string_view key) {
  std::string_view member;
  if (parent.at_key(key).get(member)) return "";
  return std::string(member);
}
bool BoolIn(const object& parent, std::string_view key) {
  bool member = false;
  return !parent.at_key(key).get(member) && member;
}
bool Has(const object& parent, std::string_view key) {
  element member;
  return !parent.at_key(key).get(member) && !member.is_null();
}
std::vector<std::string> StringsIn(const object& parent, std::string_view key) {
  std::vector<std::string> strings;
  const std::optional<array> list = ArrayIn(parent, key);
  if (!list) return strings;
  for (const element item : *list) {
    std::string_view text;
    if (!item.get(text)) strings.emplace_back(text);
  }
  return strings;
}
// Calls `visit` for each object in the list.
template <typename Visit>
void ForEachObject(const object& parent, std::string_view key, Visit visit) {
  const std::optional<array> list = ArrayIn(parent, key);
  if (!list) return;
  for (const element item : *list) {
    object entry;
    if (!item.get(entry)) visit(entry);
  }
}
bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::optional<std::string> Annotation(const std::optional<object>& annotations,
                                      std::string_view key) {
  std::string_view text;
  if (!annotations || annotations->at_key(key).get(text)) return std::nullopt;
  return std::string(text);
}

absl::StatusOr<ObjectFacts> MetadataOf(const object& root) {
  const std::optional<object> metadata = ObjectIn(root, "metadata");
  if (!metadata) return Bad("metadata is missing");
  ObjectFacts facts;
  facts.key = {StringIn(*metadata, "namespace"), StringIn(*metadata, "name")};
  facts.uid = StringIn(*metadata, "uid");
  facts.resource_version = StringIn(*metadata, "resourceVersion");
  if (facts.key.name.empty()) return Bad("metadata.name is missing");
  if (facts.uid.empty()) return Bad("metadata.uid is missing");
  if (Has(*metadata, "deletionTimestamp")) {
    facts.deletion_timestamp = StringIn(*metadata, "deletionTimestamp");
    if (facts.deletion_timestamp.empty()) return Bad("metadata.deletionTimestamp is no time");
  }
  facts.finalizers = StringsIn(*metadata, "finalizers");
  if (const std::optional<object> labels = ObjectIn(*metadata, "labels")) {
    for (const auto& label : *labels) {
      std::string_view text;
      if (!label.value.get(text)) facts.labels.emplace(std::string(label.key), std::string(text));
    }
  }
  return facts;
}

// The names of the definitions listed there. What has no name, or one that no definition has, is
// told of in `malformed`.
std::set<std::string> CrdsIn(const std::optional<object>& crds, std::string_view key,
                             std::string& malformed) {
  std::set<std::string> names;
  if (!crds || !Has(*crds, key)) return names;
  const std::string where = StrCat("spec.customresourcedefinitions.", key);
  const std::optional<array> list = ArrayIn(*crds, key);
  if (!list) malformed = StrCat(where, " is no list");
  if (!list) return names;
  for (const element item : *list) {
    object entry;
    const std::string name = item.get(entry) ? "" : StringIn(entry, "name");
    if (!kube::IsDns1123Subdomain(name) || name.find('.') == std::string::npos) {
      malformed = StrCat(where, " has an entry whose name is no definition's: \"", name, "\"");
    } else {
      names.insert(name);
    }
  }
  return names;
}

std::set<std::string> DeploymentsIn(const object& spec, std::string& malformed) {
  std::set<std::string> names;
  const std::optional<object> install = ObjectIn(spec, "install");
  if (!install) return names;
  const std::optional<object> strategy = ObjectIn(*install, "spec");
  if (!strategy || !Has(*strategy, "deployments")) return names;
  const std::optional<array> list = ArrayIn(*strategy, "deployments");
  if (!list) malformed = "spec.install.spec.deployments is no list";
  if (!list) return names;
  for (const element item : *list) {
    object entry;
    const std::string name = item.get(entry) ? "" : StringIn(entry, "name");
    if (!kube::IsDns1123Subdomain(name)) {
      malformed = "spec.install.spec.deployments has an entry without a name";
    } else {
      names.insert(name);
    }
  }
  return names;
}

// Groups of Kubernetes, OLM and Steward. Some operators serve some of them (metrics are one): what
// is in there is not theirs to be deleted.
bool IsReserved(std::string_view group) {
  if (group.find('.') == std::string_view::npos) return true;
  for (const std::string_view reserved :
       {"k8s.io", "kubernetes.io", "operators.coreos.com", "operatorframework.io"}) {
    if (group == reserved || group.ends_with(StrCat(".", reserved))) return true;
  }
  return false;
}

// The APIs listed there, by name. What cannot be understood is told of in `malformed`.
std::map<std::string, OwnedApi> ApisIn(const std::optional<object>& apis, std::string_view key,
                                       std::string& malformed) {
  std::map<std::string, OwnedApi> found;
  if (!apis || !Has(*apis, key)) return found;
  const std::string where = StrCat("spec.apiservicedefinitions.", key);
  const std::optional<array> list = ArrayIn(*apis, key);
  if (!list) malformed = StrCat(where, " is no list");
  if (!list) return found;
  for (const element item : *list) {
    object entry;
    OwnedApi api;
    std::string version;
    if (!item.get(entry)) {
      api = {StringIn(entry, "group"), StringIn(entry, "name"), StringIn(entry, "kind"), {}};
      version = StringIn(entry, "version");
    }
    if (!kube::IsDns1123Subdomain(api.group) || !kube::IsDns1123Label(api.plural) ||
        !kube::IsDns1123Label(version) || api.kind.empty()) {
      malformed = StrCat(where, " has an entry that names no API: \"", api.plural, ".", version,
                         ".", api.group, "\"");
    } else if (!IsReserved(api.group)) {
      OwnedApi& known =
          found.try_emplace(StrCat(api.plural, ".", api.group), std::move(api)).first->second;
      if (!Contains(known.versions, version)) known.versions.push_back(version);
    }
  }
  return found;
}

void AddApis(const object& spec, CsvFacts& csv) {
  const std::optional<object> apis = ObjectIn(spec, "apiservicedefinitions");
  csv.owned_apis = ApisIn(apis, "owned", csv.malformed);
  for (const auto& [name, api] : csv.owned_apis) {
    if (!csv.owned_crds.insert(name).second) {
      csv.malformed = StrCat(name, " is owned as a definition and as an API");
    }
  }
  for (const auto& [name, api] : ApisIn(apis, "required", csv.malformed)) {
    csv.required_crds.insert(name);
  }
}

}  // namespace

bool ObjectFacts::HasFinalizer(std::string_view name) const { return Contains(finalizers, name); }

absl::StatusOr<ObjectFacts> DecodeObjectFacts(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  return MetadataOf(root);
}

absl::StatusOr<CsvFacts> DecodeCsvFacts(std::string_view json, const CsvTerms& terms) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  ASSIGN_OR_RETURN(ObjectFacts metadata, MetadataOf(root));
  if (metadata.key.ns.empty()) return Bad("metadata.namespace is missing");
  CsvFacts csv;
  csv.key = std::move(metadata.key);
  csv.uid = std::move(metadata.uid);
  csv.resource_version = std::move(metadata.resource_version);
  csv.deletion_timestamp = std::move(metadata.deletion_timestamp);
  csv.finalizers = std::move(metadata.finalizers);
  csv.has_copied_from_label = metadata.labels.contains(kCopiedFromLabel);
  const std::optional<object> annotations = ObjectIn(*ObjectIn(root, "metadata"), "annotations");
  csv.operator_namespace = Annotation(annotations, kOperatorNamespaceAnnotation);
  csv.record = Annotation(annotations, kRecordAnnotation);
  csv.refusal = Annotation(annotations, kRefusalAnnotation);
  csv.opt_out = Annotation(annotations, kOptOutAnnotation);
  if (const std::optional<object> status = ObjectIn(root, "status")) {
    csv.phase = StringIn(*status, "phase");
    csv.reason = StringIn(*status, "reason");
  }
  csv.cleanup_enabled = terms.supported_by_default;
  const std::optional<object> spec = ObjectIn(root, "spec");
  if (!spec) return csv;
  if (Has(*spec, "cleanup")) {
    const std::optional<object> cleanup = ObjectIn(*spec, "cleanup");
    if (!cleanup || Has(*cleanup, "enabled")) {
      csv.cleanup_enabled = cleanup && BoolIn(*cleanup, "enabled");
    }
  }
  csv.replaces = StringIn(*spec, "replaces");
  const std::optional<object> crds = ObjectIn(*spec, "customresourcedefinitions");
  csv.owned_crds = CrdsIn(crds, "owned", csv.malformed);
  csv.required_crds = CrdsIn(crds, "required", csv.malformed);
  if (terms.owned_apiservices) AddApis(*spec, csv);
  csv.deployments = DeploymentsIn(*spec, csv.malformed);
  return csv;
}

absl::StatusOr<InstallNamespaceFacts> DecodeInstallNamespace(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  ASSIGN_OR_RETURN(const ObjectFacts metadata, MetadataOf(root));
  InstallNamespaceFacts facts;
  facts.name = metadata.key.name;
  facts.terminating = metadata.deleting();
  if (const std::optional<object> status = ObjectIn(root, "status")) {
    facts.terminating = facts.terminating || StringIn(*status, "phase") == "Terminating";
  }
  return facts;
}

absl::StatusOr<GroupFacts> DecodeGroupFacts(std::string_view json) {
  ASSIGN_OR_RETURN(const OperatorGroupPtr group, DecodeOperatorGroup(json));
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  ASSIGN_OR_RETURN(const ObjectFacts metadata, MetadataOf(root));
  GroupFacts facts;
  facts.group = *group;
  facts.deleting = metadata.deleting();
  const std::optional<object> status = ObjectIn(root, "status");
  const std::optional<array> namespaces = status ? ArrayIn(*status, "namespaces") : std::nullopt;
  if (!namespaces || namespaces->size() == 0) return facts;
  facts.synced = StringsIn(*status, "namespaces");
  // "" stands for all, and alone.
  if (facts.synced->size() != namespaces->size() ||
      (facts.synced->size() > 1 && Contains(*facts.synced, ""))) {
    return Bad("status.namespaces is no list of namespaces");
  }
  return facts;
}

absl::StatusOr<CrdFacts> DecodeCrdFacts(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  ASSIGN_OR_RETURN(const ObjectFacts metadata, MetadataOf(root));
  const std::optional<object> spec = ObjectIn(root, "spec");
  const std::optional<object> names = spec ? ObjectIn(*spec, "names") : std::nullopt;
  if (!names) return Bad("spec.names is missing");
  CrdFacts crd;
  crd.name = metadata.key.name;
  crd.uid = metadata.uid;
  crd.terminating = metadata.deleting();
  crd.group = StringIn(*spec, "group");
  crd.plural = StringIn(*names, "plural");
  crd.kind = StringIn(*names, "kind");
  if (crd.kind.empty() || StrCat(crd.plural, ".", crd.group) != crd.name) {
    return Bad("spec.names and spec.group are not those of its name");
  }
  const std::string scope = StringIn(*spec, "scope");
  if (scope != "Cluster" && scope != "Namespaced") return Bad("spec.scope is neither of the two");
  crd.cluster_scoped = scope == "Cluster";
  ForEachObject(*spec, "versions", [&crd](const object& version) {
    if (!BoolIn(version, "served")) return;
    const auto place = BoolIn(version, "storage") ? crd.versions.begin() : crd.versions.end();
    crd.versions.insert(place, StringIn(version, "name"));
  });
  if (const std::optional<object> status = ObjectIn(root, "status")) {
    ForEachObject(*status, "conditions", [&crd](const object& condition) {
      if (StringIn(condition, "type") != "Established") return;
      crd.established = StringIn(condition, "status") == "True";
    });
  }
  return crd;
}

absl::StatusOr<ApiServiceFacts> DecodeApiServiceFacts(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  ASSIGN_OR_RETURN(const ObjectFacts metadata, MetadataOf(root));
  const std::optional<object> spec = ObjectIn(root, "spec");
  if (!spec) return Bad("spec is missing");
  return ApiServiceFacts{metadata.deleting(), Has(*spec, "service")};
}

absl::StatusOr<DeploymentFacts> DecodeDeploymentFacts(std::string_view json) {
  ASSIGN_OR_RETURN(const ObjectFacts metadata, DecodeObjectFacts(json));
  return DeploymentFacts{metadata.deleting()};
}

}  // namespace steward::olm
