#include "olm/preview/plan_outlook.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "base/text/one_line.h"
#include "base/text/str_cat.h"
#include "olm/plan/execution_order.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/step_kind.h"

namespace steward::olm {
namespace {

// A kind of StepKind::kOther that every cluster has.
struct BuiltIn {
  std::string_view group;
  std::string_view kind;
  bool namespaced;
};
constexpr std::array<BuiltIn, 3> kBuiltIns = {{
    {"networking.k8s.io", "NetworkPolicy", true},
    {"policy", "PodDisruptionBudget", true},
    {"scheduling.k8s.io", "PriorityClass", false},
}};

// The limit of a message, which may quote texts of others and may be repeated in every step.
constexpr size_t kMaxMessage = 500;  // bytes
constexpr size_t kMaxName = 400;     // the limit of a step's name

bool Has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

StepApi Scoped(bool namespaced) {
  return namespaced ? StepApi::kNamespaced : StepApi::kClusterScoped;
}

std::string KindText(const kube::GroupVersionKind& gvk) {
  return StrCat(gvk.kind, " in ", gvk.ApiVersion());
}

// Returns the state of a kind's API if a step of the same plan adds it; nullopt: none does.
std::optional<StepApi> BroughtApi(const PlanFacts& plan, const kube::GroupVersionKind& gvk) {
  bool maybe = false;
  for (const PlanFacts::Brought& brought : plan.brought) {
    if (brought.group != gvk.group) continue;
    if (brought.kind == gvk.kind && Has(brought.versions, gvk.version)) {
      return Scoped(brought.namespaced);
    }
    maybe = maybe || brought.kind.empty();
  }
  if (maybe) return StepApi::kUnknown;
  return std::nullopt;
}

// Makes the preview of one plan.
class Previewer {
 public:
  Previewer(const PlanOutlook& outlook, bool gate)
      : plan_(*outlook.plan), apis_(outlook.apis), group_(outlook.group), gate_(gate) {
    for (const PlanFacts::Step& step : plan_.steps) kinds_.push_back(StepKindOf(step.gvk()));
  }

  PlanPreview Run() {
    preview_.condition = Condition();
    for (size_t i = 0; i < plan_.steps.size(); ++i) preview_.steps.push_back(Identity(i));
    for (const size_t i : ExecutionOrder(kinds_)) Conclude(i);
    return std::move(preview_);
  }

 private:
  PlanCondition Condition() const {
    const auto no = [](std::string_view reason, std::string_view message) {
      return PlanCondition{false, std::string(reason), OneLine(message, kMaxMessage)};
    };
    if (plan_.deleting) return no(kPlanIsDeleted, "the InstallPlan is being deleted");
    if (plan_.phase == kPlanComplete) return no(kPlanIsComplete, "the InstallPlan is complete");
    if (plan_.phase == kPlanFailed) return no(kPlanHasFailed, "the InstallPlan has failed");
    if (const std::string why = Invalid(); !why.empty()) return no(kInvalidPlan, why);
    if (plan_.steps.empty()) {
      return plan_.unpacking
                 ? no(kNotUnpacked, "bundles are still to be unpacked: the steps follow")
                 : no(kNoSteps, "the InstallPlan has no steps");
    }
    if (!group_.waits.empty()) return no(kInstallCheckFailed, group_.waits);
    if (plan_.unpacking) {
      return no(kInstallCheckFailed, "a bundle is not unpacked: its steps are missing");
    }
    if (!plan_.approved) {
      return no(kNotApproved, "spec.approved is false: nothing is done until it is true");
    }
    return {true, std::string(kApproved), ""};
  }

  // Returns why an executor would refuse the plan as a whole; "" = it would not. The checks are in
  // the executor's order.
  std::string Invalid() const {
    if (!plan_.fault.empty()) return plan_.fault;
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanFacts::Step& step = plan_.steps[i];
      const bool pending = IsPendingStep(step.status);
      if (pending && kinds_[i] == StepKind::kUnsupported) {
        return StrCat(step.ToString(i), ": a plan does not install objects of the kind ",
                      KindText(step.gvk()));
      }
      if (!pending && !HasStepEnded(step.status)) {
        return StrCat(step.ToString(i), ": the status ", step.status, " is none of a step");
      }
    }
    if (plan_.fault_step != PlanFacts::kNoStep) {
      return StrCat(plan_.steps[plan_.fault_step].ToString(plan_.fault_step), ": ",
                    plan_.step_fault);
    }
    return gate_ ? plan_.properties_fault : "";
  }

  PreviewStep Identity(size_t index) const {
    const PlanFacts::Step& step = plan_.steps[index];
    PreviewStep preview;
    preview.index = index;
    preview.resolving = step.resolving;
    preview.gvk = ObjectKind(step.gvk());
    if (IsNamespaced(index)) preview.ns = plan_.key.ns;
    preview.name = step.name;
    preview.declared_optional = step.declared_optional;
    preview.optional = gate_ && step.declared_optional && kinds_[index] == StepKind::kOther;
    preview.status = step.status;
    return preview;
  }

