#include "kube/meta/condition.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/json/json_access.h"

namespace steward::kube {
namespace json = boost::json;

const json::object* ConditionOf(const json::object& object, std::string_view type) {
  const json::object* status = ObjectAt(object, "status");
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (conditions == nullptr) return nullptr;
  for (const json::value& each : *conditions) {
    const json::object* condition = each.if_object();
    if (condition != nullptr && StringAt(*condition, "type") == type) return condition;
  }
  return nullptr;
}

}  // namespace steward::kube
