#include "olm/operator/component.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <iterator>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "olm/copy.h"
#include "olm/operator/component_label.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr std::string_view kCsvKindName = "ClusterServiceVersion";
constexpr std::string_view kOlmGroup = "operators.coreos.com/";

void ReadLabels(const json::object& labels, Component& component) {
  component.copied = labels.contains(kCopiedFromLabel);
  for (const auto& [key, value] : labels) component.AddLabel(View(key));
  const std::string_view owner = StringAt(labels, "olm.owner");
  const std::string_view ns = StringAt(labels, "olm.owner.namespace");
  if (StringAt(labels, "olm.owner.kind") != kCsvKindName || owner.empty() || ns.empty()) return;
  component.owners.push_back({{std::string(ns), std::string(owner)}, ""});
}

void ReadReferences(const json::array& references, Component& component) {
  if (component.key.ns.empty()) return;
  for (const json::value& value : references) {
    const json::object* reference = value.if_object();
    if (reference == nullptr || StringAt(*reference, "kind") != kCsvKindName) continue;
    if (!StringAt(*reference, "apiVersion").starts_with(kOlmGroup)) continue;
    const std::string_view name = StringAt(*reference, "name");
    const std::string_view uid = StringAt(*reference, "uid");
    if (name.empty() || uid.empty()) continue;
    component.owners.push_back({{component.key.ns, std::string(name)}, std::string(uid)});
  }
}

}  // namespace

void Component::AddLabel(std::string_view key) {
  if (!key.starts_with(kComponentLabelPrefix)) return;
  const std::string_view name = key.substr(kComponentLabelPrefix.size());
  if (name.empty()) return;
  operators.emplace(name);
  if (operators.size() <= kMaxOperatorsOfOne) return;
  operators.erase(std::prev(operators.end()));
  more_operators = true;
}

absl::StatusOr<Component> ReadComponent(const json::object& object) {
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata == nullptr) return absl::InvalidArgumentError("the object has no metadata");
  Component component;
  component.key = {std::string(StringAt(*metadata, "namespace")),
                   std::string(StringAt(*metadata, "name"))};
  component.uid = StringAt(*metadata, "uid");
  component.resource_version = StringAt(*metadata, "resourceVersion");
  if (component.key.name.empty() || component.uid.empty()) {
    return absl::InvalidArgumentError("the object has no name or no uid");
  }
  if (const json::object* labels = ObjectAt(*metadata, "labels")) ReadLabels(*labels, component);
  if (const json::object* annotations = ObjectAt(*metadata, "annotations")) {
    component.generated = StringAt(*annotations, kGeneratedAnnotation) == "true";
  }
  if (const json::array* references = ArrayAt(*metadata, "ownerReferences")) {
    ReadReferences(*references, component);
  }
  return component;
}

bool IsOwnedBy(const Component& component, const kube::NamespacedName& csv, std::string_view uid) {
  return std::any_of(component.owners.begin(), component.owners.end(), [&](const CsvOwner& owner) {
    return owner.csv == csv && (owner.uid.empty() || owner.uid == uid);
  });
}

Subscription ReadSubscription(const json::object& object) {
  Subscription subscription;
  if (const json::object* spec = ObjectAt(object, "spec")) {
    subscription.package = StringAt(*spec, "name");
  }
  const json::object* status = ObjectAt(object, "status");
  if (status == nullptr) return subscription;
  subscription.installed_csv = StringAt(*status, "installedCSV");
  subscription.current_csv = StringAt(*status, "currentCSV");
  if (const json::object* plan = ObjectAt(*status, "installPlanRef")) {
    subscription.install_plan = StringAt(*plan, "name");
  }
  return subscription;
}

}  // namespace steward::olm
