#include "controllers/preview/live_plan_previewer.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/race.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/one_line.h"
#include "base/text/str_cat.h"
#include "bundle/requirements.h"
#include "controllers/install_plan/plan_identity.h"
#include "controllers/preview/discovered_apis.h"
#include "controllers/preview/step_verdict.h"
#include "kube/client/impersonation.h"
#include "kube/meta/errors.h"
#include "kube/meta/object_kind.h"
#include "kube/meta/status.h"
#include "olm/plan/bundle.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"
#include "olm/preview/plan_facts.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::Basis;
using olm::Outcome;

// The reasons of a bundle's condition: it can be installed, or its installation is refused.
constexpr std::string_view kInstallable = "Installable";
constexpr std::string_view kRequirementsUnmet = "RequirementsUnmet";
constexpr std::string_view kRequirementsUnknown = "RequirementsUnknown";
// The limit, in bytes, of all sentences about unmet requirements together.
constexpr size_t kMaxUnmet = 4096;
constexpr int kRetryAfterSeconds = 5;

absl::Status BadRequest(const absl::Status& why) {
  return kube::ToStatus(kube::BadRequest(ToStd(why.message())));
}

// Returns the error with a Kubernetes Status, adding one if it has none.
absl::Status Answered(const absl::Status& error) {
  return kube::IsAnswer(error) ? error : kube::ToStatus(kube::FromStatus(error));
}

// Removes messages of rules that name the step that makes the plan invalid. Only the condition may
// name it.
void HideOthers(olm::PlanPreview& preview) {
  for (olm::PreviewStep& step : preview.steps) {
    if (step.reason != olm::kInvalidPlan) continue;
    step.message = kPlanRefused;
  }
}

// Says in the preview that the executor does nothing until `what` is resolved.
void Wait(const std::string& what, olm::PlanPreview& preview) {
  preview.condition = {false, std::string(olm::kInstallCheckFailed), what};
  for (olm::PreviewStep& step : preview.steps) {
    if (olm::HasStepEnded(step.status)) continue;
    SetOutcome(step, Outcome::kBlocked, Basis::kRule, olm::kInstallCheckFailed, what);
  }
}

absl::StatusOr<json::array> PropertiesOf(const BundleContent& bundle) {
  if (bundle.properties.empty()) return json::array();
  ASSIGN_OR_RETURN(json::value properties, ParseJson(bundle.properties));
  if (!properties.is_array()) {
    return absl::InvalidArgumentError("the properties are no JSON array");
  }
  return std::move(properties.get_array());
}

// Returns the manifests that the bundle and its ClusterServiceVersion declare optional.
absl::StatusOr<olm::OptionalManifests> DeclaredIn(const BundleContent& bundle,
                                                  const json::array& properties) {
  olm::OptionalManifests declared;
  RETURN_IF_ERROR(declared.AddProperties(properties));
  for (const json::object& manifest : bundle.manifests) {
    if (olm::StepKindOf(kube::KindOf(manifest)) != olm::StepKind::kCsv) continue;
    const json::object* metadata = ObjectAt(manifest, "metadata");
    const json::object* annotations =
        metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
    if (annotations == nullptr) continue;
    RETURN_IF_ERROR(declared.AddText(StringAt(*annotations, olm::kPropertiesAnnotation)));
  }
  return declared;
}

// Returns the InstallPlan that the bundle would have.
absl::StatusOr<olm::InstallPlan> PlanOf(const BundleContent& bundle,
                                        const json::array& properties) {
  ASSIGN_OR_RETURN(const olm::OptionalManifests declared, DeclaredIn(bundle, properties));
  olm::InstallPlan plan;
  ASSIGN_OR_RETURN(plan.steps, olm::StepsOf(bundle.manifests, declared, bundle.ns));
  if (plan.steps.size() > olm::InstallPlan::kMaxSteps) {
    return absl::InvalidArgumentError(
        StrCat("the bundle makes more than ", olm::InstallPlan::kMaxSteps, " steps"));
  }
  plan.csv_names = {plan.steps.front().resolving};
  plan.key = {bundle.ns, plan.csv_names.front()};
  plan.approved = true;
  return plan;
}

