// An InstallPlan: the fields that an executor reads, and its writes into the status. Values and
// pure functions.
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

// The beginning of a plan's message while it waits for the API of its definitions.
inline constexpr std::string_view kWaitingForApiMessage = "waiting for the API of ";

// True while an executor still has to do the step. "" counts as pending.
bool IsPendingStep(std::string_view status);
// True once an executor does nothing more for the step. A status that neither function accepts is
// invalid.
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
  std::string status;  // one of kStep…; any other value is kept

  // "step 3, ServiceMonitor reed": for messages; `index` counts from 0.
  std::string ToString(size_t index) const;
  bool operator==(const PlanStep&) const = default;
};

// An entry of status.bundleLookups: the properties that the catalog names for a bundle.
struct BundleLookup {
  std::string identifier;  // the ClusterServiceVersion's name
  std::string properties;  // as in OptionalManifests::Parse
  bool pending = false;    // the bundle is not unpacked yet, so its steps are not in the plan
  bool operator==(const BundleLookup&) const = default;
};

struct InstallPlan {
  // Limits of what is read; a plan beyond them is refused.
  static constexpr size_t kMaxSteps = 10'000;

  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  bool deleting = false;
  bool approved = false;  // only spec.approved: OLM sets it if the approval is Automatic
  std::vector<std::string> csv_names;  // spec.clusterServiceVersionNames
  std::string phase;                   // "" = new
  std::string message;
  std::optional<absl::Time> start_time;  // status.startTime
  std::vector<PlanStep> steps;           // in the plan's own order, complete
  std::vector<BundleLookup> lookups;

  // True if the plan is terminal: an executor does nothing more for it.
  bool ended() const { return phase == kPlanComplete || phase == kPlanFailed; }
  // True if no step has a status but Unknown, so no object of the plan has been written yet.
  bool untouched() const;
  // True if the last pass over the plan met no error: there was none yet, or it waits for APIs.
  bool smooth() const { return untouched() || message.starts_with(kWaitingForApiMessage); }
};

// kInvalidArgument with one sentence that names the field: no name or uid, a field of a wrong type
// that the executor reads, a null entry in status.plan, more than kMaxSteps.
absl::StatusOr<InstallPlan> ReadInstallPlan(const boost::json::object& object);

// An executor's conclusions, to be written into a plan's status.
struct PlanProgress {
  std::string phase;
  std::string message;
  std::optional<absl::Time> start_time;  // nullopt: stays
  bool anew = false;                     // removes the start time, because the plan begins again
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

// Writes `progress` into the status of `object`, from which `plan` was read. Keeps the order of
// steps and all other fields (R-002-24), and never sets `optional` to false (R-002-21). Returns
// false if the status says the same already. `now` is the time of the condition's change.
bool SetProgress(const InstallPlan& plan, const PlanProgress& progress, absl::Time now,
                 boost::json::object& object);

}  // namespace steward::olm

#endif  // OLM_PLAN_INSTALL_PLAN_H_
