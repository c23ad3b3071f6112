// An operator's own report that it cannot finish a cleanup (R-000-16). Pure functions.
#ifndef OLM_CLEANUP_REPORTED_FAILURE_H_
#define OLM_CLEANUP_REPORTED_FAILURE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace steward::olm {

// Returns "reason: message" of the condition of this type in an OperatorCondition
// (operators.coreos.com/v2) if the condition's status is "True"; else "". Of several conditions of
// the type, the first of these places counts: spec.overrides, which belong to the administrator;
// spec.conditions, where operators write; status.conditions, where operators write that know only
// v1. No decision depends on the result.
std::string ReportedFailureOf(const boost::json::object& operator_condition, std::string_view type);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_REPORTED_FAILURE_H_
