// Whether opting in to cleanup is authorised by the API server (R-000-74).
#ifndef OLM_CLEANUP_PROTECTION_H_
#define OLM_CLEANUP_PROTECTION_H_

#include <boost/json/object.hpp>
#include <string_view>
#include <vector>

#include "olm/cleanup/facts.h"

namespace steward::olm {

// Judges a ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBindings, of which those of other
// policies are ignored. Bound when the policy fails closed and looks at every one of
// `operations` on ClusterServiceVersions, and a binding that leaves nothing out denies what the
// policy refuses. What the policy's expressions (validations and match conditions) say is not
// judged.
ProtectionFacts JudgeProtection(const boost::json::object& policy,
                                const std::vector<boost::json::object>& bindings,
                                const std::vector<std::string_view>& operations = {"CREATE",
                                                                                   "UPDATE"});

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PROTECTION_H_
