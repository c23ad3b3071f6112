// The conditions in an object's status. A pure function.
#ifndef KUBE_META_CONDITION_H_
#define KUBE_META_CONDITION_H_

#include <boost/json/object.hpp>
#include <string_view>

namespace steward::kube {

// The first condition of a type in `status.conditions`; null where the object has none. It lives as
// long as the object.
const boost::json::object* ConditionOf(const boost::json::object& object, std::string_view type);

}  // namespace steward::kube

#endif  // KUBE_META_CONDITION_H_
