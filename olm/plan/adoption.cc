#include "olm/plan/adoption.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/json_access.h"
#include "olm/cleanup/names.h"
#include "olm/plan/step_object.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

json::object& ObjectIn(json::object& parent, std::string_view key) {
  json::value& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

bool Says(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && !value->is_null();
}

// Adds the members of the live map `key` that the wanted map lacks.
void KeepMissing(const json::object& live, json::object& wanted, std::string_view key) {
  const json::object* before = ObjectAt(live, key);
  if (before == nullptr || before->empty()) return;
  json::object& after = ObjectIn(wanted, key);
  for (const auto& member : *before) after.emplace(member.key(), member.value());
}

void Keep(const json::object& live, json::object& wanted, std::string_view key) {
  if (const json::value* value = live.if_contains(key)) wanted[key] = *value;
}

void KeepUnsaid(const json::object& live, json::object& wanted, std::string_view key) {
  if (!Says(wanted, key)) Keep(live, wanted, key);
}

// Sets the owner references: the live ones, then the wanted ones with other UIDs.
void KeepOwners(const json::object& live, json::object& wanted) {
  const json::array* before = ArrayAt(live, "ownerReferences");
  if (before == nullptr || before->empty()) return;
  json::array owners = *before;
  if (const json::array* added = ArrayAt(wanted, "ownerReferences")) {
    for (const json::value& owner : *added) {
      const std::string_view uid =
          owner.is_object() ? StringAt(owner.get_object(), "uid") : std::string_view();
      const bool known = std::any_of(before->begin(), before->end(), [uid](const json::value& one) {
        return one.is_object() && StringAt(one.get_object(), "uid") == uid;
      });
      if (!known) owners.push_back(owner);
    }
  }
  wanted["ownerReferences"] = std::move(owners);
}

bool HasCsvOwner(const json::object& metadata) {
  const json::array* owners = ArrayAt(metadata, "ownerReferences");
  return owners != nullptr &&
         std::any_of(owners->begin(), owners->end(), [](const json::value& one) {
           return one.is_object() && StringAt(one.get_object(), "kind") == kOwnerKind &&
                  StringAt(one.get_object(), "apiVersion").starts_with("operators.coreos.com/");
         });
}

// Appends the entries of the live list `key` that the wanted list does not contain as a whole.
void KeepEntries(const json::object& live, json::object& wanted, std::string_view key) {
  const json::array* before = ArrayAt(live, key);
  if (before == nullptr || before->empty()) return;
  json::value& value = wanted[key];
  if (!value.is_array()) value.emplace_array();
  json::array& after = value.get_array();
  for (const json::value& entry : *before) {
    if (std::find(after.begin(), after.end(), entry) == after.end()) after.push_back(entry);
  }
}

void AdoptDefinition(const json::object& live, json::object& wanted) {
  const json::object* before = ObjectAt(live, "spec");
  if (before == nullptr) return;
  KeepUnsaid(*before, ObjectIn(wanted, "spec"), "conversion");
}

void AdoptServiceAccount(const json::object& live, json::object& wanted) {
  KeepEntries(live, wanted, "secrets");
  KeepEntries(live, wanted, "imagePullSecrets");
  KeepUnsaid(live, wanted, "automountServiceAccountToken");
}

// Keeps the live keys of a ConfigMap or Secret, except those that only the previous manifest
// brought.
void AdoptKeys(const json::object& live, json::object& wanted) {
  const std::set<std::string> brought = ManifestKeys(live);
  const std::set<std::string> brings = ManifestKeys(wanted);
  for (const std::string_view map : {"data", "binaryData"}) {
    const json::object* before = ObjectAt(live, map);
    if (before == nullptr) continue;
    json::object kept;
    for (const auto& member : *before) {
      const std::string key(member.key());
      if (!brought.contains(key) && !brings.contains(key)) kept[key] = member.value();
    }
    if (kept.empty()) continue;
    json::object& after = ObjectIn(wanted, map);
    for (const auto& member : kept) after.emplace(member.key(), member.value());
  }
  if (!brought.empty() && brings.empty()) {
    ObjectIn(ObjectIn(wanted, "metadata"), "annotations")[kManifestKeys] = "";
  }
  KeepUnsaid(live, wanted, "type");
  KeepUnsaid(live, wanted, "immutable");
}

std::string_view TypeOf(const json::object& service_spec) {
  const std::string_view type = StringAt(service_spec, "type");
  return type.empty() ? "ClusterIP" : type;
}

bool HasNodePorts(const json::object& service_spec) {
  const std::string_view type = TypeOf(service_spec);
  return type == "NodePort" || type == "LoadBalancer";
}

std::string_view ProtocolOf(const json::object& port) {
  const std::string_view protocol = StringAt(port, "protocol");
  return protocol.empty() ? "TCP" : protocol;
}

int64_t NumberAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return 0;
  if (value->is_int64()) return value->get_int64();
  return value->is_uint64() ? static_cast<int64_t>(value->get_uint64()) : 0;
}

