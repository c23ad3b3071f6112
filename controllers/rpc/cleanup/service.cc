#include "controllers/rpc/cleanup/service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <utility>

#include "controllers/rpc/bridge/bridge.h"
#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/worlds/synced.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"

namespace steward::rpc {
namespace {

class CleanupService final : public cleanup::v1::CleanupService::CallbackService {
 public:
  CleanupService(Bridge& bridge, CleanupCallsDeps deps, CleanupCallsOptions options)
      : calls_(std::move(deps), bridge.access(), options),
        bridge_(bridge, cleanup::v1::CleanupService::service_full_name(), calls_) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const cleanup::v1::GetRequest* request,
                                cleanup::v1::GetResponse* response) override {
    return bridge_.Unary(cleanup_methods::kGet, context, request, response, &CleanupCalls::Get);
  }
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const cleanup::v1::ListRequest* request,
                                 cleanup::v1::ListResponse* response) override {
    return bridge_.Unary(cleanup_methods::kList, context, request, response, &CleanupCalls::List);
  }
  grpc::ServerWriteReactor<cleanup::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const cleanup::v1::WatchRequest* request) override {
    return bridge_.Watch(cleanup_methods::kWatch, context, request, &CleanupCalls::Watch);
  }
  grpc::ServerUnaryReactor* ListPending(grpc::CallbackServerContext* context,
                                        const cleanup::v1::ListPendingRequest* request,
                                        cleanup::v1::ListPendingResponse* response) override {
    return bridge_.Unary(cleanup_methods::kListPending, context, request, response,
                         &CleanupCalls::ListPending);
  }
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const cleanup::v1::PreviewRequest* request,
                                    cleanup::v1::PreviewResponse* response) override {
    return bridge_.Unary(cleanup_methods::kPreview, context, request, response,
                         &CleanupCalls::Preview);
  }
  grpc::ServerUnaryReactor* Abort(grpc::CallbackServerContext* context,
                                  const cleanup::v1::AbortRequest* request,
                                  cleanup::v1::AbortResponse* response) override {
    return bridge_.Unary(cleanup_methods::kAbort, context, request, response, &CleanupCalls::Abort);
  }

 private:
  CleanupCalls calls_;
  ServiceBridge<CleanupCalls> bridge_;
};

}  // namespace

ServedService ServeCleanup(CleanupCallsDeps deps, CleanupCallsOptions options) {
  ServedService service;
  service.name = cleanup::v1::CleanupService::service_full_name();
  service.until_ready = [worlds = &deps.worlds] { return UntilSynced(*worlds); };
  service.make = [deps = std::move(deps), options](Bridge& bridge) {
    return std::make_unique<CleanupService>(bridge, deps, options);
  };
  return service;
}

}  // namespace steward::rpc
