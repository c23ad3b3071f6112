#include "plugin/doctor/rights_check.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/admission_policy.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "olm/cleanup/names.h"
#include "olm/copied_rbac/policy_rule.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/doctor/shipped.h"
#include "plugin/removal/installation.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using olm::PolicyRule;
using olm::PolicyRules;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
// The number of names in one sentence, at most.
constexpr size_t kMostNamed = 5;

// "ClusterRole/steward-view", "Role/steward-system/steward-controllers".
std::string KeyOf(std::string_view kind, const std::string& ns, const std::string& name) {
  return StrCat(kind, "/", ns, ns.empty() ? "" : "/", name);
}
std::string KeyOf(const json::object& object) {
  return KeyOf(KindOf(object), NamespaceIn(object), NameIn(object));
}

bool IsRole(std::string_view kind) { return kind == "ClusterRole" || kind == "Role"; }
bool IsBinding(std::string_view kind) {
  return kind == "ClusterRoleBinding" || kind == "RoleBinding";
}
bool IsRbac(const json::object& object) {
  return IsRole(KindOf(object)) || IsBinding(KindOf(object));
}

// The account of Steward's (or all of them) that a subject of a binding stands for; "" = none.
std::string AccountOf(const json::object& subject) {
  const std::string_view kind = StringAt(subject, "kind");
  const std::string name(StringAt(subject, "name"));
  if (kind == "ServiceAccount") {
    return StringAt(subject, "namespace") == kStewardNamespace ? name : "";
  }
  const std::string user = StrCat("system:serviceaccount:", kStewardNamespace, ":");
  if (kind == "User" && name.starts_with(user)) return name.substr(user.size());
  const bool all = kind == "Group" && name == StrCat("system:serviceaccounts:", kStewardNamespace);
  return all ? name : "";
}

// Steward's accounts among the subjects of a binding, and the others.
struct Subjects {
  std::set<std::string> accounts;
  std::set<std::string> others;  // "Group system:authenticated"
};

Subjects SubjectsIn(const json::object& binding) {
  Subjects found;
  const json::array* subjects = ArrayAt(binding, "subjects");
  for (const json::value& each : subjects == nullptr ? json::array() : *subjects) {
    const json::object* subject = each.if_object();
    if (subject == nullptr) continue;
    std::string account = AccountOf(*subject);
    if (!account.empty()) {
      found.accounts.insert(std::move(account));
    } else {
      const std::string_view ns = StringAt(*subject, "namespace");
      found.others.insert(StrCat(StringAt(*subject, "kind"), " ", ns, ns.empty() ? "" : "/",
                                 StringAt(*subject, "name")));
    }
  }
  return found;
}

std::set<std::string> AccountsIn(const json::object& binding) {
  return SubjectsIn(binding).accounts;
}

// The key of the role that a binding is for.
std::string RoleKeyOf(const json::object& binding) {
  const json::object* role = ObjectAt(binding, "roleRef");
  if (role == nullptr) return "";
  const std::string_view kind = StringAt(*role, "kind");
  return KeyOf(kind, kind == "Role" ? NamespaceIn(binding) : "",
               std::string(StringAt(*role, "name")));
}

// The keys of shipped roles and bindings, and of the cluster's own roles that shipped bindings
// grant.
std::set<std::string> ShippedKeys() {
  std::set<std::string> keys;
  for (const ShippedFolder& folder : ShippedFolders()) {
    for (const json::object& each : folder.objects) {
      keys.insert(KeyOf(each));
      if (IsBinding(KindOf(each))) keys.insert(RoleKeyOf(each));
    }
  }
  return keys;
}

// True for a role or a binding that OLM made for the ClusterServiceVersion of Steward's own bundle.
// OLM chose its name.
bool IsMadeByOlm(const json::object& object) {
  const json::object* metadata = ObjectAt(object, "metadata");
  const json::object* labels = metadata == nullptr ? nullptr : ObjectAt(*metadata, "labels");
  return labels != nullptr && !StringAt(*labels, olm::kOwnerLabel).empty() &&
         StringAt(*labels, olm::kOwnerKindLabel) == "ClusterServiceVersion" &&
         StringAt(*labels, olm::kOwnerNamespaceLabel) == kStewardNamespace;
}

