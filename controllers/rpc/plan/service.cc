#include "controllers/rpc/plan/service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <utility>

#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/worlds/synced.h"
#include "proto/steward/plan/v1/plan.grpc.pb.h"

namespace steward::rpc {
namespace {

class PlanService final : public ServiceBridge<plan::v1::PlanService, PlanCalls> {
 public:
  using ServiceBridge::ServiceBridge;

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const plan::v1::GetRequest* request,
                                plan::v1::GetResponse* response) override {
    return ServeUnary(plan_methods::kGet, context, request, response, &PlanCalls::Get);
  }
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const plan::v1::ListRequest* request,
                                 plan::v1::ListResponse* response) override {
    return ServeUnary(plan_methods::kList, context, request, response, &PlanCalls::List);
  }
  grpc::ServerWriteReactor<plan::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const plan::v1::WatchRequest* request) override {
    return ServeWatch(plan_methods::kWatch, context, request, &PlanCalls::Watch);
  }
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const plan::v1::PreviewRequest* request,
                                    plan::v1::PreviewResponse* response) override {
    return ServeUnary(plan_methods::kPreview, context, request, response, &PlanCalls::Preview);
  }
};

}  // namespace

ServedService ServePlans(PlanCallsDeps deps, PlanCallsOptions options) {
  auto until_ready = [worlds = &deps.worlds] { return UntilSynced(*worlds); };
  return Serve<PlanService>(std::move(deps), options, until_ready);
}

}  // namespace steward::rpc