// A port that stays (equal port and protocol) keeps its nodePort.
void KeepNodePorts(const json::array& before, json::array& after) {
  std::set<int64_t> taken;
  for (const json::value& each : after) {
    if (each.is_object()) taken.insert(NumberAt(each.get_object(), "nodePort"));
  }
  for (json::value& each : after) {
    if (!each.is_object() || NumberAt(each.get_object(), "nodePort") != 0) continue;
    json::object& port = each.get_object();
    for (const json::value& other : before) {
      if (!other.is_object()) continue;
      const json::object& old = other.get_object();
      const int64_t number = NumberAt(old, "nodePort");
      if (number == 0 || NumberAt(old, "port") != NumberAt(port, "port") ||
          ProtocolOf(old) != ProtocolOf(port) || !taken.insert(number).second) {
        continue;
      }
      port["nodePort"] = number;
      break;
    }
  }
}

void AdoptService(const json::object& live, json::object& wanted) {
  const json::object* before = ObjectAt(live, "spec");
  if (before == nullptr) return;
  json::object& after = ObjectIn(wanted, "spec");
  if (TypeOf(*before) != "ExternalName" && TypeOf(after) != "ExternalName") {
    if (StringAt(after, "clusterIP").empty()) after.erase("clusterIP");
    KeepUnsaid(*before, after, "clusterIP");
    if (StringAt(after, "clusterIP") == StringAt(*before, "clusterIP")) {
      KeepUnsaid(*before, after, "clusterIPs");
      KeepUnsaid(*before, after, "ipFamilies");
      KeepUnsaid(*before, after, "ipFamilyPolicy");
    }
  }
  if (!HasNodePorts(*before) || !HasNodePorts(after)) return;
  const json::array* ports = ArrayAt(*before, "ports");
  json::value* own = after.if_contains("ports");
  if (ports != nullptr && own != nullptr && own->is_array()) {
    KeepNodePorts(*ports, own->get_array());
  }
  if (TypeOf(*before) != "LoadBalancer" || TypeOf(after) != "LoadBalancer") return;
  KeepUnsaid(*before, after, "loadBalancerClass");
  if (StringAt(after, "externalTrafficPolicy") == "Local") {
    KeepUnsaid(*before, after, "healthCheckNodePort");
  }
}

// Keeps the rules, because the cluster itself aggregates them.
void AdoptAggregated(const json::object& live, json::object& wanted) {
  if (Says(wanted, "aggregationRule")) KeepUnsaid(live, wanted, "rules");
}

struct Kind {
  std::string_view api_version;  // its group and a slash; "" = the core group
  std::string_view kind;
  void (*adopt)(const json::object& live, json::object& wanted);
};
constexpr std::array<Kind, 6> kKinds = {{
    {"apiextensions.k8s.io/", "CustomResourceDefinition", AdoptDefinition},
    {"", "ServiceAccount", AdoptServiceAccount},
    {"", "ConfigMap", AdoptKeys},
    {"", "Secret", AdoptKeys},
    {"", "Service", AdoptService},
    {"rbac.authorization.k8s.io/", "ClusterRole", AdoptAggregated},
}};

