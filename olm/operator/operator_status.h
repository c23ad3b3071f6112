// The status of an Operator: its components, each with its conditions. Values and pure functions.
#ifndef OLM_OPERATOR_OPERATOR_STATUS_H_
#define OLM_OPERATOR_OPERATOR_STATUS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"

namespace steward::olm {

struct ComponentRef {
  kube::GroupVersionKind gvk;
  kube::NamespacedName name;
  boost::json::array conditions;  // as ReadConditions and ConditionsOf give them
};

// The object's status.conditions, with the members that an Operator shows. Skips conditions without
// a type or status, and invalid times, because a cluster would refuse the whole status.
boost::json::array ReadConditions(const boost::json::object& object);
// A ClusterServiceVersion's phase as its only condition; empty while it has no phase.
boost::json::array ConditionsOf(const CsvContent& csv);

// The value of status.components: the references in OLM's order, by kind, apiVersion, namespace and
// name.
boost::json::object ComponentsOf(std::string_view operator_name, std::vector<ComponentRef> refs);

// Sets status.components of the Operator `object`. Returns false if nothing changes.
bool SetComponents(boost::json::object components, boost::json::object& object);

// An Operator to be created, marked as generated (R-004-11, R-004-15).
boost::json::object NewOperator(std::string_view name);

}  // namespace steward::olm

#endif  // OLM_OPERATOR_OPERATOR_STATUS_H_
