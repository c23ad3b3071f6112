#include "olm/cleanup/holds.h"

#include <algorithm>

#include "base/text/str_cat.h"
#include "olm/cleanup/names.h"
#include "olm/csv_facts.h"

namespace steward::olm {
namespace {

std::string LabelOf(const kube::LabelMap& labels, std::string_view key) {
  const auto label = labels.find(key);
  return label == labels.end() ? "" : label->second;
}

}  // namespace

const std::vector<kube::GroupVersionResource>& HeldResources() {
  static const auto& resources = *new std::vector<kube::GroupVersionResource>{
      {"rbac.authorization.k8s.io", "v1", "clusterroles"},
      {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
      {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"},
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"},
  };
  return resources;
}

std::optional<kube::NamespacedName> OwnerOf(const kube::LabelMap& labels) {
  kube::NamespacedName owner{LabelOf(labels, kOwnerNamespaceLabel), LabelOf(labels, kOwnerLabel)};
  if (LabelOf(labels, kOwnerKindLabel) != kOwnerKind || owner.ns.empty() || owner.name.empty()) {
    return std::nullopt;
  }
  return owner;
}

std::string OwnerSelector(const kube::NamespacedName& csv) {
  return StrCat(kOwnerLabel, "=", csv.name, ",", kOwnerNamespaceLabel, "=", csv.ns, ",",
                kOwnerKindLabel, "=", kOwnerKind);
}

bool WantsHolds(const CsvFacts& csv) {
  if (!csv.OptedIn() || csv.rights_released.has_value()) return false;
  // A cleanup that has begun must be able to finish, whatever becomes of the object.
  const bool begun = csv.deleting() && (csv.record.has_value() || csv.said_waiting);
  return begun || (!csv.MayBeCopy() && csv.phase != "Replacing" && csv.phase != "Deleting");
}

HoldAction NextHoldAction(const ObjectFacts& object, const CsvFacts* owner) {
  const bool held = object.HasFinalizer(kHoldFinalizer);
  const bool revoked = object.deleting() && owner != nullptr && !owner->deleting();
  if (owner == nullptr || !WantsHolds(*owner) || revoked) {
    return held ? HoldAction::kRelease : HoldAction::kNone;
  }
  // An object that is being deleted accepts no new finalizer.
  return held || object.deleting() ? HoldAction::kNone : HoldAction::kAdd;
}

std::optional<CleanupCondition> RightsCondition(const CsvFacts& csv, bool was_held,
                                                const std::vector<ObjectFacts>& objects) {
  if (!WantsHolds(csv)) return std::nullopt;
  const bool all_held = std::all_of(objects.begin(), objects.end(), [](const ObjectFacts& object) {
    return object.HasFinalizer(kHoldFinalizer);
  });
  if (csv.deleting() && (!was_held || !all_held)) {
    return CleanupCondition{csv.phase, std::string(kRightsMayBeLost),
                            "it was deleted before its cluster-wide rights were held: it may no "
                            "longer be able to finish its custom resources"};
  }
  if (!all_held) return std::nullopt;
  return CleanupCondition{csv.phase, std::string(kRightsHeld),
                          objects.empty()
                              ? "there are no cluster-wide rights or webhooks to be held"
                              : StrCat("cluster-wide rights and webhooks are held until cleanup: ",
                                       objects.size(), " objects")};
}

}  // namespace steward::olm
