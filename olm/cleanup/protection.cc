#include "olm/cleanup/protection.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/admission_policy.h"
#include "kube/meta/time.h"
#include "kube/meta/uuid.h"
#include "olm/cleanup/names.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

const json::object kEmpty;

const json::object& In(const json::object& parent, std::string_view key) {
  const json::object* member = ObjectAt(parent, key);
  return member == nullptr ? kEmpty : *member;
}

bool Lists(const json::object& parent, std::string_view key, std::string_view word) {
  const json::array* list = ArrayAt(parent, key);
  if (list == nullptr) return false;
  for (const json::value& item : *list) {
    if (!item.is_string()) continue;
    if (View(item.get_string()) == word || View(item.get_string()) == "*") return true;
  }
  return false;
}

bool IsEmpty(const json::value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (value->is_object()) return value->get_object().empty();
  return value->is_array() && value->get_array().empty();
}

// True when `match` restricts the objects by more than their resource.
bool Narrows(const json::object& match) {
  for (const std::string_view key :
       {"namespaceSelector", "objectSelector", "excludeResourceRules"}) {
    if (!IsEmpty(match.if_contains(key))) return true;
  }
  return false;
}

// Writes that a policy must control: of ClusterServiceVersions, or of their status.
struct Writes {
  std::string_view resource;
  std::vector<std::string_view> operations;
  std::string_view what;  // for messages
};

// True when the rule's resources contain `resource`. "*" has no subresources among them.
bool HasResource(const json::object& rule, std::string_view resource) {
  const json::array* list = ArrayAt(rule, "resources");
  if (list == nullptr) return false;
  const size_t slash = resource.find('/');
  return std::any_of(list->begin(), list->end(), [&](const json::value& item) {
    const std::string_view name = item.is_string() ? View(item.get_string()) : "";
    if (name == resource || name == "*/*") return true;
    if (slash == std::string_view::npos) return name == "*";
    return name == StrCat(resource.substr(0, slash), "/*") ||
           name == StrCat("*", resource.substr(slash));
  });
}

// True when one rule covers all the operations, on every object.
bool Covers(const json::object& match, const Writes& writes) {
  const json::array* rules = ArrayAt(match, "resourceRules");
  if (rules == nullptr || Narrows(match)) return false;
  for (const json::value& item : *rules) {
    const json::object* rule = item.if_object();
    if (rule == nullptr || !IsEmpty(rule->if_contains("resourceNames"))) continue;
    const bool all = std::all_of(
        writes.operations.begin(), writes.operations.end(),
        [rule](std::string_view operation) { return Lists(*rule, "operations", operation); });
    if (all && Lists(*rule, "apiGroups", "operators.coreos.com") &&
        Lists(*rule, "apiVersions", "v1alpha1") && HasResource(*rule, writes.resource) &&
        StringAt(*rule, "scope") != "Cluster") {
      return true;
    }
  }
  return false;
}

// The purpose of one policy.
struct Duty {
  std::string_view policy;
  std::vector<Writes> writes;
};

// The object's creation time; InfiniteFuture when that cannot be read.
absl::Time CreationOf(const json::object& object) {
  const absl::StatusOr<absl::Time> time =
      kube::ParseRfc3339(StringAt(In(object, "metadata"), "creationTimestamp"));
  return time.ok() ? *time : absl::InfiniteFuture();
}

// The time of the last write of the object, without writes of its status, by its managedFields;
// InfiniteFuture when that cannot be read.
absl::Time LastWriteOf(const json::object& object) {
  absl::Time last = CreationOf(object);
  const json::array* fields = ArrayAt(In(object, "metadata"), "managedFields");
  if (fields == nullptr) return last;
  for (const json::value& item : *fields) {
    const json::object* entry = item.if_object();
    if (entry == nullptr || !StringAt(*entry, "subresource").empty()) continue;
    const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(StringAt(*entry, "time"));
    last = std::max(last, time.ok() ? *time : absl::InfiniteFuture());
  }
  return last;
}