// By key: the cluster's roles that matter here, and the bindings of Steward's accounts.
using RbacObjects = std::map<std::string, json::object>;

StatusTask ReadKind(kube::Client& client, std::string_view kind, const char* resource,
                    const std::set<std::string>& shipped, RbacObjects& found) {
  const auto take = [&](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(json::value object, ParseObject(raw.json));
    const kube::NamespacedName name = kube::NameOf(object);
    const std::string key = KeyOf(kind, name.ns, name.name);
    const bool bound = IsBinding(kind) && !AccountsIn(object.get_object()).empty();
    const bool of_olm = IsRole(kind) && IsMadeByOlm(object.get_object());
    if (shipped.contains(key) || bound || of_olm) {
      found.emplace(key, std::move(object.get_object()));
    }
    return absl::OkStatus();
  };
  const kube::GroupVersionResource gvr = {std::string(kGroup), "v1", resource};
  co_return co_await VisitAll(client, gvr, "", /*metadata_only=*/false, take);
}

Task<RbacObjects> ReadRbac(kube::Client& client) {
  const std::set<std::string> shipped = ShippedKeys();
  RbacObjects found;
  CO_RETURN_IF_ERROR(co_await ReadKind(client, "ClusterRole", "clusterroles", shipped, found));
  CO_RETURN_IF_ERROR(co_await ReadKind(client, "Role", "roles", shipped, found));
  CO_RETURN_IF_ERROR(
      co_await ReadKind(client, "ClusterRoleBinding", "clusterrolebindings", shipped, found));
  CO_RETURN_IF_ERROR(co_await ReadKind(client, "RoleBinding", "rolebindings", shipped, found));
  co_return found;
}

// A right of one verb on one resource, and its name for people.
struct Right {
  PolicyRule rule;
  std::string text;
};

std::vector<Right> RightsOf(const PolicyRules& rules) {
  std::vector<Right> rights;
  for (const PolicyRule& rule : rules) {
    const std::vector<std::string> unnamed = {""};
    for (const std::string& group : rule.groups) {
      for (const std::string& resource : rule.resources) {
        for (const std::string& name : rule.names.empty() ? unnamed : rule.names) {
          for (const std::string& verb : rule.verbs) {
            Right right;
            right.rule = {{group}, {resource}, {}, {verb}};
            if (!name.empty()) right.rule.names = {name};
            right.text = StrCat(verb, " ", resource, group.empty() ? "" : ".", group,
                                name.empty() ? "" : "/", name);
            rights.push_back(std::move(right));
          }
        }
      }
    }
  }
  return rights;
}

// The rights of `some` that `all` do not grant, as "list secrets, watch secrets and 3 more"; "" =
// none.
std::string Beyond(const PolicyRules& some, const PolicyRules& all) {
  std::vector<std::string> texts;
  for (const Right& right : RightsOf(some)) {
    if (!olm::Covers(all, right.rule)) texts.push_back(right.text);
  }
  const size_t more = texts.size() > kMostNamed ? texts.size() - kMostNamed : 0;
  texts.resize(texts.size() - more);
  return StrCat(absl::StrJoin(texts, ", "), more == 0 ? "" : StrCat(" and ", more, " more"));
}

