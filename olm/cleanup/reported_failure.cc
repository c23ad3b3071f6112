#include "olm/cleanup/reported_failure.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

const json::object* FindCondition(const json::object& operator_condition, std::string_view part,
                                  std::string_view list, std::string_view type) {
  const json::object* parent = ObjectAt(operator_condition, part);
  const json::array* conditions = parent == nullptr ? nullptr : ArrayAt(*parent, list);
  if (conditions == nullptr) return nullptr;
  for (const json::value& item : *conditions) {
    const json::object* condition = item.if_object();
    if (condition != nullptr && StringAt(*condition, "type") == type) return condition;
  }
  return nullptr;
}

}  // namespace

std::string ReportedFailureOf(const json::object& operator_condition, std::string_view type) {
  if (type.empty()) return "";
  for (const auto& [part, list] : {std::pair{"spec", "overrides"}, std::pair{"spec", "conditions"},
                                   std::pair{"status", "conditions"}}) {
    const json::object* condition = FindCondition(operator_condition, part, list, type);
    if (condition == nullptr) continue;
    if (StringAt(*condition, "status") != "True") return "";
    const std::string_view reason = StringAt(*condition, "reason");
    const std::string_view message = StringAt(*condition, "message");
    if (reason.empty() && message.empty()) return std::string(type);
    return StrCat(reason, reason.empty() || message.empty() ? "" : ": ", message);
  }
  return "";
}

}  // namespace steward::olm
