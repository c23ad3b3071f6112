#include "apiserver/upstream/linked_previews.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "kube/meta/status.h"
#include "olm/preview/preview_message.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"
#include "proto/steward/plan/v1/plan.pb.h"
#include "proto/steward/plan/v1/preview.pb.h"

namespace steward::upstream {
namespace {

constexpr int kRetrySeconds = 60;
constexpr int32_t kMaxSteps = 1000;
// Limits the pages that are read, since a page may have few changes or even none.
constexpr int kMaxPages = 20;

constexpr char kOfPlan[] = "/steward.plan.v1.PlanService/Preview";
constexpr char kOfUninstall[] = "/steward.cleanup.v1.CleanupService/Preview";
constexpr char kOfCopies[] = "/steward.copiedcsv.v1.CopiedCSVService/Preview";

template <typename Response, typename Request>
Task<Response> Ask(const LinkedPreviews::Link& link, std::string method, Asker asker,
                   Request request) {
  if (link.channel == nullptr) {
    co_return kube::ToStatus(kube::ServiceUnavailable(link.absence, kRetrySeconds));
  }
  co_return co_await link.channel->Call<Request, Response>(std::move(method), std::move(asker),
                                                           std::move(request));
}

Task<olm::PlanPreview> AskPlans(const LinkedPreviews::Link& link, Asker asker,
                                plan::v1::PreviewRequest request) {
  CO_ASSIGN_OR_RETURN(plan::v1::PreviewResponse response,
                      (co_await Ask<plan::v1::PreviewResponse>(link, kOfPlan, std::move(asker),
                                                               std::move(request))));
  co_return olm::ReadPreview(std::move(response));
}

// Reads the preview in an answer of another service. Controllers of an older version send none.
template <typename Response>
absl::StatusOr<olm::PlanPreview> PreviewIn(Response response) {
  if (!response.has_preview()) {
    return kube::ToStatus(kube::ServiceUnavailable(
        "the controllers are of another version, which does not answer this question",
        kRetrySeconds));
  }
  return olm::ReadPreview(std::move(*response.mutable_preview()));
}

}  // namespace

Task<olm::PlanPreview> LinkedPreviews::OfPlan(Asker asker, kube::NamespacedName plan) {
  plan::v1::PreviewRequest request;
  request.set_namespace_(std::move(plan.ns));
  request.set_install_plan(std::move(plan.name));
  return AskPlans(links_.plans, std::move(asker), std::move(request));
}

Task<olm::PlanPreview> LinkedPreviews::OfBundle(Asker asker, std::string ns,
                                                PreviewedBundle bundle) {
  plan::v1::PreviewRequest request;
  request.set_namespace_(std::move(ns));
  plan::v1::Bundle& asked = *request.mutable_bundle();
  for (std::string& manifest : bundle.manifests) asked.add_manifests(std::move(manifest));
  asked.set_properties(std::move(bundle.properties));
  return AskPlans(links_.plans, std::move(asker), std::move(request));
}

Task<olm::PlanPreview> LinkedPreviews::OfUninstall(Asker asker, kube::NamespacedName csv,
                                                   std::optional<bool> cleanup) {
  cleanup::v1::PreviewRequest request;
  request.set_namespace_(csv.ns);
  request.set_name(csv.name);
  request.set_max_operands(kMaxSteps);
  if (cleanup.has_value()) {
    request.set_opt_in(*cleanup ? cleanup::v1::OPT_IN_GIVEN : cleanup::v1::OPT_IN_WITHDRAWN);
  }
  CO_ASSIGN_OR_RETURN(cleanup::v1::PreviewResponse response,
                      (co_await Ask<cleanup::v1::PreviewResponse>(
                          links_.cleanup, kOfUninstall, std::move(asker), std::move(request))));
  co_return PreviewIn(std::move(response));
}

Task<olm::PlanPreview> LinkedPreviews::OfCopies(Asker asker, bool enabled) {
  olm::PlanPreview preview;
  std::string token;
  for (int page = 0; page < kMaxPages; ++page) {
    copiedcsv::v1::PreviewRequest request;
    request.set_choice(enabled ? copiedcsv::v1::CHOICE_ON : copiedcsv::v1::CHOICE_OFF);
    request.set_page_size(kMaxSteps - static_cast<int32_t>(preview.steps.size()));
    request.set_page_token(token);
    request.set_try_changes(true);
    CO_ASSIGN_OR_RETURN(copiedcsv::v1::PreviewResponse response,
                        (co_await Ask<copiedcsv::v1::PreviewResponse>(links_.copies, kOfCopies,
                                                                      asker, std::move(request))));
    token = response.next_page_token();
    CO_ASSIGN_OR_RETURN(olm::PlanPreview part, PreviewIn(std::move(response)));
    preview.Append(std::move(part));
    if (token.empty() || preview.steps.size() >= static_cast<size_t>(kMaxSteps)) break;
  }
  co_return preview;
}

}  // namespace steward::upstream