// A role's rights on nonResourceURLs, as "get /metrics".
std::set<std::string> PathsOf(const json::object& role) {
  std::set<std::string> paths;
  const json::array* rules = ArrayAt(role, "rules");
  for (const json::value& each : rules == nullptr ? json::array() : *rules) {
    const json::object* rule = each.if_object();
    const json::array* urls = rule == nullptr ? nullptr : ArrayAt(*rule, "nonResourceURLs");
    const json::array* verbs = rule == nullptr ? nullptr : ArrayAt(*rule, "verbs");
    if (urls == nullptr || verbs == nullptr) continue;
    for (const json::value& url : *urls) {
      for (const json::value& verb : *verbs) {
        if (!url.is_string() || !verb.is_string()) continue;
        paths.insert(StrCat(View(verb.get_string()), " ", View(url.get_string())));
      }
    }
  }
  return paths;
}

// The members of `some` that are not among `all`.
std::string Beyond(const std::set<std::string>& some, const std::set<std::string>& all) {
  std::vector<std::string> texts;
  for (const std::string& each : some) {
    if (!all.contains(each)) texts.push_back(each);
  }
  return absl::StrJoin(texts, ", ");
}

PolicyRules RulesOf(const json::object& role) {
  const json::array* rules = ArrayAt(role, "rules");
  return rules == nullptr ? PolicyRules() : olm::ReadPolicyRules(*rules);
}

// The rights of an account, on resources and on paths.
struct Grants {
  PolicyRules rules;
  std::set<std::string> paths;

  void Add(Grants more) {
    rules.insert(rules.end(), more.rules.begin(), more.rules.end());
    paths.merge(more.paths);
  }
};
Grants GrantsOf(const json::object& role) { return {RulesOf(role), PathsOf(role)}; }
std::string Beyond(const Grants& some, const Grants& all) {
  std::vector<std::string> texts = {Beyond(some.rules, all.rules), Beyond(some.paths, all.paths)};
  std::erase(texts, "");
  return absl::StrJoin(texts, ", ");
}
using GrantsByAccount = std::map<std::string, Grants>;

// The rights that OLM gave Steward's accounts, in all namespaces together.
GrantsByAccount GrantedByOlm(const RbacObjects& found) {
  GrantsByAccount grants;
  for (const auto& [key, object] : found) {
    const auto role = found.find(RoleKeyOf(object));
    if (!IsMadeByOlm(object) || role == found.end()) continue;
    for (const std::string& account : AccountsIn(object))
      grants[account].Add(GrantsOf(role->second));
  }
  return grants;
}

// The rights that a shipped binding grants: those of its role, which is shipped, too, or is the
// cluster's own.
Grants GrantedBy(const json::object& binding, const RbacObjects& found) {
  const std::string key = RoleKeyOf(binding);
  for (const ShippedFolder& folder : ShippedFolders()) {
    for (const json::object& each : folder.objects) {
      if (KeyOf(each) == key) return GrantsOf(each);
    }
  }
  const auto role = found.find(key);
  return role == found.end() ? Grants() : GrantsOf(role->second);
}

// The rights that all shipped bindings together grant an account.
Grants ShippedTo(const std::string& account, const RbacObjects& found) {
  Grants all;
  for (const ShippedFolder& folder : ShippedFolders()) {
    for (const json::object& each : folder.objects) {
      if (!IsBinding(KindOf(each)) || !AccountsIn(each).contains(account)) continue;
      all.Add(GrantedBy(each, found));
    }
  }
  return all;
}

// True if OLM gave the accounts as many rights as `shipped` would: a binding, or all bindings of a
// role.
bool IsGrantedByOlm(const json::object& shipped, const ShippedFolder& folder,
                    const GrantsByAccount& by_olm, const RbacObjects& found) {
  bool bound = false;
  for (const json::object& each : folder.objects) {
    const bool concerned = IsRole(KindOf(shipped))
                               ? IsBinding(KindOf(each)) && RoleKeyOf(each) == KeyOf(shipped)
                               : KeyOf(each) == KeyOf(shipped);
    if (!concerned) continue;
    for (const std::string& account : AccountsIn(each)) {
      const auto given = by_olm.find(account);
      if (given == by_olm.end()) return false;
      if (!Beyond(GrantedBy(each, found), given->second).empty()) return false;
      bound = true;
    }
  }
  return bound;
}

