// The facts about a ValidatingAdmissionPolicy and its bindings that do not depend on its purpose.
// Pure functions.
#ifndef KUBE_META_ADMISSION_POLICY_H_
#define KUBE_META_ADMISSION_POLICY_H_

#include <boost/json/object.hpp>
#include <string_view>

namespace steward::kube {

// The reason for which the policy refuses nothing reliably, as the end of a sentence that begins
// with its name ("does not fail closed"); "" = it does where it is bound. Its scope and expressions
// are not judged.
std::string_view WhyPolicyIsWeak(const boost::json::object& policy);

// True if the policy is one with parameters, which its bindings name.
bool TakesParameters(const boost::json::object& policy);

// True if the binding denies what the policy of this name refuses, without exceptions, and is not
// being deleted. A binding that names parameters makes exceptions, but for a policy that takes some
// (`parameters`); which ones is not judged.
bool DeniesEverywhere(const boost::json::object& binding, std::string_view policy,
                      bool parameters = false);

}  // namespace steward::kube

#endif  // KUBE_META_ADMISSION_POLICY_H_
