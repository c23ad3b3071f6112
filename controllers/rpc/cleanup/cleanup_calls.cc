#include "controllers/rpc/cleanup/cleanup_calls.h"

#include <cstddef>
#include <functional>
#include <utility>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "controllers/rpc/cleanup/messages.h"
#include "controllers/rpc/cleanup/uninstall_preview.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "olm/resources.h"

namespace steward::rpc {
namespace {

const kube::GroupVersionResource kStatuses = {"views.operators.coreos.com", "v1alpha1",
                                              "cleanupstatuses"};
// The most operands that one preview names and tries.
constexpr int kMaxOperands = 1000;

MethodTarget StatusesIn(std::string_view verb, const std::string& ns) {
  return {{std::string(verb), kStatuses, "", ns, ""}, ""};
}

template <typename Request>
MethodTarget StatusOf(const Request& request, std::string_view subresource) {
  return {{"get", kStatuses, std::string(subresource), request.namespace_(), request.name()}, ""};
}

controllers::SupposedOptIn SupposedBy(const cleanup::v1::PreviewRequest& request) {
  switch (request.opt_in()) {
    case cleanup::v1::OPT_IN_GIVEN:
      return controllers::SupposedOptIn::kGiven;
    case cleanup::v1::OPT_IN_WITHDRAWN:
      return controllers::SupposedOptIn::kWithdrawn;
    default:
      return controllers::SupposedOptIn::kAsItIs;
  }
}

template <typename Request>
absl::Status CheckOne(const Request& request) {
  RETURN_IF_ERROR(CheckNamespace(request.namespace_()));
  return CheckName("name", request.name(), "a ClusterServiceVersion");
}

}  // namespace

namespace cleanup_methods {

const Method<cleanup::v1::GetRequest> kGet = {
    .name = "Get",
    .check = CheckOne<cleanup::v1::GetRequest>,
    .target = [](const cleanup::v1::GetRequest& request) { return StatusOf(request, ""); }};

const Method<cleanup::v1::ListRequest> kList = {
    .name = "List",
    .check = CheckListRequest<cleanup::v1::ListRequest>,
    .target = [](const cleanup::v1::ListRequest& request) {
      return StatusesIn("list", request.namespace_());
    }};

const Method<cleanup::v1::WatchRequest> kWatch = {
    .name = "Watch",
    .check = CheckWatchRequest<cleanup::v1::WatchRequest>,
    .target = [](const cleanup::v1::WatchRequest& request) {
      return StatusesIn("watch", request.namespace_());
    }};

const Method<cleanup::v1::ListPendingRequest> kListPending = {
    .name = "ListPending",
    .check =
        [](const cleanup::v1::ListPendingRequest& request) {
          RETURN_IF_ERROR(CheckOne(request));
          return PageSize(request.page_size()).status();
        },
    .target =
        [](const cleanup::v1::ListPendingRequest& request) {
          return StatusOf(request, "pending");
        }};

const Method<cleanup::v1::PreviewRequest> kPreview = {
    .name = "Preview",
    .check =
        [](const cleanup::v1::PreviewRequest& request) {
          RETURN_IF_ERROR(CheckOne(request));
          if (!cleanup::v1::OptIn_IsValid(request.opt_in())) {
            return BadRequest("opt_in is none that is known");
          }
          const int asked = request.max_operands();
          if (asked < 0 || asked > kMaxOperands) {
            return BadRequest(StrCat("max_operands must be between 0 and ", kMaxOperands));
          }
          return absl::OkStatus();
        },
    .target =
        [](const cleanup::v1::PreviewRequest& request) { return StatusOf(request, "preview"); }};

const Method<cleanup::v1::AbortRequest> kAbort = {
    .name = "Abort",
    .check = CheckOne<cleanup::v1::AbortRequest>,
    .target =
        [](const cleanup::v1::AbortRequest& request) {
          return MethodTarget{{"patch", olm::kCsvs, "", request.namespace_(), request.name()},
                              request.uid()};
        },
    .answer = Access::Answer::kFresh};

}  // namespace cleanup_methods

CleanupCalls::CleanupCalls(CleanupCallsDeps deps, Access& access, CleanupCallsOptions options)
    : deps_(std::move(deps)),
      access_(access),
      options_(options),
      statuses_(deps_.clock, deps_.worlds, {deps_.outlooks, WriteStatus}, kStatuses, options.watch),
      pending_(
          deps_.clock,
          [this](kube::NamespacedName csv) { return deps_.inspector.Pending(std::move(csv)); },
          options.pending),
      previews_(deps_.clock, options.previews) {}

Task<cleanup::v1::GetResponse> CleanupCalls::Get(Requester, cleanup::v1::GetRequest request) {
  co_return co_await statuses_.Get(std::move(request), &cleanup::v1::GetResponse::mutable_status);
}

Task<cleanup::v1::ListResponse> CleanupCalls::List(Requester, cleanup::v1::ListRequest request) {
  co_return co_await statuses_.List(std::move(request), &cleanup::v1::ListResponse::add_statuses);
}

StatusTask CleanupCalls::Watch(Requester, cleanup::v1::WatchRequest request, StatusSink& sink) {
  co_return co_await statuses_.Watch(std::move(request), sink);
}

Task<cleanup::v1::ListPendingResponse> CleanupCalls::ListPending(
    Requester requester, cleanup::v1::ListPendingRequest request) {
  CO_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size()));
  const MayList may_list = MayListAs(access_, std::move(requester));
  co_return co_await pending_.Page(std::move(request), size, may_list);
}

Task<cleanup::v1::PreviewResponse> CleanupCalls::Preview(Requester requester,
                                                         cleanup::v1::PreviewRequest request) {
  CO_ASSIGN_OR_RETURN(const PreviewPlaces::Place place, co_await previews_.Enter(requester));
  const kube::NamespacedName csv{request.namespace_(), request.name()};
  const size_t max = request.max_operands();
  CO_ASSIGN_OR_RETURN(const controllers::CleanupPreview preview,
                      co_await deps_.inspector.Preview(csv, SupposedBy(request), max));
  cleanup::v1::PreviewResponse response;
  WritePreview(request.namespace_(), preview, response);
  AccessAttributes deletion{"delete", olm::kCsvs, "", request.namespace_(), request.name()};
  CO_ASSIGN_OR_RETURN(const bool may_delete,
                      co_await access_.Allows(requester, std::move(deletion)));
  response.set_requester_may_delete(may_delete);
  const std::function<VoidTask()> pace = previews_.PaceOf(requester);
  const MayList may_list = MayListAs(access_, std::move(requester));
  CO_RETURN_IF_ERROR(
      co_await WriteUninstall(deps_.inspector, csv, preview, max, may_list, pace, response));
  co_return response;
}

Task<cleanup::v1::AbortResponse> CleanupCalls::Abort(Requester requester,
                                                     cleanup::v1::AbortRequest request) {
  kube::NamespacedName csv{request.namespace_(), request.name()};
  const std::string by = requester.ToString();
  CO_ASSIGN_OR_RETURN(const bool changed,
                      co_await deps_.inspector.Abort(std::move(csv), request.uid(), by));
  if (changed) {
    log::Info("A cleanup was aborted",
              {{"namespace", request.namespace_()}, {"name", request.name()}, {"by", by}});
  }
  cleanup::v1::AbortResponse response;
  response.set_changed(changed);
  co_return response;
}

}  // namespace steward::rpc
