#include "olm/cleanup/decode.h"

#include <optional>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/cleanup/names.h"
#include "olm/decode.h"
#include "olm/dom.h"

namespace steward::olm {

using dom::Bad;
using dom::BoolIn;
using dom::Document;
using dom::ForEachObject;
using dom::MetadataOf;
using dom::object;
using dom::ObjectIn;
using dom::StringIn;

absl::StatusOr<ObjectFacts> DecodeObjectFacts(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  return MetadataOf(root);
}

absl::StatusOr<InstallNamespaceFacts> DecodeInstallNamespace(std::string_view json) {
  ASSIGN_OR_RETURN(const NamespacePtr ns, DecodeNamespace(json));
  RETURN_IF_ERROR(kube::ParseRfc3339(ns->created).status());
  return FactsOf(*ns);
}

absl::StatusOr<GroupFacts> DecodeOperatorGroupFacts(std::string_view json) {
  ASSIGN_OR_RETURN(const OperatorGroupPtr group, DecodeOperatorGroup(json));
  GroupFacts facts = FactsOf(*group);
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  const std::string created = StringIn(*ObjectIn(root, "metadata"), "creationTimestamp");
  facts.created = kube::ParseRfc3339(created).value_or(absl::InfiniteFuture());
  return facts;
}

absl::StatusOr<CsvDefinitionFacts> DecodeCsvDefinition(std::string_view json) {
  Document document;
  ASSIGN_OR_RETURN(const object root, document.Parse(json));
  ASSIGN_OR_RETURN(const ObjectFacts metadata, MetadataOf(root));
  CsvDefinitionFacts definition{metadata.key.name, metadata.deleting()};
  ASSIGN_OR_RETURN(definition.created,
                   kube::ParseRfc3339(StringIn(*ObjectIn(root, "metadata"), "creationTimestamp")));
  return definition;
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
  if (IsReservedGroup(crd.group)) {
    crd.kept = kReservedGroup;
  } else if (!metadata.labels.contains(kManagedLabel) && !metadata.labels.contains(kOwnerLabel)) {
    crd.kept = kUnmanaged;
  }
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
  ApiServiceFacts api;
  api.uid = metadata.uid;
  api.deleting = metadata.deleting();
  api.labels = metadata.labels;
  if (const std::optional<object> service = ObjectIn(*spec, "service")) {
    api.elsewhere = true;
    api.service_namespace = StringIn(*service, "namespace");
  }
  return api;
}

absl::StatusOr<DeploymentFacts> DecodeDeploymentFacts(std::string_view json) {
  ASSIGN_OR_RETURN(const ObjectFacts metadata, DecodeObjectFacts(json));
  return DeploymentFacts{metadata.deleting()};
}

}  // namespace steward::olm
