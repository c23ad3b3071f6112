// Previews an InstallPlan from watched objects, concluding about each step by a rule. Values and
// pure functions.
#ifndef OLM_PREVIEW_PLAN_OUTLOOK_H_
#define OLM_PREVIEW_PLAN_OUTLOOK_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/meta/names.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/preview.h"

namespace steward::olm {

// The known state of the API of a step's kind.
enum class StepApi : uint8_t {
  kNamespaced,
  kClusterScoped,
  kAbsent,
  kUnknown,  // only discovery could find out
  // A definition of this name exists. Only a dry run shows whether it may be replaced and how it
  // would change.
  kDefinitionIsThere,
};

// The existing definitions and the kinds that they serve, for kinds of StepKind::kOther. Refers to
// the definitions.
class ServedKinds {
 public:
  // Adds a definition. REQUIRES: `definition` outlives this object.
  void Add(const DefinitionFacts& definition);
  // Returns the state of a kind's API. Kinds that every cluster has are served in version v1.
  StepApi Find(const kube::GroupVersionKind& gvk) const;
  bool HasDefinition(std::string_view name) const { return names_.contains(name); }

 private:
  using GroupKind = std::pair<std::string_view, std::string_view>;
  std::multimap<GroupKind, const DefinitionFacts*> definitions_;
  std::set<std::string_view> names_;
};

// The inputs of a preview.
struct PlanOutlook {
  PlanFactsPtr plan;          // never null
  std::vector<StepApi> apis;  // one per step
  GroupChoice group;          // the OperatorGroup of the plan's namespace

  static PlanOutlook Of(PlanFactsPtr plan, const ServedKinds& served, GroupChoice group = {});
  bool operator==(const PlanOutlook& other) const {
    return apis == other.apis && group == other.group &&
           (plan == other.plan || *plan == *other.plan);
  }
};

// Previews a plan. Steps that have ended have their actual outcome. For the others, it tells what
// an executor would do: it works in ExecutionOrder and stops at the first step that fails
// (R-002-24). A plan without approval is previewed as if approved. `optional_manifests` is the
// feature gate (R-002-55). An API that a definition of the same plan adds is never absent
// (R-002-25). A step is Unknown if it depends on unwatched state: a definition that would be
// replaced, and every step if the OperatorGroup names a service account.
PlanPreview PreviewOf(const PlanOutlook& outlook, bool optional_manifests);

// The reasons of steps, one for each cause.
inline constexpr std::string_view kCreatedOrUpdated = "CreatedOrUpdated";  // live state decides
inline constexpr std::string_view kStepIsDone = "StepIsDone";
inline constexpr std::string_view kStepWasNotCreated = "StepWasNotCreated";
inline constexpr std::string_view kWaitsForApi = "WaitsForApi";  // the API of the definition
inline constexpr std::string_view kApiAbsent = "ApiAbsent";
inline constexpr std::string_view kApiUnknown = "ApiUnknown";
inline constexpr std::string_view kDefinitionIsThere = "DefinitionIsThere";
inline constexpr std::string_view kAccountUnknown = "AccountUnknown";  // of the OperatorGroup
inline constexpr std::string_view kUnsupportedKind = "UnsupportedKind";
inline constexpr std::string_view kInvalidManifest = "InvalidManifest";
inline constexpr std::string_view kInvalidPlan = "InvalidPlan";
inline constexpr std::string_view kEarlierStepFails = "EarlierStepFails";
inline constexpr std::string_view kPlanIsDeleted = "PlanIsDeleted";
inline constexpr std::string_view kPlanHasFailed = "PlanHasFailed";
inline constexpr std::string_view kPlanIsComplete = "PlanIsComplete";
// Reasons that only the condition has.
inline constexpr std::string_view kNotApproved = "NotApproved";
inline constexpr std::string_view kApproved = "Approved";
inline constexpr std::string_view kNotUnpacked = "NotUnpacked";
inline constexpr std::string_view kNoSteps = "NoSteps";

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PLAN_OUTLOOK_H_
