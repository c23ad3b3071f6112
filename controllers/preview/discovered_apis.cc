#include "controllers/preview/discovered_apis.h"

#include <list>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/in_flight.h"
#include "base/text/str_cat.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {
namespace {

constexpr size_t kWidth = 8;

VoidTask Ask(kube::RestMapper& mapper, const kube::GroupVersionKind& gvk,
             DiscoveredApis::Answer& into) {
  DiscoveredApis::Answer answer = co_await mapper.Find(gvk);
  into = std::move(answer);
}

}  // namespace

VoidTask DiscoveredApis::Find(kube::RestMapper& mapper, const olm::InstallPlan& plan) {
  std::vector<std::pair<const kube::GroupVersionKind*, Answer*>> asked;
  for (const olm::PlanStep& step : plan.steps) {
    if (found_.contains(step.gvk)) continue;
    if (const auto built_in = olm::BuiltInResource(step.gvk)) {
      found_.emplace(step.gvk, kube::RestMapping{built_in->gvr, built_in->namespaced});
      continue;
    }
    const auto entry =
        found_
            .emplace(step.gvk, absl::ResourceExhaustedError(
                                   StrCat("more than ", kMaxKinds,
                                          " kinds of objects in one plan are not previewed")))
            .first;
    if (asked.size() < kMaxKinds) asked.emplace_back(&entry->first, &entry->second);
  }
  if (asked.empty()) co_return;
  const auto ask = [&mapper, &asked](size_t number) {
    return Ask(mapper, *asked[number].first, *asked[number].second);
  };
  co_await ForEachInFlight(asked.size(), kWidth, ask);
}

std::optional<kube::GroupVersionResource> DiscoveredApis::ResourceOf(
    const kube::GroupVersionKind& gvk) const {
  const Answer& answer = Of(gvk);
  if (!answer.ok()) return kube::GroupVersionResource{gvk.group, gvk.version, "*"};
  if (!*answer) return std::nullopt;
  return (*answer)->gvr;
}

std::vector<olm::PreviewStep> DiscoveredApis::StepsOf(const olm::InstallPlan& plan) const {
  std::vector<olm::PreviewStep> steps(plan.steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const olm::PlanStep& planned = plan.steps[i];
    const Answer& api = Of(planned.gvk);
    steps[i].index = i;
    steps[i].resolving = planned.resolving;
    steps[i].gvk = olm::ObjectKind(planned.gvk);
    if (api.ok() && *api && (*api)->namespaced) steps[i].ns = plan.key.ns;
    steps[i].name = planned.name;
    steps[i].declared_optional = planned.optional;
    steps[i].status = planned.status;
  }
  return steps;
}

olm::PlanOutlook DiscoveredApis::OutlookOf(const olm::PlanFactsPtr& plan) const {
  std::list<olm::DefinitionFacts> definitions;
  olm::ServedKinds served;
  for (const auto& [gvk, answer] : found_) {
    if (!answer.ok() || !*answer) continue;
    definitions.push_back({.name = "",
                           .group = gvk.group,
                           .kind = gvk.kind,
                           .namespaced = (*answer)->namespaced,
                           .served = {gvk.version}});
    served.Add(definitions.back());
  }
  olm::PlanOutlook outlook = olm::PlanOutlook::Of(plan, served);
  for (size_t i = 0; i < outlook.apis.size(); ++i) {
    if (outlook.apis[i] != olm::StepApi::kAbsent) continue;
    const auto found = found_.find(plan->steps[i].gvk());
    if (found != found_.end() && !found->second.ok()) outlook.apis[i] = olm::StepApi::kUnknown;
  }
  return outlook;
}

}  // namespace steward::controllers