// Returns the refusal of an installation as a condition; nullopt: it is not refused.
std::optional<olm::PlanCondition> Refusal(const absl::StatusOr<std::vector<std::string>>& unmet) {
  if (!unmet.ok()) {
    return olm::PlanCondition{
        false, std::string(kRequirementsUnknown),
        OneLine(StrCat("what the bundle needs could not be found out: ", unmet.status().message()),
                kMaxPreviewMessage)};
  }
  if (unmet->empty()) return std::nullopt;
  std::string message;
  for (const std::string& each : *unmet) {
    StrAppend(&message, message.empty() ? "" : "; ", OneLine(each, kMaxPreviewMessage));
  }
  return olm::PlanCondition{false, std::string(kRequirementsUnmet), OneLine(message, kMaxUnmet)};
}

VoidTask FindUnmet(kube::Client& client, Clock& clock, const bundle::Candidate& candidate,
                   absl::StatusOr<std::vector<std::string>>& unmet) {
  unmet = co_await bundle::UnmetRequirements(client, clock, candidate);
}

void AddResources(const olm::InstallPlan& plan, const DiscoveredApis& apis, LivePreview& preview) {
  for (const olm::PlanStep& step : plan.steps) {
    preview.resources.push_back(apis.ResourceOf(step.gvk));
  }
}

bool MayNotImpersonate(const olm::PlanPreview& preview) {
  for (const olm::PreviewStep& step : preview.steps) {
    if (step.code == 403 && step.message.find("cannot impersonate") != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

LivePlanPreviewer::LivePlanPreviewer(kube::DryRunClient own,
                                     std::optional<kube::DryRunClient> requesters, Clock& clock,
                                     const LivePreviewOptions& options)
    : own_(std::move(own)),
      requesters_(std::move(requesters)),
      clock_(clock),
      options_(options),
      mapper_(own_, clock) {}

Task<LivePreview> LivePlanPreviewer::PreviewPlan(kube::NamespacedName plan, StepPace pace) {
  absl::StatusOr<LivePreview> preview = co_await Plan(std::move(plan), std::move(pace));
  if (!preview.ok()) co_return Answered(preview.status());
  co_return preview;
}

Task<LivePreview> LivePlanPreviewer::PreviewBundle(BundleContent bundle, kube::UserInfo requester,
                                                   StepPace pace) {
  absl::StatusOr<LivePreview> preview =
      co_await Bundle(std::move(bundle), std::move(requester), std::move(pace));
  if (!preview.ok()) co_return Answered(preview.status());
  co_return preview;
}

Task<LivePreview> LivePlanPreviewer::Plan(kube::NamespacedName name, StepPace pace) {
  CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await own_.Get(olm::kInstallPlans, name));
  CO_ASSIGN_OR_RETURN(olm::PlanFactsPtr facts, olm::DecodePlan(raw.json));
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw.json));
  const absl::StatusOr<olm::InstallPlan> plan = olm::ReadInstallPlan(object.as_object());
  LivePreview live;
  if (!plan.ok() || facts->steps.size() != plan->steps.size()) {
    // The plan cannot be parsed, so the rules alone make the preview and tell the reason.
    const DiscoveredApis none;
    live.preview = olm::PreviewOf(none.OutlookOf(facts), options_.optional_manifests);
    HideOthers(live.preview);
    live.resources.resize(live.preview.steps.size(), kube::GroupVersionResource{"*", "*", "*"});
    co_return live;
  }
  DiscoveredApis apis;
  co_await apis.Find(mapper_, *plan);
  live.preview = olm::PreviewOf(apis.OutlookOf(facts), options_.optional_manifests);
  HideOthers(live.preview);
  AddResources(*plan, apis, live);
  const olm::PlanCondition& condition = live.preview.condition;
  if (!condition.executable && condition.reason != olm::kNotApproved) co_return live;
  CO_ASSIGN_OR_RETURN(const PlanIdentity identity, co_await IdentityOf(own_, *plan));
  if (!identity.waits.empty()) {
    Wait(identity.waits, live.preview);
    co_return live;
  }
  std::optional<kube::DryRunClient> scoped;
  if (identity.account) scoped.emplace(own_.ActingAs(*identity.account));
  PlanDryRun dry_run({.own = own_,
                      .steps = scoped ? *scoped : own_,
                      .mapper = mapper_,
                      .apis = apis,
                      .clock = clock_,
                      .optional_manifests = options_.optional_manifests,
                      .scoped = scoped.has_value(),
                      .limits = options_.limits,
                      .pace = std::move(pace)},
                     *plan, live.preview.steps);
  std::optional<olm::PlanCondition> refusal;
  CO_RETURN_IF_ERROR(co_await dry_run.Run(&refusal));
  if (refusal) live.preview.condition = *std::move(refusal);
  co_return live;
}

