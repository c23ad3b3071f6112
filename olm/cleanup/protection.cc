#include "olm/cleanup/protection.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"

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

// It says which objects are looked at, beyond their resource.
bool Narrows(const json::object& match) {
  for (const std::string_view key :
       {"namespaceSelector", "objectSelector", "excludeResourceRules"}) {
    if (!IsEmpty(match.if_contains(key))) return true;
  }
  return false;
}

bool Covers(const json::object& match, const std::vector<std::string_view>& operations) {
  const json::array* rules = ArrayAt(match, "resourceRules");
  if (rules == nullptr || Narrows(match)) return false;
  for (const json::value& item : *rules) {
    const json::object* rule = item.if_object();
    if (rule == nullptr || !IsEmpty(rule->if_contains("resourceNames"))) continue;
    if (Lists(*rule, "apiGroups", "operators.coreos.com") &&
        Lists(*rule, "apiVersions", "v1alpha1") &&
        Lists(*rule, "resources", "clusterserviceversions") &&
        std::all_of(operations.begin(), operations.end(),
                    [rule](std::string_view each) { return Lists(*rule, "operations", each); }) &&
        StringAt(*rule, "scope") != "Cluster") {
      return true;
    }
  }
  return false;
}

bool Denies(const json::object& binding) {
  const json::object& spec = In(binding, "spec");
  return Lists(spec, "validationActions", "Deny") && IsEmpty(spec.if_contains("paramRef")) &&
         IsEmpty(spec.if_contains("matchResources"));
}

}  // namespace

ProtectionFacts JudgeProtection(const json::object& policy,
                                const std::vector<json::object>& bindings,
                                const std::vector<std::string_view>& operations) {
  const std::string name(StringAt(In(policy, "metadata"), "name"));
  const json::object& spec = In(policy, "spec");
  const std::string_view failure = StringAt(spec, "failurePolicy");
  const auto no = [&name](std::string_view why) {
    ProtectionFacts facts;
    facts.why_not = StrCat("ValidatingAdmissionPolicy ", name, " ", why);
    return facts;
  };
  if (In(policy, "metadata").contains("deletionTimestamp")) return no("is being deleted");
  if (!failure.empty() && failure != "Fail") return no("does not fail closed");
  if (IsEmpty(spec.if_contains("validations"))) return no("validates nothing");
  if (!Covers(In(spec, "matchConstraints"), operations)) {
    return no("does not look at every creation and update of ClusterServiceVersions");
  }
  for (const json::object& binding : bindings) {
    if (StringAt(In(binding, "spec"), "policyName") != name) continue;
    if (In(binding, "metadata").contains("deletionTimestamp")) continue;
    if (!Denies(binding)) continue;
    ProtectionFacts facts;
    facts.bound = true;
    return facts;
  }
  return no("has no binding that denies everywhere");
}

}  // namespace steward::olm
