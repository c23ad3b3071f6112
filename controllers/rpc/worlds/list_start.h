// Finds the state that a page of a list shows. A stateless function.
#ifndef CONTROLLERS_RPC_WORLDS_LIST_START_H_
#define CONTROLLERS_RPC_WORLDS_LIST_START_H_

#include <string>

#include "base/async/task.h"
#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/worlds/list_token.h"
#include "storage/world/rewind.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

struct ListStart {
  storage::WorldPtr world;
  ListToken token;  // the page begins after its position
};

// Returns the start for a page token ("" = the first page). Errors carry a Kubernetes Status: 400
// for a token of another request, 410 for an expired token, 503 before anything has been read or
// while this replica is behind the token. REQUIRES: the references outlive the call.
Task<ListStart> StartList(storage::WorldStore& worlds, storage::RewindCache& past,
                          std::string page_token, PageBinding binding, std::string ns);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_WORLDS_LIST_START_H_
