// What an operator itself says of a cleanup that it cannot finish (R-000-16).
#ifndef OLM_CLEANUP_REPORTED_FAILURE_H_
#define OLM_CLEANUP_REPORTED_FAILURE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace steward::olm {

// "reason: message" of the condition of this type in an OperatorCondition (operators.coreos.com/v2)
// when its status is "True"; "" when it is not, or there is none. The first place that has the type
// counts: spec.overrides, which are the administrator's; spec.conditions, where operators write;
// status.conditions, where those write that know only v1. Nothing is decided by it.
std::string ReportedFailureOf(const boost::json::object& operator_condition, std::string_view type);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_REPORTED_FAILURE_H_