std::string Described(const json::object& object) {
  const std::string ns = NamespaceIn(object);
  return StrCat(KindOf(object), " ", ns, ns.empty() ? "" : "/", NameIn(object));
}

// The object as an argument of kubectl: "Role steward-controllers -n steward-system".
std::string Addressed(std::string_view kind, const std::string& ns, const std::string& name) {
  return StrCat(kind, " ", ShellWord(name), ns.empty() ? "" : " -n ", ns);
}

void CompareRole(const json::object& shipped, const json::object& actual, CheckFindings& findings) {
  const PolicyRules wanted = RulesOf(shipped);
  const PolicyRules found = RulesOf(actual);
  const std::set<std::string> wanted_paths = PathsOf(shipped);
  const std::set<std::string> found_paths = PathsOf(actual);
  for (const std::string& lacks : {Beyond(wanted, found), Beyond(wanted_paths, found_paths)}) {
    if (lacks.empty()) continue;
    findings.Fail(StrCat(Described(shipped), " does not grant ", lacks), kApplyAgain);
  }
  // Rights that others aggregate into this role are not judged.
  if (shipped.contains("aggregationRule")) return;
  for (const std::string& more : {Beyond(found, wanted), Beyond(found_paths, wanted_paths)}) {
    if (more.empty()) continue;
    findings.Warn(StrCat(Described(shipped), " grants more than is shipped: ", more), kApplyAgain);
  }
}

void CompareBinding(const json::object& shipped, const json::object& actual,
                    CheckFindings& findings) {
  const json::value* role = shipped.if_contains("roleRef");
  const json::value* found = actual.if_contains("roleRef");
  if (role == nullptr) return;
  if (found == nullptr || !DifferenceFrom(*role, *found, "").empty()) {
    findings.Fail(
        StrCat(Described(shipped), " binds another role than is shipped"),
        StrCat("kubectl delete ", Addressed(KindOf(shipped), NamespaceIn(shipped), NameIn(shipped)),
               ", then ", kApplyAgain));
    return;
  }
  const Subjects bound = SubjectsIn(actual);
  const Subjects wanted = SubjectsIn(shipped);
  for (const std::string& account : wanted.accounts) {
    if (!bound.accounts.contains(account)) {
      findings.Fail(StrCat(Described(shipped), " does not bind the account ", account),
                    kApplyAgain);
    }
  }
  std::set<std::string> more;
  for (const std::string& each : bound.accounts) {
    if (!wanted.accounts.contains(each)) more.insert(each);
  }
  for (const std::string& each : bound.others) {
    if (!wanted.others.contains(each)) more.insert(each);
  }
  if (!more.empty()) {
    findings.Fail(
        StrCat(Described(shipped), " also binds ", absl::StrJoin(more, ", "),
               ", who may do what Steward may"),
        StrCat("kubectl delete ", Addressed(KindOf(shipped), NamespaceIn(shipped), NameIn(shipped)),
               ", then ", kApplyAgain));
  }
}

bool IsInstalled(const ShippedFolder& folder, const RbacObjects& found,
                 const Environment& environment) {
  if (folder.name == "base") return true;
  return std::any_of(folder.objects.begin(), folder.objects.end(), [&](const json::object& object) {
    return KindOf(object) == "ServiceAccount" ? environment.Has(NameIn(object))
                                              : found.contains(KeyOf(object));
  });
}

void CompareFolder(const ShippedFolder& folder, const RbacObjects& found,
                   const GrantsByAccount& by_olm, CheckFindings& findings) {
  for (const json::object& shipped : folder.objects) {
    if (!IsRbac(shipped)) continue;
    const auto actual = found.find(KeyOf(shipped));
    if (actual == found.end() && IsGrantedByOlm(shipped, folder, by_olm, found)) continue;
    if (actual == found.end()) {
      const std::set<std::string> accounts = AccountsIn(shipped);
      findings.Fail(
          StrCat(Described(shipped), " of deploy/", folder.name, " is missing",
                 accounts.empty() ? "" : ": the rights of ", absl::StrJoin(accounts, ", ")),
          kApplyAgain);
    } else if (IsRole(KindOf(shipped))) {
      CompareRole(shipped, actual->second, findings);
    } else {
      CompareBinding(shipped, actual->second, findings);
    }
  }
}