  bool IsNamespaced(size_t index) const {
    const auto resource = BuiltInResource(plan_.steps[index].gvk());
    return resource ? resource->namespaced : apis_[index] == StepApi::kNamespaced;
  }

  void Conclude(size_t index) {
    PreviewStep& step = preview_.steps[index];
    const auto say = [&step](Outcome outcome, std::string_view reason,
                             std::string_view message = "") {
      step.outcome = outcome;
      step.reason = reason;
      step.message = OneLine(message, kMaxMessage);
    };
    const PlanCondition& condition = preview_.condition;
    if (step.status == kStepNotCreated) return say(Outcome::kNotCreated, kStepWasNotCreated);
    if (HasStepEnded(step.status)) return say(Outcome::kUnchanged, kStepIsDone);
    const bool supported = kinds_[index] != StepKind::kUnsupported;
    if (!supported || step.status == kStepUnsupported) {
      return say(Outcome::kBlocked, kUnsupportedKind,
                 StrCat("a plan does not install objects of the kind ", KindText(step.gvk)));
    }
    if (index == plan_.fault_step) {
      return say(Outcome::kBlocked, kInvalidManifest, plan_.step_fault);
    }
    if (!condition.executable && condition.reason != kNotApproved) {
      return say(Outcome::kBlocked, condition.reason, condition.message);
    }
    if (!failing_.empty()) {
      return say(Outcome::kBlocked, kEarlierStepFails, StrCat(failing_, " fails first"));
    }
    if (step.status == kStepWaitingForApi) return say(Outcome::kUnchanged, kWaitsForApi);
    switch (apis_[index]) {
      case StepApi::kNamespaced:
      case StepApi::kClusterScoped:
        if (!group_.account.empty()) {
          return say(Outcome::kUnknown, kAccountUnknown,
                     "whether the OperatorGroup's service account is there, and what it may do, is "
                     "only seen when the step is done");
        }
        return say(Outcome::kCreate, kCreatedOrUpdated);
      case StepApi::kDefinitionIsThere:
        return say(
            Outcome::kUnknown, kDefinitionIsThere,
            "whether the definition that is there may be replaced, and what would change, is "
            "only seen when the step is done");
      case StepApi::kUnknown:
        return say(Outcome::kUnknown, kApiUnknown,
                   StrCat("whether the API server serves ", KindText(step.gvk),
                          " is only seen when the step is done"));
      case StepApi::kAbsent:
        break;
    }
    if (!step.optional) failing_ = OneLine(plan_.steps[index].ToString(index), kMaxName);
    say(step.optional ? Outcome::kNotCreated : Outcome::kFail, kApiAbsent,
        StrCat("the API server does not serve ", KindText(step.gvk)));
  }

  const PlanFacts& plan_;
  const std::vector<StepApi>& apis_;
  const GroupChoice& group_;
  const bool gate_;
  std::vector<StepKind> kinds_;
  std::string failing_;  // the first step that would fail; "" = none
  PlanPreview preview_;
};

}  // namespace

void ServedKinds::Add(const DefinitionFacts& definition) {
  names_.insert(definition.name);
  if (StepKindOf({definition.group, "", definition.kind}) != StepKind::kOther) return;
  definitions_.emplace(GroupKind(definition.group, definition.kind), &definition);
}

StepApi ServedKinds::Find(const kube::GroupVersionKind& gvk) const {
  if (const auto resource = BuiltInResource(gvk)) return Scoped(resource->namespaced);
  for (const BuiltIn& each : kBuiltIns) {
    if (each.group != gvk.group || each.kind != gvk.kind) continue;
    return gvk.version == "v1" ? Scoped(each.namespaced) : StepApi::kUnknown;
  }
  const auto [begin, end] = definitions_.equal_range({gvk.group, gvk.kind});
  for (auto it = begin; it != end; ++it) {
    if (Has(it->second->served, gvk.version)) return Scoped(it->second->namespaced);
  }
  return StepApi::kAbsent;
}

PlanOutlook PlanOutlook::Of(PlanFactsPtr plan, const ServedKinds& served, GroupChoice group) {
  PlanOutlook outlook{std::move(plan), {}, std::move(group)};
  outlook.apis.reserve(outlook.plan->steps.size());
  for (const PlanFacts::Step& step : outlook.plan->steps) {
    const kube::GroupVersionKind gvk = step.gvk();
    StepApi api = served.Find(gvk);
    if (api == StepApi::kAbsent) api = BroughtApi(*outlook.plan, gvk).value_or(api);
    if (StepKindOf(gvk) == StepKind::kDefinition && served.HasDefinition(step.name)) {
      api = StepApi::kDefinitionIsThere;
    }
    outlook.apis.push_back(api);
  }
  return outlook;
}

PlanPreview PreviewOf(const PlanOutlook& outlook, bool optional_manifests) {
  return Previewer(outlook, optional_manifests).Run();
}

}  // namespace steward::olm
