// The rules of Roles, and comparisons of what two lists of rules grant. Values and pure functions.
#ifndef OLM_COPIED_RBAC_POLICY_RULE_H_
#define OLM_COPIED_RBAC_POLICY_RULE_H_

#include <boost/json/array.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace steward::olm {

// Grants each verb on each resource of each group; empty `names` = on objects of any name. As in
// Kubernetes, "*" means all groups, verbs or resources, and the resource "*/scale" means that
// subresource of all resources. There are no other wildcards; `names` has none.
struct PolicyRule {
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> names;
  std::vector<std::string> verbs;

  bool operator==(const PolicyRule&) const = default;
};
using PolicyRules = std::vector<PolicyRule>;

// Never fails: skips entries that are not rules about resources.
PolicyRules ReadPolicyRules(const boost::json::array& rules);
boost::json::array ToJson(const PolicyRules& rules);

// True when a single rule of `all` grants everything that `rule` grants.
bool Covers(const PolicyRules& all, const PolicyRule& rule);
// True when `all` covers each rule of `some`.
bool Covers(const PolicyRules& all, const PolicyRules& some);

// The most rules that Within returns.
inline constexpr size_t kMostRules = 2000;

// Returns the part of `rules` that `asked` grants, too: at most kMostRules rules. A rule that
// `asked` covers as a whole stays as it is, so equal lists return the same list.
PolicyRules Within(const PolicyRules& rules, const PolicyRules& asked);

}  // namespace steward::olm

#endif  // OLM_COPIED_RBAC_POLICY_RULE_H_