Task<LivePreview> LivePlanPreviewer::Bundle(BundleContent bundle, kube::UserInfo requester,
                                            StepPace pace) {
  if (!requesters_) {
    co_return kube::ToStatus(kube::ServiceUnavailable(
        "previews of bundles are off: --bundle-preview-token-file", kRetryAfterSeconds));
  }
  const absl::Status acting =
      options_.impersonates ? kube::CheckActingUser(requester) : absl::OkStatus();
  if (!acting.ok()) {
    kube::Status forbidden;
    forbidden.code = 403;
    forbidden.reason = "Forbidden";
    forbidden.message = StrCat("the bundle cannot be previewed as this user: ", acting.message());
    co_return kube::ToStatus(forbidden);
  }
  absl::StatusOr<json::array> properties = PropertiesOf(bundle);
  if (!properties.ok()) co_return BadRequest(properties.status());
  const absl::StatusOr<olm::InstallPlan> plan = PlanOf(bundle, *properties);
  if (!plan.ok()) co_return BadRequest(plan.status());
  std::optional<kube::DryRunClient> acting_client;
  if (options_.impersonates) acting_client.emplace(requesters_->ActingAs(requester));
  kube::DryRunClient& client = acting_client ? *acting_client : *requesters_;
  kube::RestMapper mapper(client, clock_);
  DiscoveredApis apis;
  co_await apis.Find(mapper, *plan);
  LivePreview live;
  live.preview.condition = {true, std::string(kInstallable), ""};
  live.preview.steps = apis.StepsOf(*plan);
  AddResources(*plan, apis, live);
  CO_ASSIGN_OR_RETURN(const PlanIdentity identity, co_await IdentityOf(own_, *plan));
  if (!identity.waits.empty()) {
    Wait(identity.waits, live.preview);
    co_return live;
  }
  PlanDryRun dry_run({.own = client,
                      .steps = client,
                      .mapper = mapper,
                      .apis = apis,
                      .clock = clock_,
                      .optional_manifests = options_.optional_manifests,
                      .reads_as_requester = true,
                      .limits = options_.limits,
                      .pace = std::move(pace)},
                     *plan, live.preview.steps);
  std::optional<olm::PlanCondition> refusal;
  CO_RETURN_IF_ERROR(co_await dry_run.Run(&refusal));
  if (MayNotImpersonate(live.preview)) {
    co_return kube::ToStatus(kube::ServiceUnavailable(
        "the controllers may not impersonate whoever asks for previews of bundles",
        kRetryAfterSeconds));
  }
  if (!refusal) {
    const bundle::Candidate candidate = {bundle.ns, bundle.manifests, *std::move(properties)};
    absl::StatusOr<std::vector<std::string>> unmet =
        absl::DeadlineExceededError("it took too long");
    co_await UntilOneEnds(FindUnmet(client, clock_, candidate, unmet),
                          clock_.Sleep(options_.limits.time));
    refusal = Refusal(unmet);
  }
  if (refusal) live.preview.condition = *std::move(refusal);
  co_return live;
}

}  // namespace steward::controllers
