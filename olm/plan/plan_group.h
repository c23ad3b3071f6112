// The facts about OperatorGroups that the execution of InstallPlans in their namespaces needs.
// Values and pure functions.
#ifndef OLM_PLAN_PLAN_GROUP_H_
#define OLM_PLAN_PLAN_GROUP_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::olm {

// An OperatorGroup.
struct PlanGroup {
  kube::NamespacedName key;
  std::string account;  // spec.serviceAccountName; "" = none
  bool deleting = false;

  bool operator==(const PlanGroup&) const = default;
};
using PlanGroupPtr = std::shared_ptr<const PlanGroup>;

// The effect of all OperatorGroups of a namespace: InstallPlans are executed only if exactly one
// group is not being deleted.
struct GroupChoice {
  std::string waits;    // what is missing before a plan is executed; "" = nothing
  std::string group;    // its name
  std::string account;  // the service account that it names; "" = none

  bool operator==(const GroupChoice&) const = default;
};

// Makes the choice from a namespace's groups, one after the other.
class GroupChooser {
 public:
  void Add(const PlanGroup& group);
  GroupChoice Choose() const;

 private:
  GroupChoice only_;
  size_t count_ = 0;
};

PlanGroup ReadPlanGroup(const boost::json::object& object);
// Errors (kInvalidArgument): not a JSON object, or no name or namespace.
absl::StatusOr<PlanGroupPtr> DecodePlanGroup(std::string_view json);

// An estimate, in bytes.
size_t SizeOf(const PlanGroup& group);

}  // namespace steward::olm

#endif  // OLM_PLAN_PLAN_GROUP_H_
