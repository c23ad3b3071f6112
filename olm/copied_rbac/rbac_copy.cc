#include "olm/copied_rbac/rbac_copy.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <utility>

#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/resources.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

std::string_view LabelOf(const kube::LabelMap& labels, std::string_view key) {
  const auto it = labels.find(key);
  return it == labels.end() ? std::string_view() : std::string_view(it->second);
}

RoleReference OwnRole(std::string_view name) {
  return {std::string(kRbacGroup), "Role", std::string(name)};
}

// Returns the rules that the source asks for on behalf of the account `subject`; nullopt if the
// source does not name the account.
std::optional<PolicyRules> AskedFor(const RbacSource& source, const Subject& subject) {
  std::optional<PolicyRules> asked;
  if (subject.kind != "ServiceAccount" || subject.ns != source.facts.key.ns) return asked;
  for (const Permission& permission : source.permissions) {
    if (permission.service_account != subject.name || subject.name.empty()) continue;
    if (!asked) asked.emplace();
    asked->insert(asked->end(), permission.rules.begin(), permission.rules.end());
  }
  return asked;
}

json::array OwnersJson(const std::vector<OwnerReference>& owners) {
  json::array list;
  for (const OwnerReference& owner : owners) {
    list.push_back(json::object{{"apiVersion", owner.api_version},
                                {"kind", owner.kind},
                                {"name", owner.name},
                                {"uid", owner.uid},
                                {"controller", owner.controls},
                                {"blockOwnerDeletion", owner.blocks}});
  }
  return list;
}

json::array SubjectsJson(const std::vector<Subject>& subjects) {
  json::array list;
  for (const Subject& subject : subjects) {
    list.push_back(
        json::object{{"kind", subject.kind}, {"name", subject.name}, {"namespace", subject.ns}});
  }
  return list;
}

void PutContent(const WantedRbac& wanted, json::object& object) {
  if (wanted.kind == RbacKind::kRole) {
    object["rules"] = ToJson(wanted.rules);
  } else {
    object["subjects"] = SubjectsJson(wanted.subjects);
  }
  json::object& metadata = object["metadata"].is_object() ? object["metadata"].get_object()
                                                          : object["metadata"].emplace_object();
  json::object& labels = metadata["labels"].is_object() ? metadata["labels"].get_object()
                                                        : metadata["labels"].emplace_object();
  for (const auto& [key, value] : wanted.labels) labels[key] = value;
  if (json::value* annotations = metadata.if_contains("annotations");
      annotations != nullptr && annotations->is_object()) {
    annotations->get_object().erase(kUnwantedSinceAnnotation);
  }
  metadata["ownerReferences"] = OwnersJson(wanted.owners);
}

}  // namespace

bool IsMadeFor(const StoredRbac& stored, const ObjectFacts& source) {
  return !stored.facts.deleting() && OwnerOf(stored.facts.labels) == source.key &&
         std::any_of(
             stored.owners.begin(), stored.owners.end(), [&source](const OwnerReference& owner) {
               return owner.kind == kOwnerKind && owner.uid == source.uid && !owner.uid.empty();
             });
}

