// The work of steward.plan.v1.PlanService, without gRPC. Lives on one executor.
#ifndef CONTROLLERS_RPC_PLAN_PLAN_CALLS_H_
#define CONTROLLERS_RPC_PLAN_PLAN_CALLS_H_

#include <cstddef>
#include <functional>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/preview/plan_previewer.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/preview_places.h"
#include "controllers/rpc/bridge/requester.h"
#include "controllers/rpc/worlds/map_calls.h"
#include "controllers/rpc/worlds/map_watch.h"
#include "olm/preview/plan_outlook.h"
#include "proto/steward/plan/v1/plan.pb.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

// The references outlive the calls.
struct PlanCallsDeps {
  Clock& clock;
  storage::WorldStore& worlds;  // made from kPlanSources
  // Returns the outlooks on all InstallPlans, as of `world`. Never null.
  std::function<storage::PlanOutlookMapPtr(const storage::WorldPtr& world)> outlooks;
  controllers::PlanPreviewer& previewer;
  bool optional_manifests = false;  // the feature gate
};

struct PlanCallsOptions {
  MapWatchOptions watch;
  PreviewPlacesOptions previews;  // limits live previews
  size_t max_reviews = 100;  // reviews for single namespaces per preview; beyond, steps are hidden
};

// The methods with their checks and rights, one for each request.
namespace plan_methods {
extern const Method<plan::v1::GetRequest> kGet;
extern const Method<plan::v1::ListRequest> kList;
extern const Method<plan::v1::WatchRequest> kWatch;
// The preview of an InstallPlan also requires a right to that plan, which Preview itself checks.
extern const Method<plan::v1::PreviewRequest> kPreview;
}  // namespace plan_methods

using PlanSink = MessageSink<plan::v1::WatchResponse>;

// REQUIRES of each method: the request has been checked, and the requester authorized. Errors carry
// a Kubernetes Status.
class PlanCalls {
 public:
  PlanCalls(PlanCallsDeps deps, Access& access, PlanCallsOptions options = {});

  Task<plan::v1::GetResponse> Get(Requester requester, plan::v1::GetRequest request);
  Task<plan::v1::ListResponse> List(Requester requester, plan::v1::ListRequest request);
  StatusTask Watch(Requester requester, plan::v1::WatchRequest request, PlanSink& sink);
  Task<plan::v1::PreviewResponse> Preview(Requester requester, plan::v1::PreviewRequest request);

 private:
  Task<plan::v1::PreviewResponse> PreviewPlan(Requester requester,
                                              plan::v1::PreviewRequest request);
  Task<plan::v1::PreviewResponse> PreviewBundle(Requester requester,
                                                plan::v1::PreviewRequest request);

  const PlanCallsDeps deps_;
  Access& access_;
  const PlanCallsOptions options_;
  MapCalls<olm::PlanOutlook, plan::v1::PlanPreview> plans_;
  PreviewPlaces previews_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_PLAN_PLAN_CALLS_H_
