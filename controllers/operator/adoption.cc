#include "controllers/operator/adoption.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "kube/meta/errors.h"
#include "kube/meta/write_options.h"
#include "olm/operator/component.h"
#include "olm/operator/component_label.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-operators";

void KeepFirst(const absl::Status& status, absl::Status& first) {
  if (first.ok()) first = status;
}

}  // namespace

StatusTask Adoption::AdoptInNamespace(std::string ns) {
  std::map<std::string, std::set<std::string>> plans;  // by Operator
  absl::Status failure;
  const std::vector<kube::NamespacedName> names = index_.NamesOf(kSubscriptionKindAt, ns);
  for (const kube::NamespacedName& name : names) {
    const auto it = index_.subscriptions().find(name);
    if (it == index_.subscriptions().end() || it->second.package.empty()) continue;
    const ComponentId id = {kSubscriptionKindAt, name};
    const absl::StatusOr<std::string> label =
        olm::OperatorName(olm::UncutOperatorName(it->second.package, ns));
    if (!label.ok()) {
      const ObjectReference about = {index_.kinds()[id.kind].gvk, name, index_.Find(id)->uid};
      deps_.events.Record(about, EventType::kWarning, "NoOperatorName",
                          ToStd(label.status().message()));
      continue;
    }
    plans[*label].insert(it->second.install_plan);
    const Changes changes = {{*label, true}};
    const absl::Status written = co_await Relabel(id, changes);
    KeepFirst(written, failure);
  }
  for (const kube::NamespacedName& name : index_.NamesOf(kInstallPlanKindAt, ns)) {
    Changes changes;
    for (const auto& [label, referred] : plans) changes[label] = referred.contains(name.name);
    const ComponentId id = {kInstallPlanKindAt, name};
    const absl::Status written = co_await Relabel(id, changes);
    KeepFirst(written, failure);
  }
  co_return failure;
}

StatusTask Adoption::AdoptOf(kube::NamespacedName name) {
  if (const olm::Component* copy = index_.Find({kCopyKindAt, name})) {
    Changes changes;
    for (const std::string& label : copy->operators) changes[label] = false;
    const ComponentId id = {kCopyKindAt, name};
    co_return co_await Relabel(id, changes);
  }
  const ComponentId id = {kCsvKindAt, name};
  const storage::OperatorWorldPtr world = storage::OperatorWorld::Of(deps_.worlds.Current());
  const olm::CsvPtr* found = world->csvs().Find(name);
  const olm::Component* labels = index_.Find(id);
  if (found == nullptr || labels == nullptr) co_return absl::OkStatus();
  const olm::CsvPtr csv = *found;
  std::set<std::string> wanted = OperatorsOf(name, *labels);
  const std::string outgrown = Outgrown(name, wanted, *labels);
  Changes changes;
  for (const std::string& label : wanted) changes[label] = true;
  wanted.insert(labels->operators.begin(), labels->operators.end());
  absl::Status failure = co_await Relabel(id, changes);
  if (!outgrown.empty()) {
    wanted.erase(outgrown);
    const absl::Status written = co_await Withdraw(outgrown, id);
    KeepFirst(written, failure);
  }
  changes.clear();
  for (const std::string& label : wanted) changes[label] = true;
  for (const ComponentId& owned : OwnedBy(*csv)) {
    const absl::Status written = co_await Relabel(owned, changes);
    KeepFirst(written, failure);
  }
  co_return failure;
}

std::set<std::string> Adoption::OperatorsOf(const kube::NamespacedName& csv,
                                            const olm::Component& labels) {
  std::set<std::string> wanted;
  for (const auto& [key, subscription] : index_.subscriptions()) {
    if (key.ns != csv.ns || !subscription.Installs(csv.name)) continue;
    const absl::StatusOr<std::string> label =
        olm::OperatorName(olm::UncutOperatorName(subscription.package, key.ns));
    if (label.ok() && !subscription.package.empty()) wanted.insert(*label);
  }
  if (!wanted.empty() || !labels.operators.empty()) return wanted;
  const absl::StatusOr<std::string> own =
      olm::OperatorName(olm::UncutOperatorName(csv.name, csv.ns));
  if (own.ok()) wanted.insert(*own);
  return wanted;
}

std::string Adoption::Outgrown(const kube::NamespacedName& csv, const std::set<std::string>& wanted,
                               const olm::Component& labels) const {
  if (!index_.IsInstalled(csv)) return "";
  const absl::StatusOr<std::string> own =
      olm::OperatorName(olm::UncutOperatorName(csv.name, csv.ns));
  if (!own.ok() || wanted.empty() || wanted.contains(*own) || !labels.operators.contains(*own)) {
    return "";
  }
  const olm::Component* generated = index_.Find({kOperatorKindAt, {"", *own}});
  if (generated != nullptr && !generated->generated) return "";
  if (!index_.UncutNamesOf(*own).empty()) return "";
  for (const ComponentId& id : index_.ComponentsOf(*own)) {
    if (id.kind == kCsvKindAt && id.name != csv) return "";
  }
  return *own;
}

StatusTask Adoption::Withdraw(std::string operator_name, ComponentId last) {
  const std::set<ComponentId> components = index_.ComponentsOf(operator_name);
  const Changes changes = {{operator_name, false}};
  absl::Status failure;
  for (const ComponentId& id : components) {
    if (id == last) continue;
    const absl::Status written = co_await Relabel(id, changes);
    KeepFirst(written, failure);
  }
  // Change `last` last: while it has the label, a later pass finds the others again.
  if (failure.ok()) failure = co_await Relabel(last, changes);
  co_return failure;
}

std::set<ComponentId> Adoption::OwnedBy(const olm::Csv& csv) const {
  std::set<ComponentId> owned;
  for (const ComponentId& id : index_.OwnedBy(csv.key)) {
    const olm::Component* component = index_.Find(id);
    if (component != nullptr && olm::IsOwnedBy(*component, csv.key, csv.uid)) owned.insert(id);
  }
  if (csv.cleanup == nullptr) return owned;
  for (const std::string& definition : csv.cleanup->facts.owned_crds) {
    const ComponentId id = {kDefinitionKindAt, {"", definition}};
    if (index_.Find(id) != nullptr) owned.insert(id);
  }
  return owned;
}

StatusTask Adoption::Relabel(ComponentId id, Changes changes) {
  const olm::Component* component = index_.Find(id);
  if (component == nullptr) co_return absl::OkStatus();
  json::object labels;
  for (const auto& [name, on] : changes) {
    if (component->operators.contains(name) == on) continue;
    if (on && component->copied) continue;
    json::value& label = labels[olm::ComponentLabel(name)];
    if (on) label = "";
  }
  if (labels.empty()) co_return absl::OkStatus();
  // The UID is a precondition, so that another object of this name is not changed.
  const json::value patch = {{"metadata", {{"uid", component->uid}, {"labels", labels}}}};
  kube::WriteOptions options;
  options.field_manager = kManager;
  const absl::Status written =
      (co_await deps_.client.Patch(index_.kinds()[id.kind].gvr, id.name,
                                   kube::PatchType::kJsonMerge, patch, options))
          .status();
  if (written.ok()) metrics_.labelled.Increment();
  // If the object was overtaken, the watch reports its new state.
  co_return kube::IsOvertaken(written) ? absl::OkStatus() : written;
}

}  // namespace steward::controllers
