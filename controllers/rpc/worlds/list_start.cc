#include "controllers/rpc/worlds/list_start.h"

#include <utility>

#include "base/status/macros.h"
#include "controllers/rpc/worlds/synced.h"
#include "kube/meta/status.h"
#include "storage/world/number.h"

namespace steward::rpc {

Task<ListStart> StartList(storage::WorldStore& worlds, storage::RewindCache& past,
                          std::string page_token, PageBinding binding, std::string ns) {
  const storage::WorldSnapshot moment = worlds.Now();
  CO_RETURN_IF_ERROR(CheckSynced(*moment.world));
  if (page_token.empty()) co_return ListStart{moment.world, {moment.number(), {}}};
  CO_ASSIGN_OR_RETURN(ListToken token, ListToken::Parse(page_token, binding, ns));
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
  storage::WorldPtr world = co_await past.At(moment.world, vector);
  co_return ListStart{std::move(world), std::move(token)};
}

}  // namespace steward::rpc
