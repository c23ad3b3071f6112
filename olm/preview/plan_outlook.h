// What would become of an InstallPlan, as far as watched objects tell: the steps of its preview,
// each by a rule. Values and pure functions.
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

// What is known of the API of a step's kind.
enum class StepApi : uint8_t {
  kNamespaced,
  kClusterScoped,
  kAbsent,
  kUnknown,  // only discovery could tell
  // A definition of this name is there. Whether it may be replaced, and what would change, is seen
  // when it is tried.
  kDefinitionIsThere,
};

// The definitions that are there, and the kinds that they serve, among those of which a plan needs
// to know it (StepKind::kOther). Refers to the definitions.
class ServedKinds {
 public:
  // REQUIRES: `definition` outlives this object.
  void Add(const DefinitionFacts& definition);
  // The API of a step. Kinds that every cluster has are served in their version v1.
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
  std::vector<StepApi> apis;  // one for each step
  GroupChoice group;          // of the plan's namespace

  static PlanOutlook Of(PlanFactsPtr plan, const ServedKinds& served, GroupChoice group = {});
  bool operator==(const PlanOutlook& other) const {
    return apis == other.apis && group == other.group &&
           (plan == other.plan || *plan == *other.plan);
  }
};

// Says of a step that has ended what it came to, and of each other what an executor would come to:
// it does them in their order (ExecutionOrder) and ends at the first that fails (R-002-24). A plan
// that waits for its approval is previewed as if it had it. `optional_manifests` is the gate
// (R-002-55). The API that a definition of the same plan brings is never absent (R-002-25). What
// nobody watches is Unknown: a definition that would be replaced, and every step where the
// OperatorGroup names a service account.
PlanPreview PreviewOf(const PlanOutlook& outlook, bool optional_manifests);

// The reasons, one for each cause.
inline constexpr std::string_view kCreatedOrUpdated = "CreatedOrUpdated";  // live state decides
inline constexpr std::string_view kStepIsDone = "StepIsDone";
inline constexpr std::string_view kStepWasNotCreated = "StepWasNotCreated";
inline constexpr std::string_view kWaitsForApi = "WaitsForApi";  // of the definition
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
// Reasons that the condition alone has.
inline constexpr std::string_view kNotApproved = "NotApproved";
inline constexpr std::string_view kApproved = "Approved";
inline constexpr std::string_view kNotUnpacked = "NotUnpacked";
inline constexpr std::string_view kNoSteps = "NoSteps";

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PLAN_OUTLOOK_H_