// Names the rights that OLM gave beyond those shipped, except on the object by which an operator
// talks to OLM (OperatorCondition).
void NameMoreOfOlms(const GrantsByAccount& by_olm, const RbacObjects& found,
                    CheckFindings& findings) {
  for (const auto& [account, given] : by_olm) {
    Grants wanted = ShippedTo(account, found);
    wanted.rules.push_back({{"operators.coreos.com"}, {"*"}, {}, {"get", "update", "patch"}});
    if (const std::string more = Beyond(given, wanted); !more.empty()) {
      findings.Warn(StrCat("OLM gave ", account, " more than is shipped: ", more),
                    "see the ClusterServiceVersion in steward-system");
    }
  }
}

// Names bindings of Steward's accounts that are not shipped.
void NameAddedBindings(const RbacObjects& found, CheckFindings& findings) {
  const std::set<std::string> shipped = ShippedKeys();
  for (const auto& [key, object] : found) {
    const json::object* role = ObjectAt(object, "roleRef");
    // A binding that OLM made to a role that OLM made was already compared by the rights that it
    // grants.
    const bool compared = IsMadeByOlm(object) && found.contains(RoleKeyOf(object));
    if (shipped.contains(key) || role == nullptr || compared) continue;
    const std::string kind = key.substr(0, key.find('/'));
    const std::string ns = NamespaceIn(object);
    findings.Warn(
        StrCat(absl::StrJoin(AccountsIn(object), ", "), " is also bound to ",
               StringAt(*role, "kind"), " ", StringAt(*role, "name"), " by ",
               Addressed(kind, ns, NameIn(object))),
        StrCat("unless that is wanted: kubectl delete ", Addressed(kind, ns, NameIn(object))));
  }
}

Task<std::optional<json::value>> ReadIfThere(kube::Client& client, kube::GroupVersionResource gvr,
                                             std::string name) {
  const kube::NamespacedName key = {"", name};
  absl::StatusOr<json::value> object = co_await ReadObject(client, gvr, key);
  if (kube::IsNotFound(object.status(), name)) co_return std::optional<json::value>();
  CO_RETURN_IF_ERROR(object.status());
  co_return std::optional<json::value>(*std::move(object));
}

// In the policies about opting in and about the label of copies, the first variable names accounts;
// users replace it in overlays of their own (deploy/README.md).
constexpr char kUsersOwn[] = "spec.variables[0].expression";

json::value WithoutUsersOwn(json::value spec) {
  if (!spec.is_object()) return spec;
  if (json::value* variables = spec.get_object().if_contains("variables");
      variables != nullptr && variables->is_array() && !variables->get_array().empty() &&
      variables->get_array().front().is_object()) {
    variables->get_array().front().get_object().erase("expression");
  }
  return spec;
}

void CompareContent(const std::string& name, const json::object& shipped,
                    const json::object& actual, CheckFindings& findings) {
  const json::value* wanted = shipped.if_contains("spec");
  const json::value* found = actual.if_contains("spec");
  if (wanted == nullptr || found == nullptr || !wanted->is_object()) return;
  const std::string sentence = StrCat("ValidatingAdmissionPolicy ", name, " is not as shipped: ");
  const bool own = name == olm::kOptInPolicy || name == olm::kCopiedFromPolicy;
  const std::string difference =
      own ? DifferenceFrom(WithoutUsersOwn(*wanted), WithoutUsersOwn(*found), "spec")
          : DifferenceFrom(*wanted, *found, "spec");
  if (!difference.empty()) {
    findings.Fail(StrCat(sentence, difference), kApplyAgain);
  } else if (!DifferenceFrom(*wanted, *found, "spec").empty()) {
    findings.Warn(StrCat(sentence, kUsersOwn),
                  StrCat("unless an overlay of yours says so, ", kApplyAgain));
  }
}

