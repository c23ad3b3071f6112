// The judgement of the API server's admission policies that protect cleanup (R-000-74, R-000-77,
// R-000-85). Pure functions.
#ifndef OLM_CLEANUP_PROTECTION_H_
#define OLM_CLEANUP_PROTECTION_H_

#include <boost/json/object.hpp>
#include <optional>
#include <vector>

#include "olm/cleanup/facts.h"

namespace steward::olm {

// ValidatingAdmissionPolicies as read; nullopt = no policy has this name.
struct ProtectionPolicies {
  std::optional<boost::json::object> opt_in;       // kOptInPolicy
  std::optional<boost::json::object> uninstall;    // kUninstallPolicy
  std::optional<boost::json::object> copied_from;  // kCopiedFromPolicy
};

// Judges each policy by itself, with all ValidatingAdmissionPolicyBindings of the cluster. A policy
// is in force when it fails closed, applies to every operation on ClusterServiceVersions that it
// must control, and has a binding without exceptions whose action is to deny. The expressions
// (validations and match conditions) are not judged.
ProtectionFacts JudgeProtection(const ProtectionPolicies& policies,
                                const std::vector<boost::json::object>& bindings);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PROTECTION_H_
