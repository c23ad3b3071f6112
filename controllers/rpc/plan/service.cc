#include "controllers/rpc/plan/service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <utility>

#include "controllers/rpc/bridge/bridge.h"
#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/worlds/synced.h"
#include "proto/steward/plan/v1/plan.grpc.pb.h"

namespace steward::rpc {
namespace {

class PlanService final : public plan::v1::PlanService::CallbackService {
 public:
  PlanService(Bridge& bridge, PlanCallsDeps deps, PlanCallsOptions options)
      : calls_(std::move(deps), bridge.access(), options),
        bridge_(bridge, plan::v1::PlanService::service_full_name(), calls_) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const plan::v1::GetRequest* request,
                                plan::v1::GetResponse* response) override {
    return bridge_.Unary(plan_methods::kGet, context, request, response, &PlanCalls::Get);
  }
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const plan::v1::ListRequest* request,
                                 plan::v1::ListResponse* response) override {
    return bridge_.Unary(plan_methods::kList, context, request, response, &PlanCalls::List);
  }
  grpc::ServerWriteReactor<plan::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const plan::v1::WatchRequest* request) override {
    return bridge_.Watch(plan_methods::kWatch, context, request, &PlanCalls::Watch);
  }
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const plan::v1::PreviewRequest* request,
                                    plan::v1::PreviewResponse* response) override {
    return bridge_.Unary(plan_methods::kPreview, context, request, response, &PlanCalls::Preview);
  }

 private:
  PlanCalls calls_;
  ServiceBridge<PlanCalls> bridge_;
};

}  // namespace

ServedService ServePlans(PlanCallsDeps deps, PlanCallsOptions options) {
  ServedService service;
  service.name = plan::v1::PlanService::service_full_name();
  service.until_ready = [worlds = &deps.worlds] { return UntilSynced(*worlds); };
  service.make = [deps = std::move(deps), options](Bridge& bridge) {
    return std::make_unique<PlanService>(bridge, deps, options);
  };
  return service;
}

}  // namespace steward::rpc
