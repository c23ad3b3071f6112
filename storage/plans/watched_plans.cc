#include "storage/plans/watched_plans.h"

#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/resources.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "olm/resources.h"
#include "storage/reflector/reflector.h"
#include "storage/world/source_set.h"

namespace steward::storage {
namespace {

ReflectorOptions PlanOptions() {
  ReflectorOptions options;
  options.gvr = olm::kInstallPlans;
  options.may_be_absent = true;
  // InstallPlans with manifests are tens of kB each.
  options.page_size = 100;
  return options;
}

ReflectorOptions DefinitionOptions() {
  ReflectorOptions options;
  options.gvr = kube::kCrds;
  // The largest definitions are 1 MB each.
  options.page_size = 50;
  return options;
}

ReflectorOptions GroupOptions() {
  ReflectorOptions options;
  options.gvr = olm::kOperatorGroups;
  options.may_be_absent = true;
  return options;
}

}  // namespace

std::vector<WatchedSource> WatchedPlans() {
  return {
      {PlanOptions(),
       [](std::string_view json) -> absl::StatusOr<ObjectPtr> { return olm::DecodePlan(json); }},
      {DefinitionOptions(),
       [](std::string_view json) -> absl::StatusOr<ObjectPtr> {
         return olm::DecodeDefinition(json);
       }},
      {GroupOptions(),
       [](std::string_view json) -> absl::StatusOr<ObjectPtr> {
         return olm::DecodePlanGroup(json);
       }},
  };
}

}  // namespace steward::storage
