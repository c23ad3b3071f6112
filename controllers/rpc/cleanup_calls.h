// What the service steward.cleanup.v1.CleanupService does, without gRPC.
#ifndef CONTROLLERS_RPC_CLEANUP_CALLS_H_
#define CONTROLLERS_RPC_CLEANUP_CALLS_H_

#include <string>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/rpc/access.h"
#include "controllers/rpc/outlook_source.h"
#include "controllers/rpc/pending_pages.h"
#include "controllers/rpc/requester.h"
#include "controllers/rpc/status_watch.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// All of it outlives the calls.
struct CleanupCallsDeps {
  Clock& clock;
  storage::WorldStore& worlds;
  OutlookSource outlooks;
  CleanupInspector& inspector;
  Access& access;
};

struct CleanupCallsOptions {
  PendingPagesOptions pending;
  StatusWatchOptions watch;
  int previews = 4;  // under way at a time; beyond, calls are refused with 429
};

// Every method first asks whether the requester may; a request of what cannot be is refused before
// that. Errors carry a Kubernetes Status. Lives on one executor.
class CleanupCalls {
 public:
  CleanupCalls(CleanupCallsDeps deps, CleanupCallsOptions options = {});

  Task<cleanup::v1::GetResponse> Get(Requester requester, cleanup::v1::GetRequest request);
  Task<cleanup::v1::ListResponse> List(Requester requester, cleanup::v1::ListRequest request);
  StatusTask Watch(Requester requester, cleanup::v1::WatchRequest request, WatchSink& sink);
  Task<cleanup::v1::ListPendingResponse> ListPending(Requester requester,
                                                     cleanup::v1::ListPendingRequest request);
  Task<cleanup::v1::PreviewResponse> Preview(Requester requester,
                                             cleanup::v1::PreviewRequest request);
  Task<cleanup::v1::AbortResponse> Abort(Requester requester, cleanup::v1::AbortRequest request);

 private:
  struct ListStart;
  // `request` outlives the task.
  Task<ListStart> StartOf(const cleanup::v1::ListRequest& request);

  const CleanupCallsDeps deps_;
  const CleanupCallsOptions options_;
  storage::RewindCache past_;
  PendingPages pending_;
  int previews_ = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RPC_CLEANUP_CALLS_H_
