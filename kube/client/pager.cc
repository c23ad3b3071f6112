#include "kube/client/pager.h"

#include "base/status/macros.h"

namespace steward::kube {

StatusTask VisitAll(Client& client, GroupVersionResource gvr, ListOptions options,
                    std::function<absl::Status(const RawObject&)> visit) {
  while (true) {
    CO_ASSIGN_OR_RETURN(const ListPage page, co_await client.List(gvr, options));
    for (const RawObject& object : page.items) CO_RETURN_IF_ERROR(visit(object));
    if (page.continue_token.empty()) co_return absl::OkStatus();
    if (page.continue_token == options.continue_token) {
      co_return absl::DataLossError("a list does not go on");
    }
    options.continue_token = page.continue_token;
  }
}

}  // namespace steward::kube
