// An operator's own report that it cannot finish a cleanup (R-000-16). Pure functions.
#ifndef OLM_CLEANUP_REPORTED_FAILURE_H_
#define OLM_CLEANUP_REPORTED_FAILURE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace steward::olm {

// "reason: message" of the condition of this type in an OperatorCondition (operators.coreos.com/v2)
// when its status is "True"; "" when it is not, or does not exist. The first place that has the
// type counts: spec.overrides, which belong to the administrator; spec.conditions, where operators
// write; status.conditions, where operators write that know only v1. No decision depends on it.
std::string ReportedFailureOf(const boost::json::object& operator_condition, std::string_view type);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_REPORTED_FAILURE_H_
