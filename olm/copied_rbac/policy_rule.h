// The rules of Roles, and what one list of them grants beside another. Values and pure functions.
#ifndef OLM_COPIED_RBAC_POLICY_RULE_H_
#define OLM_COPIED_RBAC_POLICY_RULE_H_

#include <boost/json/array.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace steward::olm {

// Grants each verb on each resource of each group; `names` empty = on objects of any name. As in
// Kubernetes "*" stands for all groups, verbs or resources, and the resource "*/scale" for that
// subresource of all resources. No other word stands for more than itself, and no name does.
struct PolicyRule {
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> names;
  std::vector<std::string> verbs;

  bool operator==(const PolicyRule&) const = default;
};
using PolicyRules = std::vector<PolicyRule>;

// Total: entries that are no rules about resources are left out.
PolicyRules ReadPolicyRules(const boost::json::array& rules);
boost::json::array ToJson(const PolicyRules& rules);

// True when some rule of `all` alone grants everything that `rule` does.
bool Covers(const PolicyRules& all, const PolicyRule& rule);
// True when that holds for each rule of `some`.
bool Covers(const PolicyRules& all, const PolicyRules& some);

// The most rules that Within gives.
inline constexpr size_t kMostRules = 2000;

// Returns the part of what `asked` grant that `rules` grant, at most kMostRules. A rule that is
// asked for as a whole stays as it is, so that equal lists give the same list again.
PolicyRules Within(const PolicyRules& rules, const PolicyRules& asked);

}  // namespace steward::olm

#endif  // OLM_COPIED_RBAC_POLICY_RULE_H_
