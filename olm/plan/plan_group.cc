#include "olm/plan/plan_group.h"

#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/status/macros.h"

namespace steward::olm {
namespace json = boost::json;

void GroupChooser::Add(const PlanGroup& group) {
  if (group.deleting) return;
  ++count_;
  only_.group = group.key.name;
  only_.account = group.account;
}

GroupChoice GroupChooser::Choose() const {
  if (count_ == 1) return only_;
  GroupChoice none;
  none.waits = count_ == 0 ? "no operator group found that is managing this namespace"
                           : "more than one operator group(s) are managing this namespace";
  return none;
}

PlanGroup ReadPlanGroup(const json::object& object) {
  PlanGroup group;
  const json::object& metadata = PartOf(object, "metadata");
  group.key = {std::string(StringAt(metadata, "namespace")),
               std::string(StringAt(metadata, "name"))};
  group.deleting = !StringAt(metadata, "deletionTimestamp").empty();
  group.account = StringAt(PartOf(object, "spec"), "serviceAccountName");
  return group;
}

absl::StatusOr<PlanGroupPtr> DecodePlanGroup(std::string_view text) {
  ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(text));
  PlanGroup group = ReadPlanGroup(object);
  if (group.key.ns.empty() || group.key.name.empty()) {
    return absl::InvalidArgumentError("an OperatorGroup must have a name and a namespace");
  }
  return std::make_shared<const PlanGroup>(std::move(group));
}

size_t SizeOf(const PlanGroup& group) {
  return sizeof(PlanGroup) + group.key.ns.size() + group.key.name.size() + group.account.size();
}

}  // namespace steward::olm
