#include "controllers/rpc/plan/plan_calls.h"

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "controllers/rpc/plan/messages.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "olm/plan/install_plan.h"
#include "olm/preview/preview.h"
#include "olm/resources.h"

namespace steward::rpc {
namespace {

const kube::GroupVersionResource kPlanPreviews = {"views.operators.coreos.com", "v1alpha1",
                                                  "planpreviews"};

// The message for users who may not list the objects that block the installation.
constexpr std::string_view kNoUsableGroup =
    "the namespace has no OperatorGroup that can be used: whoever may list operatorgroups and "
    "serviceaccounts there is told why";

MethodTarget PreviewsIn(std::string_view verb, const std::string& ns, const std::string& name) {
  return {{std::string(verb), kPlanPreviews, "", ns, name}, ""};
}

absl::Status CheckBundle(const plan::v1::Bundle& bundle) {
  if (static_cast<size_t>(bundle.manifests_size()) > olm::kMaxBundleManifests) {
    return BadRequest(StrCat("bundle.manifests: must be at most ", olm::kMaxBundleManifests));
  }
  size_t bytes = bundle.properties().size();
  for (const std::string& manifest : bundle.manifests()) bytes += manifest.size();
  if (bytes <= olm::kMaxBundleBytes) return absl::OkStatus();
  return BadRequest(StrCat("bundle: must have at most ", olm::kMaxBundleBytes, " bytes"));
}

absl::StatusOr<controllers::BundleContent> ReadBundle(const plan::v1::PreviewRequest& request) {
  controllers::BundleContent content;
  content.ns = request.namespace_();
  content.properties = request.bundle().properties();
  content.manifests.reserve(static_cast<size_t>(request.bundle().manifests_size()));
  for (const std::string& manifest : request.bundle().manifests()) {
    const size_t index = content.manifests.size();
    absl::StatusOr<boost::json::value> object = ParseJson(manifest);
    if (!object.ok()) {
      return BadRequest(
          StrCat("bundle.manifests[", index, "]: ", ToStd(object.status().message())));
    }
    if (!object->is_object()) {
      return BadRequest(StrCat("bundle.manifests[", index, "]: must be a JSON object"));
    }
    content.manifests.push_back(std::move(object->get_object()));
  }
  return content;
}

// Removes the names of the namespace's OperatorGroups and accounts unless the requester may list
// them.
StatusTask ConcealInstallCheck(const MayList& may_list, std::string ns, olm::PlanPreview& preview) {
  if (preview.condition.reason != olm::kInstallCheckFailed) co_return absl::OkStatus();
  PageVisibility visibility(may_list, /*max_reviews=*/2);
  CO_ASSIGN_OR_RETURN(const bool groups, co_await visibility.Shows(olm::kOperatorGroups, ns));
  CO_ASSIGN_OR_RETURN(const bool accounts, co_await visibility.Shows(kube::kServiceAccounts, ns));
  if (groups && accounts) co_return absl::OkStatus();
  preview.condition.message = kNoUsableGroup;
  for (olm::PreviewStep& step : preview.steps) {
    if (step.reason == olm::kInstallCheckFailed) step.message = kNoUsableGroup;
  }
  co_return absl::OkStatus();
}

// Returns for each step whether its object may be shown. A step whose kind the cluster does not
// serve has no object.
Task<std::vector<bool>> ShownSteps(const controllers::LivePreview& live, const MayList& may_list,
                                   size_t max_reviews) {
  PageVisibility visibility(may_list, max_reviews);
  std::vector<bool> shown(live.preview.steps.size(), true);
  for (size_t i = 0; i < shown.size(); ++i) {
    const std::optional<kube::GroupVersionResource>& resource = live.resources[i];
    if (!resource) continue;
    const std::string& ns = live.preview.steps[i].ns;
    shown[i] = false;
    if (!visibility.CanTell(*resource, ns)) continue;
    CO_ASSIGN_OR_RETURN(const bool shows, co_await visibility.Shows(*resource, ns));
    shown[i] = shows;
  }
  co_return shown;
}

}  // namespace

namespace plan_methods {

const Method<plan::v1::GetRequest> kGet = {
    .name = "Get",
    .check =
        [](const plan::v1::GetRequest& request) {
          RETURN_IF_ERROR(CheckNamespace(request.namespace_()));
          return CheckName("name", request.name(), "an InstallPlan");
        },
    .target =
        [](const plan::v1::GetRequest& request) {
          return PreviewsIn("get", request.namespace_(), request.name());
        }};

const Method<plan::v1::ListRequest> kList = {
    .name = "List",
    .check = CheckListRequest<plan::v1::ListRequest>,
    .target =
        [](const plan::v1::ListRequest& request) {
          return PreviewsIn("list", request.namespace_(), "");
        },
};

const Method<plan::v1::WatchRequest> kWatch = {
    .name = "Watch",
    .check = CheckWatchRequest<plan::v1::WatchRequest>,
    .target =
        [](const plan::v1::WatchRequest& request) {
          return PreviewsIn("watch", request.namespace_(), "");
        },
};

const Method<plan::v1::PreviewRequest> kPreview = {
    .name = "Preview",
    .check =
        [](const plan::v1::PreviewRequest& request) {
          RETURN_IF_ERROR(CheckNamespace(request.namespace_()));
          switch (request.asked_case()) {
            case plan::v1::PreviewRequest::kInstallPlan:
              return CheckName("install_plan", request.install_plan(), "an InstallPlan");
            case plan::v1::PreviewRequest::kBundle:
              return CheckBundle(request.bundle());
            case plan::v1::PreviewRequest::ASKED_NOT_SET:
              break;
          }
          return BadRequest("install_plan or bundle: one of them must be given");
        },
    .target =
        [](const plan::v1::PreviewRequest& request) {
          return PreviewsIn("create", request.namespace_(), request.install_plan());
        }};

}  // namespace plan_methods

PlanCalls::PlanCalls(PlanCallsDeps deps, Access& access, PlanCallsOptions options)
    : deps_(std::move(deps)),
      access_(access),
      options_(options),
      plans_(deps_.clock, deps_.worlds,
             {deps_.outlooks,
              [gate = deps_.optional_manifests](const olm::PlanOutlook& outlook,
                                                plan::v1::PlanPreview& out) {
                WritePlanPreview(outlook, gate, out);
              }},
             kPlanPreviews, options.watch),
      previews_(deps_.clock, options.previews) {}

Task<plan::v1::GetResponse> PlanCalls::Get(Requester, plan::v1::GetRequest request) {
  co_return co_await plans_.Get(std::move(request), &plan::v1::GetResponse::mutable_preview);
}

Task<plan::v1::ListResponse> PlanCalls::List(Requester, plan::v1::ListRequest request) {
  co_return co_await plans_.List(std::move(request), &plan::v1::ListResponse::add_previews);
}

StatusTask PlanCalls::Watch(Requester, plan::v1::WatchRequest request, PlanSink& sink) {
  co_return co_await plans_.Watch(std::move(request), sink);
}

Task<plan::v1::PreviewResponse> PlanCalls::Preview(Requester requester,
                                                   plan::v1::PreviewRequest request) {
  if (request.has_install_plan()) {
    AccessAttributes get = {"get", olm::kInstallPlans, "", request.namespace_(),
                            request.install_plan()};
    CO_RETURN_IF_ERROR(co_await access_.Check(requester, std::move(get)));
  }
  CO_ASSIGN_OR_RETURN(const PreviewPlaces::Place place, co_await previews_.Enter(requester));
  if (request.has_install_plan()) {
    co_return co_await PreviewPlan(std::move(requester), std::move(request));
  }
  co_return co_await PreviewBundle(std::move(requester), std::move(request));
}

Task<plan::v1::PreviewResponse> PlanCalls::PreviewPlan(Requester requester,
                                                       plan::v1::PreviewRequest request) {
  kube::NamespacedName name{request.namespace_(), request.install_plan()};
  CO_ASSIGN_OR_RETURN(
      controllers::LivePreview live,
      co_await deps_.previewer.PreviewPlan(std::move(name), previews_.PaceOf(requester)));
  const MayList may_list = MayListAs(access_, std::move(requester));
  CO_RETURN_IF_ERROR(co_await ConcealInstallCheck(may_list, request.namespace_(), live.preview));
  CO_ASSIGN_OR_RETURN(const std::vector<bool> shown,
                      co_await ShownSteps(live, may_list, options_.max_reviews));
  plan::v1::PreviewResponse response;
  CO_RETURN_IF_ERROR(WriteLivePreview(live.preview, shown, response));
  co_return response;
}

// All reads and tries are done as the requester, so the answer reveals only what the requester may
// see anyway.
Task<plan::v1::PreviewResponse> PlanCalls::PreviewBundle(Requester requester,
                                                         plan::v1::PreviewRequest request) {
  CO_ASSIGN_OR_RETURN(controllers::BundleContent bundle, ReadBundle(request));
  CO_ASSIGN_OR_RETURN(controllers::LivePreview live,
                      co_await deps_.previewer.PreviewBundle(std::move(bundle), requester.user,
                                                             previews_.PaceOf(requester)));
  const MayList may_list = MayListAs(access_, std::move(requester));
  CO_RETURN_IF_ERROR(co_await ConcealInstallCheck(may_list, request.namespace_(), live.preview));
  const std::vector<bool> all(live.preview.steps.size(), true);
  plan::v1::PreviewResponse response;
  CO_RETURN_IF_ERROR(WriteLivePreview(live.preview, all, response));
  co_return response;
}

}  // namespace steward::rpc