// True if each member of `wanted` is in `live`. Ignores members of metadata that others added.
bool IsWithin(const json::object& wanted, const json::object& live) {
  return std::all_of(wanted.begin(), wanted.end(), [&live](const json::key_value_pair& member) {
    const json::value* there = live.if_contains(member.key());
    if (there == nullptr) return false;
    if (member.value().is_object() && there->is_object()) {
      return IsWithin(member.value().get_object(), there->get_object());
    }
    return member.value() == *there;
  });
}

// The merge patch (RFC 7386) that makes `before` equal to `after`.
json::object Difference(const json::object& before, const json::object& after) {
  json::object patch;
  for (const auto& member : after) {
    const json::value* old = before.if_contains(member.key());
    if (old != nullptr && *old == member.value()) continue;
    if (old != nullptr && old->is_object() && member.value().is_object()) {
      json::object inner = Difference(old->get_object(), member.value().get_object());
      if (!inner.empty()) patch[member.key()] = std::move(inner);
      continue;
    }
    // A null in the manifest means the same as an absent member.
    if (old == nullptr && member.value().is_null()) continue;
    patch[member.key()] = member.value();
  }
  for (const auto& member : before) {
    if (!after.contains(member.key())) patch[member.key()] = nullptr;
  }
  return patch;
}

// The part of an object that a patch may change.
json::object ToPatch(const json::object& object) {
  json::object part = object;
  for (const std::string_view key : {"metadata", "status", "apiVersion", "kind"}) part.erase(key);
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata == nullptr) return part;
  json::object& kept = ObjectIn(part, "metadata");
  for (const std::string_view key : {"labels", "annotations", "ownerReferences"}) {
    const json::object* map = ObjectAt(*metadata, key);
    if (map == nullptr || !map->empty()) Keep(*metadata, kept, key);
  }
  return part;
}

}  // namespace

void Disown(const json::object& live, json::object& wanted) {
  const json::object* before = ObjectAt(live, "metadata");
  const json::object* labels = before == nullptr ? nullptr : ObjectAt(*before, "labels");
  if (labels != nullptr && StringAt(*labels, kManagedLabel) == "true") return;
  // Older versions of OLM mark objects by owners only.
  if (labels != nullptr && StringAt(*labels, kOwnerKindLabel) == kOwnerKind) return;
  if (before != nullptr && HasCsvOwner(*before)) return;
  json::object& metadata = ObjectIn(wanted, "metadata");
  metadata.erase("ownerReferences");
  DropBooks(ObjectIn(metadata, "labels"));
}

json::object Adopt(const json::object& live, json::object wanted) {
  const std::string_view api_version = StringAt(wanted, "apiVersion");
  const std::string_view kind = StringAt(wanted, "kind");
  const std::string_view group = api_version.substr(0, api_version.find('/') + 1);
  for (const Kind& each : kKinds) {
    if (each.kind == kind && each.api_version == group) each.adopt(live, wanted);
  }
  json::object& metadata = ObjectIn(wanted, "metadata");
  if (const json::object* before = ObjectAt(live, "metadata")) {
    Keep(*before, metadata, "uid");
    Keep(*before, metadata, "resourceVersion");
    Keep(*before, metadata, "finalizers");
    KeepMissing(*before, metadata, "labels");
    KeepMissing(*before, metadata, "annotations");
    KeepOwners(*before, metadata);
  }
  Keep(live, wanted, "status");
  return wanted;
}

bool IsUnchanged(const json::object& live, const json::object& wanted) {
  const json::object* before = ObjectAt(live, "metadata");
  const json::object* after = ObjectAt(wanted, "metadata");
  if (before == nullptr || after == nullptr || !IsWithin(*after, *before)) return false;
  json::object left = live;
  json::object right = wanted;
  left.erase("metadata");
  right.erase("metadata");
  return left == right;
}

json::object AdoptionPatch(const json::object& live, const json::object& wanted) {
  json::object patch = Difference(ToPatch(live), ToPatch(wanted));
  if (patch.empty()) return patch;
  if (const json::object* metadata = ObjectAt(live, "metadata")) {
    Keep(*metadata, ObjectIn(patch, "metadata"), "resourceVersion");
  }
  return patch;
}

}  // namespace steward::olm