void ComparePolicy(const json::object& shipped, const std::optional<json::value>& policy,
                   const std::optional<json::value>& binding, CheckFindings& findings) {
  const std::string name = NameIn(shipped);
  if (!policy) {
    findings.Fail(StrCat("ValidatingAdmissionPolicy ", name, " does not exist"), kApplyAgain);
    return;
  }
  const json::object& actual = policy->get_object();
  if (const std::string_view weak = kube::WhyPolicyIsWeak(actual); !weak.empty()) {
    findings.Fail(StrCat("ValidatingAdmissionPolicy ", name, " ", weak), kApplyAgain);
  } else if (!binding ||
             !kube::DeniesEverywhere(binding->get_object(), name, kube::TakesParameters(actual))) {
    findings.Fail(StrCat("ValidatingAdmissionPolicy ", name,
                         " has no binding of its name that denies everywhere"),
                  kApplyAgain);
  } else {
    CompareContent(name, shipped, actual, findings);
  }
}

// Compares the policies of a folder. An error if one could not be read.
StatusTask CompareFolderPolicies(Environment& environment, const ShippedFolder& folder,
                                 CheckFindings& findings, size_t& count) {
  for (const json::object& shipped : folder.objects) {
    if (KindOf(shipped) != "ValidatingAdmissionPolicy") continue;
    CO_ASSIGN_OR_RETURN(const std::optional<json::value> policy,
                        co_await ReadIfThere(environment.client, kPolicies, NameIn(shipped)));
    CO_ASSIGN_OR_RETURN(const std::optional<json::value> binding,
                        co_await ReadIfThere(environment.client, kPolicyBindings, NameIn(shipped)));
    ComparePolicy(shipped, policy, binding, findings);
    ++count;
  }
  co_return absl::OkStatus();
}

// True if nothing of Steward is installed in the cluster, so that nothing can be missing.
bool RunsOutside(const Environment& environment) {
  return environment.deployments.ok() && environment.deployments->empty();
}

}  // namespace

VoidTask CheckRights(Environment& environment) {
  if (RunsOutside(environment)) co_return;
  CheckFindings findings("Rights", environment.findings);
  const absl::StatusOr<RbacObjects> found = co_await ReadRbac(environment.client);
  if (!found.ok()) {
    findings.Unseen("what Steward's accounts may do", found.status());
    co_return;
  }
  const GrantsByAccount by_olm = GrantedByOlm(*found);
  std::vector<std::string> installed;
  for (const ShippedFolder& folder : ShippedFolders()) {
    if (!IsInstalled(folder, *found, environment)) continue;
    installed.push_back(folder.name);
    CompareFolder(folder, *found, by_olm, findings);
  }
  NameMoreOfOlms(by_olm, *found, findings);
  NameAddedBindings(*found, findings);
  if (findings.clean()) {
    findings.Ok(
        StrCat("accounts may do what deploy/ says, and no more: ", absl::StrJoin(installed, ", ")));
  }
}

VoidTask CheckPolicies(Environment& environment) {
  if (RunsOutside(environment)) co_return;
  CheckFindings findings("Policies", environment.findings);
  size_t count = 0;
  for (const ShippedFolder& folder : ShippedFolders()) {
    // Whether the folder is installed is judged by its processes alone, so that policies are
    // checked even if the user may not read roles.
    if (!IsInstalled(folder, {}, environment)) continue;
    const absl::Status compared =
        co_await CompareFolderPolicies(environment, folder, findings, count);
    if (!compared.ok()) {
      findings.Unseen("the admission policies", compared);
      co_return;
    }
  }
  if (findings.clean()) findings.Ok(StrCat(count, " admission policies are in force, as shipped"));
}

}  // namespace steward::plugin
