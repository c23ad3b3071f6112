#include "apiserver/upstream/cleanup_client.h"

#include <algorithm>
#include <utility>

#include "base/status/macros.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::upstream {
namespace {

constexpr char kListPending[] = "/steward.cleanup.v1.CleanupService/ListPending";
constexpr int kMaxPage = 1000;

PendingPage PageOf(cleanup::v1::ListPendingResponse response) {
  PendingPage page;
  page.operands.reserve(static_cast<size_t>(response.operands_size()));
  for (cleanup::v1::PendingOperand& from : *response.mutable_operands()) {
    PendingOperand& to = page.operands.emplace_back();
    to.group = std::move(*from.mutable_group());
    to.kind = std::move(*from.mutable_kind());
    to.plural = std::move(*from.mutable_plural());
    to.name = {std::move(*from.mutable_namespace_()), std::move(*from.mutable_name())};
    to.uid = std::move(*from.mutable_uid());
    to.deletion_timestamp = std::move(*from.mutable_deletion_timestamp());
    to.finalizers.assign(from.finalizers().begin(), from.finalizers().end());
  }
  page.continue_token = std::move(*response.mutable_next_page_token());
  page.remaining = response.remaining();
  page.hidden = response.hidden();
  return page;
}

}  // namespace

Task<PendingPage> CleanupClient::ListPending(Asker asker, kube::NamespacedName csv, int64_t limit,
                                             std::string continue_token) {
  cleanup::v1::ListPendingRequest request;
  request.set_namespace_(std::move(csv.ns));
  request.set_name(std::move(csv.name));
  request.set_page_size(static_cast<int32_t>(std::clamp<int64_t>(limit, 0, kMaxPage)));
  request.set_page_token(std::move(continue_token));
  CO_ASSIGN_OR_RETURN(
      cleanup::v1::ListPendingResponse response,
      (co_await channel_.Call<cleanup::v1::ListPendingRequest, cleanup::v1::ListPendingResponse>(
          kListPending, std::move(asker), std::move(request))));
  co_return PageOf(std::move(response));
}

}  // namespace steward::upstream
