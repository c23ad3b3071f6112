#include "controllers/rpc/cleanup/cleanup_calls.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "controllers/rpc/cleanup/messages.h"
#include "controllers/rpc/cleanup/operand_previews.h"
#include "controllers/rpc/cleanup/page_tokens.h"
#include "controllers/rpc/worlds/synced.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "olm/resources.h"
#include "storage/world/world.h"

namespace steward::rpc {
namespace {

const kube::GroupVersionResource kStatuses = {"views.operators.coreos.com", "v1alpha1",
                                              "cleanupstatuses"};
// That one preview names and tries.
constexpr int kMaxOperands = 1000;

absl::Status CheckName(const std::string& ns, const std::string& name) {
  RETURN_IF_ERROR(CheckNamespace(ns));
  if (kube::IsDns1123Subdomain(name)) return absl::OkStatus();
  return BadRequest("name: not the name of a ClusterServiceVersion");
}

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
  return CheckName(request.namespace_(), request.name());
}

}  // namespace

namespace cleanup_methods {

const Method<cleanup::v1::GetRequest> kGet = {
    .name = "Get",
    .check = CheckOne<cleanup::v1::GetRequest>,
    .target = [](const cleanup::v1::GetRequest& request) { return StatusOf(request, ""); }};

const Method<cleanup::v1::ListRequest> kList = {
    .name = "List",
    .check =
        [](const cleanup::v1::ListRequest& request) {
          RETURN_IF_ERROR(CheckScope(request.namespace_()));
          return PageSize(request.page_size()).status();
        },
    .target =
        [](const cleanup::v1::ListRequest& request) {
          return StatusesIn("list", request.namespace_());
        }};

const Method<cleanup::v1::WatchRequest> kWatch = {
    .name = "Watch",
    .check =
        [](const cleanup::v1::WatchRequest& request) { return CheckScope(request.namespace_()); },
    .target =
        [](const cleanup::v1::WatchRequest& request) {
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
      pending_(
          deps_.clock,
          [this](kube::NamespacedName csv) { return deps_.inspector.Pending(std::move(csv)); },
          options.pending),
      previews_(options.previews, "previews are being made") {}

Task<cleanup::v1::GetResponse> CleanupCalls::Get(Requester, cleanup::v1::GetRequest request) {
  const storage::Moment moment = deps_.worlds.Now();
  CO_RETURN_IF_ERROR(CheckSynced(*moment.world));
  const storage::OutlookMapPtr outlooks = deps_.outlooks(moment.world);
  const auto found = outlooks->find({request.namespace_(), request.name()});
  if (found == outlooks->end()) {
    co_return kube::ToStatus(kube::NotFound(kStatuses, request.name()));
  }
  cleanup::v1::GetResponse response;
  WriteStatus(*found->second, *response.mutable_status());
  response.set_resume_token(moment.number().ToString());
  co_return response;
}

struct CleanupCalls::ListStart {
  storage::WorldPtr world;
  ListToken token;
};

Task<CleanupCalls::ListStart> CleanupCalls::StartOf(const cleanup::v1::ListRequest& request) {
  const storage::Moment moment = deps_.worlds.Now();
  CO_RETURN_IF_ERROR(CheckSynced(*moment.world));
  if (request.page_token().empty()) {
    co_return ListStart{moment.world, {moment.number(), {}}};
  }
  CO_ASSIGN_OR_RETURN(
      ListToken token,
      ListToken::Parse(request.page_token(), PageBinding::Of(request), request.namespace_()));
  const storage::StateVector& vector = token.number.vector;
  switch (moment.world->Knows(vector)) {
    case storage::Knowledge::kKnown:
      break;
    case storage::Knowledge::kNotYet:
      co_return kube::ToStatus(kube::ServiceUnavailable(
          "this replica has not come to the state of the page token yet", kRetrySeconds));
    case storage::Knowledge::kForgotten:
      co_return kube::ToStatus(kube::Expired("the page token has expired, please begin anew"));
  }
  storage::WorldPtr world = co_await past_.At(moment.world, vector);
  co_return ListStart{std::move(world), std::move(token)};
}

Task<cleanup::v1::ListResponse> CleanupCalls::List(Requester, cleanup::v1::ListRequest request) {
  const std::string& ns = request.namespace_();
  CO_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size()));
  CO_ASSIGN_OR_RETURN(ListStart start, co_await StartOf(request));
  const storage::OutlookMapPtr outlooks = deps_.outlooks(start.world);
  // No key sorts between {ns, ""} and the namespace after `ns`, and no name is empty: whatever the
  // position, the loop begins in [low, high] and ends at `end`.
  const kube::NamespacedName low{ns, ""};
  const kube::NamespacedName high{ns + '\0', ""};
  const kube::NamespacedName& after = start.token.after;
  const auto end = ns.empty() ? outlooks->end() : outlooks->lower_bound(high);
  auto next = outlooks->upper_bound(ns.empty() ? after : std::clamp(after, low, high));
  cleanup::v1::ListResponse response;
  size_t bytes = 0;
  while (next != end) {
    if (static_cast<size_t>(response.statuses_size()) >= size || bytes > kMaxPageBytes) break;
    cleanup::v1::CleanupStatus& status = *response.add_statuses();
    WriteStatus(*next->second, status);
    bytes += status.ByteSizeLong();
    start.token.after = next->first;
    ++next;
  }
  response.set_resume_token(start.token.number.ToString());
  if (next != end) {
    response.set_remaining(std::distance(next, end));
    response.set_next_page_token(start.token.ToString(PageBinding::Of(request)));
  }
  co_return response;
}

StatusTask CleanupCalls::Watch(Requester, cleanup::v1::WatchRequest request, StatusSink& sink) {
  const storage::WorldPtr world = deps_.worlds.Current();
  CO_RETURN_IF_ERROR(CheckSynced(*world));
  StatusWatch watch(deps_.worlds, past_, deps_.outlooks, deps_.clock, request.namespace_(), sink,
                    options_.watch);
  co_return co_await watch.Run(request.resume_token());
}

Task<cleanup::v1::ListPendingResponse> CleanupCalls::ListPending(
    Requester requester, cleanup::v1::ListPendingRequest request) {
  CO_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size()));
  const MayList may_list = MayListAs(access_, std::move(requester));
  co_return co_await pending_.Page(std::move(request), size, may_list);
}

Task<cleanup::v1::PreviewResponse> CleanupCalls::Preview(Requester requester,
                                                         cleanup::v1::PreviewRequest request) {
  CO_ASSIGN_OR_RETURN(const kube::Admission::Place place, previews_.Enter());
  kube::NamespacedName csv{request.namespace_(), request.name()};
  const size_t max = request.max_operands();
  CO_ASSIGN_OR_RETURN(const controllers::CleanupPreview preview,
                      co_await deps_.inspector.Preview(std::move(csv), SupposedBy(request), max));
  cleanup::v1::PreviewResponse response;
  WritePreview(request.namespace_(), preview, response);
  AccessAttributes deletion{"delete", olm::kCsvs, "", request.namespace_(), request.name()};
  CO_ASSIGN_OR_RETURN(const bool may_delete,
                      co_await access_.Allows(requester, std::move(deletion)));
  response.set_requester_may_delete(may_delete);
  const MayList may_list = MayListAs(access_, std::move(requester));
  CO_RETURN_IF_ERROR(co_await WriteOperands(deps_.inspector, preview, max, may_list, response));
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
