#include "olm/csv_decode.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "olm/copy.h"
#include "olm/dom.h"

namespace steward::olm {
namespace {

using namespace dom;  // NOLINT: its names are written for this

// The names of the definitions in the list `key`. An entry without a name, or with a name that no
// definition can have, is reported in `malformed`.
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

// The APIs in the list `key`, by name. An entry that cannot be understood is reported in
// `malformed`.
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
    } else if (!IsReservedGroup(api.group)) {
      OwnedApi& known =
          found.try_emplace(StrCat(api.plural, ".", api.group), std::move(api)).first->second;
      if (std::find(known.versions.begin(), known.versions.end(), version) ==
          known.versions.end()) {
        known.versions.push_back(version);
      }
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

// The bytes of all annotations except the record, counted as Kubernetes does for its limit.
size_t OtherAnnotationsIn(const std::optional<object>& annotations) {
  size_t bytes = 0;
  if (!annotations) return bytes;
  for (const auto& annotation : *annotations) {
    std::string_view text;
    if (annotation.key == kRecordAnnotation || annotation.value.get(text)) continue;
    bytes += annotation.key.size() + text.size();
  }
  return bytes;
}

absl::StatusOr<CsvFacts> FactsIn(const object& root, const CsvTerms& terms) {
  ASSIGN_OR_RETURN(ObjectFacts metadata, MetadataOf(root));
  if (metadata.key.ns.empty()) return Bad("metadata.namespace is missing");
  CsvFacts csv;
  csv.key = std::move(metadata.key);
  csv.uid = std::move(metadata.uid);
  csv.resource_version = std::move(metadata.resource_version);
  csv.deletion_timestamp = std::move(metadata.deletion_timestamp);
  csv.finalizers = std::move(metadata.finalizers);
  if (const auto label = metadata.labels.find(kCopiedFromLabel); label != metadata.labels.end()) {
    csv.copied_from = label->second;
  }
  if (const auto label = metadata.labels.find(kConfirmedLabel); label != metadata.labels.end()) {
    csv.confirmed = label->second;
  }
  const std::optional<object> raw_metadata = ObjectIn(root, "metadata");
  csv.creation_timestamp = StringIn(*raw_metadata, "creationTimestamp");
  ForEachObject(*raw_metadata, "ownerReferences", [&csv](const object& owner) {
    csv.owners.push_back(StrCat(StringIn(owner, "kind"), " ", StringIn(owner, "name")));
  });
  const std::optional<object> annotations = ObjectIn(*raw_metadata, "annotations");
  csv.operator_namespace = OptionalStringIn(annotations, kOperatorNamespaceAnnotation);
  csv.record = OptionalStringIn(annotations, kRecordAnnotation);
  csv.refusal = OptionalStringIn(annotations, kRefusalAnnotation);
  csv.opt_out = OptionalStringIn(annotations, kOptOutAnnotation);
  csv.rights_released = OptionalStringIn(annotations, kRightsReleasedAnnotation);
  csv.other_annotations = OtherAnnotationsIn(annotations);
  if (const std::optional<object> status = ObjectIn(root, "status")) {
    csv.phase = StringIn(*status, "phase");
    csv.reason = StringIn(*status, "reason");
    ForEachObject(*status, "conditions", [&csv](const object& condition) {
      csv.said_waiting |= StringIn(condition, "reason") == kWaitingOnCleanup;
    });
  }
  csv.cleanup_enabled = terms.supported_by_default;
  const std::optional<object> spec = ObjectIn(root, "spec");
  if (!spec) {
    if (Has(root, "spec")) {
      csv.malformed = "spec is no object";
      csv.cleanup_enabled = false;
    }
    return csv;
  }
  if (Has(*spec, "cleanup")) {
    const std::optional<object> cleanup = ObjectIn(*spec, "cleanup");
    if (!cleanup || Has(*cleanup, "enabled")) {
      csv.cleanup_enabled = cleanup && BoolIn(*cleanup, "enabled");
    }
  }
  csv.replaces = StringIn(*spec, "replaces");
  const std::optional<object> crds = ObjectIn(*spec, "customresourcedefinitions");
  if (!crds && Has(*spec, "customresourcedefinitions")) {
    csv.malformed = "spec.customresourcedefinitions is no object";
  }
  csv.owned_crds = CrdsIn(crds, "owned", csv.malformed);
  csv.required_crds = CrdsIn(crds, "required", csv.malformed);
  if (terms.owned_apiservices) AddApis(*spec, csv);
  csv.deployments = DeploymentsIn(*spec, csv.malformed);
  return csv;
}

// The kind of each owned definition; when several versions are listed, that of the first entry.
std::map<std::string, std::string> OwnedKindsIn(const object& root, const CsvFacts& facts) {
  std::map<std::string, std::string> kinds;
  const std::optional<object> spec = ObjectIn(root, "spec");
  const std::optional<object> crds =
      spec ? ObjectIn(*spec, "customresourcedefinitions") : std::nullopt;
  if (!crds) return kinds;
  ForEachObject(*crds, "owned", [&](const object& entry) {
    std::string name = StringIn(entry, "name");
    if (facts.owned_crds.contains(name)) kinds.emplace(std::move(name), StringIn(entry, "kind"));
  });
  return kinds;
}

std::vector<PendingOperand> PendingIn(const object& status) {
  std::vector<PendingOperand> pending;
  const std::optional<object> cleanup = ObjectIn(status, "cleanup");
  if (!cleanup) return pending;
  ForEachObject(*cleanup, "pendingDeletion", [&pending](const object& kind) {
    const std::string group = StringIn(kind, "group");
    const std::string name = StringIn(kind, "kind");
    ForEachObject(kind, "instances", [&](const object& instance) {
      pending.push_back({group, name, StringIn(instance, "namespace"), StringIn(instance, "name")});
    });
  });
  std::sort(pending.begin(), pending.end());
  if (pending.size() > kMaxPendingInstances) pending.resize(kMaxPendingInstances);
  return pending;
}

std::vector<SaidCondition> ConditionsIn(const object& status) {
  std::vector<SaidCondition> conditions;
  ForEachObject(status, "conditions", [&conditions](const object& condition) {
    std::string reason = StringIn(condition, "reason");
    if (!IsReasonOfOurs(reason) || conditions.size() == kMaxConditions) return;
    conditions.push_back({StringIn(condition, "phase"), std::move(reason),
                          StringIn(condition, "message"), StringIn(condition, "lastUpdateTime"),
                          StringIn(condition, "lastTransitionTime")});
  });
  return conditions;
}

}  // namespace

absl::StatusOr<CsvFacts> DecodeCsvFacts(std::string_view json, const CsvTerms& terms) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  return FactsIn(root, terms);
}

absl::StatusOr<CsvCleanup> DecodeCsvCleanup(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  CsvCleanup csv;
  ASSIGN_OR_RETURN(csv.facts, FactsIn(root, CsvTerms()));
  csv.facts.resource_version.clear();
  csv.owned_kinds = OwnedKindsIn(root, csv.facts);
  if (const std::optional<object> status = ObjectIn(root, "status")) {
    csv.pending = PendingIn(*status);
    csv.conditions = ConditionsIn(*status);
  }
  return csv;
}

}  // namespace steward::olm