// A text that differs after every change of the object's spec.
std::string RevisionOf(const json::object& object) {
  const json::object& metadata = In(object, "metadata");
  const json::value* generation = metadata.if_contains("generation");
  return StrCat(StringAt(metadata, "uid"), "/",
                generation == nullptr ? "" : json::serialize(*generation));
}

// The value of kConfirmedLabel that proves an opt-in under this policy. It depends on the binding
// and its last write, so nobody could know it before the policy was bound like this (R-000-76).
// Else, users could have written the value into the label while the policy was bound differently or
// not at all.
std::string ProofOf(const json::object& policy, const json::object& binding) {
  const std::string_view uid = StringAt(In(policy, "metadata"), "uid");
  const std::string_view bound = StringAt(In(binding, "metadata"), "uid");
  const std::string_view written = StringAt(In(binding, "metadata"), "resourceVersion");
  if (uid.empty() || bound.empty() || written.empty()) return "";
  return kube::UuidV5(uid, StrCat(bound, "/", written));
}

std::string_view NameOf(const json::object& object) {
  return StringAt(In(object, "metadata"), "name");
}

PolicyFacts Judge(const std::optional<json::object>& policy, const Duty& duty,
                  const std::vector<json::object>& bindings) {
  const auto no = [&duty](std::string_view why) {
    PolicyFacts facts;
    facts.why_not = StrCat("ValidatingAdmissionPolicy ", duty.policy, " ", why);
    return facts;
  };
  if (!policy.has_value()) return no("does not exist");
  const std::string_view weak = kube::WhyPolicyIsWeak(*policy);
  if (!weak.empty()) return no(weak);
  const json::object& spec = In(*policy, "spec");
  for (const Writes& writes : duty.writes) {
    if (Covers(In(spec, "matchConstraints"), writes)) continue;
    return no(StrCat("does not look at every ", writes.what, " of ClusterServiceVersions"));
  }
  // Prefer the binding with the policy's name, as in deploy/; else the binding that has been in
  // force the longest.
  bool named = false;
  PolicyFacts facts = no("has no binding that denies everywhere");
  for (const json::object& binding : bindings) {
    if (!kube::DeniesEverywhere(binding, duty.policy)) continue;
    const absl::Time since = std::max(LastWriteOf(*policy), LastWriteOf(binding));
    if (named || (facts.bound && facts.since <= since && NameOf(binding) != duty.policy)) continue;
    named = NameOf(binding) == duty.policy;
    facts.bound = true;
    facts.why_not.clear();
    facts.proof = ProofOf(*policy, binding);
    facts.revision = StrCat(RevisionOf(*policy), " ", RevisionOf(binding));
    facts.since = since;
  }
  return facts;
}

}  // namespace

ProtectionFacts JudgeProtection(const ProtectionPolicies& policies,
                                const std::vector<json::object>& bindings) {
  const Duty opt_in{kOptInPolicy,
                    {{"clusterserviceversions", {"CREATE", "UPDATE"}, "creation and update"}}};
  // Writes of the status are controlled, too, because the status has the phase by which a deletion
  // may count as OLM's.
  const Duty uninstall{kUninstallPolicy,
                       {{"clusterserviceversions", {"DELETE"}, "deletion"},
                        {"clusterserviceversions/status", {"UPDATE"}, "write of the status"}}};
  const Duty copied_from{kCopiedFromPolicy, {{"clusterserviceversions", {"UPDATE"}, "update"}}};
  ProtectionFacts facts;
  facts.opt_in = Judge(policies.opt_in, opt_in, bindings);
  facts.uninstall = Judge(policies.uninstall, uninstall, bindings);
  facts.copies_protected = Judge(policies.copied_from, copied_from, bindings).bound;
  return facts;
}

}  // namespace steward::olm
