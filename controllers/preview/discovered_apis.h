// Discovers the APIs of the kinds of a plan's steps. Lives on one executor.
#ifndef CONTROLLERS_PREVIEW_DISCOVERED_APIS_H_
#define CONTROLLERS_PREVIEW_DISCOVERED_APIS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "olm/plan/install_plan.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/plan_outlook.h"
#include "olm/preview/preview.h"

namespace steward::controllers {

class DiscoveredApis {
 public:
  // The most kinds that are discovered. For further kinds, Of returns kResourceExhausted.
  static constexpr size_t kMaxKinds = 100;
  // Nullopt: discovery says that the server does not serve the kind.
  using Answer = absl::StatusOr<std::optional<kube::RestMapping>>;

  // Discovers the kinds of all steps, except those that every cluster has. REQUIRES: the arguments
  // outlive the call.
  VoidTask Find(kube::RestMapper& mapper, const olm::InstallPlan& plan);

  // Returns what discovery said of the kind. REQUIRES: a step of the plan has the kind.
  const Answer& Of(const kube::GroupVersionKind& gvk) const { return found_.at(gvk); }
  // Returns the resource of the kind; "*" if discovery has not answered. Nullopt: the kind is not
  // served.
  std::optional<kube::GroupVersionResource> ResourceOf(const kube::GroupVersionKind& gvk) const;
  // Returns preview steps for the plan given to Find, without any conclusion.
  std::vector<olm::PreviewStep> StepsOf(const olm::InstallPlan& plan) const;
  // Returns the input for the rules of a preview, with the discovered APIs.
  olm::PlanOutlook OutlookOf(const olm::PlanFactsPtr& plan) const;

 private:
  std::map<kube::GroupVersionKind, Answer> found_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_DISCOVERED_APIS_H_
