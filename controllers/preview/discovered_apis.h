// The APIs of the kinds of a plan's steps, as discovery tells. Lives on one executor.
#ifndef CONTROLLERS_PREVIEW_FOUND_APIS_H_
#define CONTROLLERS_PREVIEW_FOUND_APIS_H_

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
  // Kinds that are asked for. Of what lies beyond, Of is kResourceExhausted.
  static constexpr size_t kMaxKinds = 100;
  // Nullopt: the server says now that it does not serve the kind.
  using Answer = absl::StatusOr<std::optional<kube::RestMapping>>;

  // Asks for the kinds of each step, but for those that every cluster has. REQUIRES: the arguments
  // outlive the call.
  VoidTask Find(kube::RestMapper& mapper, const olm::InstallPlan& plan);

  // REQUIRES: a step of the plan has the kind.
  const Answer& Of(const kube::GroupVersionKind& gvk) const { return found_.at(gvk); }
  // The resource, which is "*" where discovery has not answered; nullopt: none is served.
  std::optional<kube::GroupVersionResource> ResourceOf(const kube::GroupVersionKind& gvk) const;
  // The steps of the plan that was asked for, of which nothing is concluded.
  std::vector<olm::PreviewStep> StepsOf(const olm::InstallPlan& plan) const;
  // What the rules of a preview know of the steps, with what was found.
  olm::PlanOutlook OutlookOf(const olm::PlanFactsPtr& plan) const;

 private:
  std::map<kube::GroupVersionKind, Answer> found_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_FOUND_APIS_H_
