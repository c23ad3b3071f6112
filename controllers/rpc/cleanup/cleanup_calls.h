// The work of steward.cleanup.v1.CleanupService, without gRPC. Lives on one executor.
#ifndef CONTROLLERS_RPC_CLEANUP_CLEANUP_CALLS_H_
#define CONTROLLERS_RPC_CLEANUP_CLEANUP_CALLS_H_

#include <string>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/preview_places.h"
#include "controllers/rpc/bridge/requester.h"
#include "controllers/rpc/cleanup/outlook_source.h"
#include "controllers/rpc/cleanup/pending_pages.h"
#include "controllers/rpc/worlds/map_calls.h"
#include "controllers/rpc/worlds/map_watch.h"
#include "olm/cleanup/outlook.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

// The references outlive the calls.
struct CleanupCallsDeps {
  Clock& clock;
  storage::WorldStore& worlds;
  OutlookSource outlooks;
  controllers::CleanupInspector& inspector;
};

struct CleanupCallsOptions {
  PendingPagesOptions pending;
  MapWatchOptions watch;
  PreviewPlacesOptions previews;
};

// The methods with their checks and rights, one for each request.
namespace cleanup_methods {
extern const Method<cleanup::v1::GetRequest> kGet;
extern const Method<cleanup::v1::ListRequest> kList;
extern const Method<cleanup::v1::WatchRequest> kWatch;
extern const Method<cleanup::v1::ListPendingRequest> kListPending;
extern const Method<cleanup::v1::PreviewRequest> kPreview;
// Abort checks the right anew at each call, without the cache.
extern const Method<cleanup::v1::AbortRequest> kAbort;
}  // namespace cleanup_methods

using StatusSink = MessageSink<cleanup::v1::WatchResponse>;

// REQUIRES of each method: the request has been checked, and the requester authorized. Errors carry
// a Kubernetes Status.
class CleanupCalls {
 public:
  CleanupCalls(CleanupCallsDeps deps, Access& access, CleanupCallsOptions options = {});

  Task<cleanup::v1::GetResponse> Get(Requester requester, cleanup::v1::GetRequest request);
  Task<cleanup::v1::ListResponse> List(Requester requester, cleanup::v1::ListRequest request);
  StatusTask Watch(Requester requester, cleanup::v1::WatchRequest request, StatusSink& sink);
  Task<cleanup::v1::ListPendingResponse> ListPending(Requester requester,
                                                     cleanup::v1::ListPendingRequest request);
  Task<cleanup::v1::PreviewResponse> Preview(Requester requester,
                                             cleanup::v1::PreviewRequest request);
  Task<cleanup::v1::AbortResponse> Abort(Requester requester, cleanup::v1::AbortRequest request);

 private:
  const CleanupCallsDeps deps_;
  Access& access_;
  const CleanupCallsOptions options_;
  MapCalls<olm::CleanupOutlook, cleanup::v1::CleanupStatus> statuses_;
  PendingPages pending_;
  PreviewPlaces previews_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_CLEANUP_CALLS_H_
