#include "controllers/rpc/cleanup/service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <utility>

#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/worlds/synced.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"

namespace steward::rpc {
namespace {

class CleanupService final : public ServiceBridge<cleanup::v1::CleanupService, CleanupCalls> {
 public:
  using ServiceBridge::ServiceBridge;

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const cleanup::v1::GetRequest* request,
                                cleanup::v1::GetResponse* response) override {
    return ServeUnary(cleanup_methods::kGet, context, request, response, &CleanupCalls::Get);
  }
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const cleanup::v1::ListRequest* request,
                                 cleanup::v1::ListResponse* response) override {
    return ServeUnary(cleanup_methods::kList, context, request, response, &CleanupCalls::List);
  }
  grpc::ServerWriteReactor<cleanup::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const cleanup::v1::WatchRequest* request) override {
    return ServeWatch(cleanup_methods::kWatch, context, request, &CleanupCalls::Watch);
  }
  grpc::ServerUnaryReactor* ListPending(grpc::CallbackServerContext* context,
                                        const cleanup::v1::ListPendingRequest* request,
                                        cleanup::v1::ListPendingResponse* response) override {
    return ServeUnary(cleanup_methods::kListPending, context, request, response,
                      &CleanupCalls::ListPending);
  }
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const cleanup::v1::PreviewRequest* request,
                                    cleanup::v1::PreviewResponse* response) override {
    return ServeUnary(cleanup_methods::kPreview, context, request, response,
                      &CleanupCalls::Preview);
  }
  grpc::ServerUnaryReactor* Abort(grpc::CallbackServerContext* context,
                                  const cleanup::v1::AbortRequest* request,
                                  cleanup::v1::AbortResponse* response) override {
    return ServeUnary(cleanup_methods::kAbort, context, request, response, &CleanupCalls::Abort);
  }
};

}  // namespace

ServedService ServeCleanup(CleanupCallsDeps deps, CleanupCallsOptions options) {
  auto until_ready = [worlds = &deps.worlds] { return UntilSynced(*worlds); };
  return Serve<CleanupService>(std::move(deps), options, until_ready);
}

}  // namespace steward::rpc
