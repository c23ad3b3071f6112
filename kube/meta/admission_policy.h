// The facts about a ValidatingAdmissionPolicy and its bindings that do not depend on its purpose.
// Pure functions.
#ifndef KUBE_META_ADMISSION_POLICY_H_
#define KUBE_META_ADMISSION_POLICY_H_

#include <boost/json/object.hpp>
#include <string_view>

namespace steward::kube {

// Why the policy does not reliably refuse requests, as the end of a sentence that begins with the
// policy's name ("does not fail closed"). "" = it does refuse reliably, if it is bound. Its scope
// and expressions are not judged.
std::string_view WhyPolicyIsWeak(const boost::json::object& policy);

// True if the policy is one with parameters, which its bindings name.
bool TakesParameters(const boost::json::object& policy);

// True if the binding denies what the policy of this name refuses, without exceptions, and is not
// being deleted. `parameters`: the policy takes parameters (TakesParameters), so a binding that
// names some counts, and their content is not judged. Otherwise such a binding counts as one with
// exceptions.
bool DeniesEverywhere(const boost::json::object& binding, std::string_view policy,
                      bool parameters = false);

}  // namespace steward::kube

#endif  // KUBE_META_ADMISSION_POLICY_H_
