// An InstallPlan: what an executor reads of it, and what it writes into its status. Values and pure
// functions.
#ifndef OLM_PLAN_INSTALL_PLAN_H_
#define OLM_PLAN_INSTALL_PLAN_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kube/meta/names.h"

namespace steward::olm {

// The phases of a plan (status.phase) and of its steps (status.plan[].status), in OLM's words.
inline constexpr std::string_view kPlanPlanning = "Planning";
inline constexpr std::string_view kPlanRequiresApproval = "RequiresApproval";
inline constexpr std::string_view kPlanInstalling = "Installing";
inline constexpr std::string_view kPlanComplete = "Complete";
inline constexpr std::string_view kPlanFailed = "Failed";

inline constexpr std::string_view kStepUnknown = "Unknown";
inline constexpr std::string_view kStepNotPresent = "NotPresent";
inline constexpr std::string_view kStepPresent = "Present";
inline constexpr std::string_view kStepCreated = "Created";
inline constexpr std::string_view kStepNotCreated = "NotCreated";  // R-002-20
inline constexpr std::string_view kStepWaitingForApi = "WaitingForApi";
inline constexpr std::string_view kStepUnsupported = "UnsupportedResource";

// True while an executor has still to do the step; "" is such a status.
bool IsPendingStep(std::string_view status);
// True once nothing is done for the step any more. Of no other status than these is a step valid.
bool HasStepEnded(std::string_view status);

// The condition of a plan and its reasons.
inline constexpr std::string_view kPlanInstalled = "Installed";
inline constexpr std::string_view kInstallCheckFailed = "InstallCheckFailed";
inline constexpr std::string_view kInstallComponentFailed = "InstallComponentFailed";

// An entry of status.plan (R-002-19 to 21).
struct PlanStep {
  std::string resolving;  // the ClusterServiceVersion that the step belongs to
  kube::GroupVersionKind gvk;
  std::string name;
  std::string source_name;  // the catalog
  std::string source_namespace;
  // The object as JSON, or a reference to a bundle's ConfigMap (bundle_reference.h).
  std::string manifest;
  bool optional = false;
  std::string status;  // one of kStep…; whatever else it says is kept

  // "step 3, ServiceMonitor reed": for messages; `index` counts from 0.
  std::string ToString(size_t index) const;
  bool operator==(const PlanStep&) const = default;
};

// An entry of status.bundleLookups: the properties that the catalog names for a bundle.
struct BundleLookup {
  std::string identifier;  // the ClusterServiceVersion's name
  std::string properties;  // as in OptionalManifests::Parse
  bool pending = false;    // the bundle is not unpacked: its steps are not in the plan yet
  bool operator==(const BundleLookup&) const = default;
};

struct InstallPlan {
  // Limits of what is read; a plan beyond them is refused.
  static constexpr size_t kMaxSteps = 10'000;

  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  bool deleting = false;
  bool approved = false;  // spec.approved alone: OLM sets it where the approval is Automatic
  std::vector<std::string> csv_names;  // spec.clusterServiceVersionNames
  std::string phase;                   // "" = new
  std::string message;
  std::optional<absl::Time> start_time;  // status.startTime
  std::vector<PlanStep> steps;           // in the plan's own order, null entries left out of none
  std::vector<BundleLookup> lookups;

  // Terminal: nothing is done for it any more.
  bool ended() const { return phase == kPlanComplete || phase == kPlanFailed; }
  // Nothing of it has been written yet, as its steps say.
  bool untouched() const;
};

// kInvalidArgument with one sentence that names the field: no name or uid, a field of a wrong type
// that the executor reads, a null entry in status.plan, more than kMaxSteps.
absl::StatusOr<InstallPlan> ReadInstallPlan(const boost::json::object& object);

// An executor's conclusions, to be written into a plan's status.
struct PlanProgress {
  std::string phase;
  std::string message;
  std::optional<absl::Time> start_time;  // nullopt: stays
  bool anew = false;                     // the start time goes: the plan begins again
  struct Condition {
    bool installed = false;
    std::string reason;
    std::string message;
  };
  std::optional<Condition> condition;  // of the type Installed; nullopt: stays
  struct Step {
    std::string status;
    bool optional = false;
  };
  std::vector<Step> steps;  // as many as the plan has, in its order
};

// Writes `progress` into the status of `object`, which `plan` was read from: the order and every
// other field stay (R-002-24), `optional` is only ever written as true (R-002-21). Returns false,
// and changes nothing, when it says all of that already. `now`: of a condition's transition.
bool SetProgress(const InstallPlan& plan, const PlanProgress& progress, absl::Time now,
                 boost::json::object& object);

}  // namespace steward::olm

#endif  // OLM_PLAN_INSTALL_PLAN_H_