std::vector<RbacPair> PairsOf(const RbacSource& source, const std::vector<StoredRbac>& roles,
                              const std::vector<StoredRbac>& bindings) {
  std::vector<RbacPair> pairs;
  if (source.copied) return pairs;
  std::map<std::string_view, const StoredRbac*> bound;
  for (const StoredRbac& binding : bindings) bound[binding.facts.key.name] = &binding;
  for (const StoredRbac& role : roles) {
    const auto it = bound.find(role.facts.key.name);
    if (it == bound.end() || !IsMadeFor(role, source.facts) ||
        !IsMadeFor(*it->second, source.facts) || it->second->role != OwnRole(role.facts.key.name)) {
      continue;
    }
    RbacPair pair{role.facts.key.name,      source.facts.key, role.facts.labels,
                  it->second->facts.labels, role.rules,       {}};
    for (const Subject& subject : it->second->subjects) {
      const std::optional<PolicyRules> asked = AskedFor(source, subject);
      if (!asked) continue;
      pair.rules = Within(pair.rules, *asked);
      pair.subjects.push_back({subject.kind, "", subject.ns, subject.name});
    }
    if (!pair.subjects.empty()) pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<OwnerReference> CopyOwners::References() const {
  std::vector<OwnerReference> owners;
  if (!csv_uid.empty()) {
    owners.push_back({kCsvKind.ApiVersion(), kCsvKind.kind, csv, csv_uid});
  }
  if (!operator_uid.empty()) {
    owners.push_back(
        {kOperators.group_version().ApiVersion(), "Operator", operator_name, operator_uid});
  }
  return owners;
}

json::value WantedRbac::ToJson() const {
  json::object object;
  object["apiVersion"] = ResourceOf(kind).group_version().ApiVersion();
  object["kind"] = std::string(NameOf(kind));
  object["metadata"] = json::object{{"name", key.name}, {"namespace", key.ns}};
  if (kind == RbacKind::kRoleBinding) {
    object["roleRef"] =
        json::object{{"apiGroup", std::string(kRbacGroup)}, {"kind", "Role"}, {"name", key.name}};
  }
  PutContent(*this, object);
  return object;
}

WantedRbac CopyOf(const RbacPair& pair, RbacKind kind, std::string_view ns,
                  const CopyOwners& owners) {
  WantedRbac wanted;
  wanted.kind = kind;
  wanted.key = {std::string(ns), pair.name};
  // Drop the component labels, because a copy is not a component of the Operator.
  for (const auto& label : kind == RbacKind::kRole ? pair.role_labels : pair.binding_labels) {
    if (CopyKeepsLabel(label.first)) wanted.labels.insert(label);
  }
  wanted.labels[std::string(kOwnerLabel)] = pair.csv.name;
  wanted.labels[std::string(kOwnerNamespaceLabel)] = std::string(ns);
  wanted.labels[std::string(kOwnerKindLabel)] = std::string(kOwnerKind);
  wanted.labels[std::string(kCopiedFromLabel)] = pair.csv.ns;
  wanted.labels[std::string(kManagedLabel)] = "true";
  wanted.owners = owners.References();
  if (kind == RbacKind::kRole) {
    wanted.rules = pair.rules;
  } else {
    wanted.subjects = pair.subjects;
  }
  return wanted;
}

bool IsCopyFrom(const StoredRbac& stored, std::string_view source) {
  const kube::LabelMap& labels = stored.facts.labels;
  if (source.empty() || source == stored.facts.key.ns) return false;
  if (LabelOf(labels, kCopiedFromLabel) != source) return false;
  if (LabelOf(labels, kOwnerKindLabel) != kOwnerKind) return false;
  if (LabelOf(labels, kOwnerLabel).empty()) return false;
  // The copy may still have the original's olm.owner.namespace.
  const std::string_view owner_ns = LabelOf(labels, kOwnerNamespaceLabel);
  return owner_ns == stored.facts.key.ns || owner_ns == source;
}

const PolicyRule& LockRule() {
  static const auto* const kRule =
      new PolicyRule{{"locks.views.operators.coreos.com"}, {"roles"}, {}, {"open"}};
  return *kRule;
}

WantedRbac Locked(const WantedRbac& role, const PolicyRules& granted) {
  WantedRbac locked = role;
  locked.rules = Within(granted, role.rules);
  if (std::find(locked.rules.begin(), locked.rules.end(), LockRule()) == locked.rules.end()) {
    locked.rules.push_back(LockRule());
  }
  return locked;
}

Difference Compare(const StoredRbac& stored, const WantedRbac& wanted) {
  if (!stored.has_content) return Difference::kUpdate;
  const bool binding = wanted.kind == RbacKind::kRoleBinding;
  if (binding && stored.role != OwnRole(wanted.key.name)) return Difference::kReplace;
  const bool content = binding ? stored.subjects == wanted.subjects : stored.rules == wanted.rules;
  const bool labels =
      std::all_of(wanted.labels.begin(), wanted.labels.end(), [&stored](const auto& label) {
        const auto it = stored.facts.labels.find(label.first);
        return it != stored.facts.labels.end() && it->second == label.second;
      });
  const bool waits = !stored.unwanted_since.empty();
  return content && labels && !waits && stored.owners == wanted.owners ? Difference::kNone
                                                                       : Difference::kUpdate;
}

json::value Updated(json::object stored, const WantedRbac& wanted) {
  PutContent(wanted, stored);
  return stored;
}

json::value Emptied(const StoredRbac& stored) {
  json::object object = stored.object;
  object[stored.kind == RbacKind::kRole ? "rules" : "subjects"] = json::array();
  return object;
}

bool GrantsNothing(const StoredRbac& stored) {
  return stored.kind == RbacKind::kRole ? stored.rules.empty() : stored.subjects.empty();
}

}  // namespace steward::olm
