#include "controllers/rpc/copied_csv/service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <utility>

#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/worlds/synced.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.grpc.pb.h"
#include "storage/world/world_store.h"

namespace steward::rpc {
namespace {

// Health is checked at this interval, because a recovered stream notifies nobody.
constexpr std::chrono::seconds kLookEvery(1);

class CopiedCsvService final
    : public ServiceBridge<copiedcsv::v1::CopiedCSVService, CopiedCsvCalls> {
 public:
  using ServiceBridge::ServiceBridge;

  grpc::ServerUnaryReactor* GetState(grpc::CallbackServerContext* context,
                                     const copiedcsv::v1::GetStateRequest* request,
                                     copiedcsv::v1::GetStateResponse* response) override {
    return ServeUnary(copied_csv_methods::kGetState, context, request, response,
                      &CopiedCsvCalls::GetState);
  }
  grpc::ServerWriteReactor<copiedcsv::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const copiedcsv::v1::WatchRequest* request) override {
    return ServeWatch(copied_csv_methods::kWatch, context, request, &CopiedCsvCalls::Watch);
  }
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const copiedcsv::v1::PreviewRequest* request,
                                    copiedcsv::v1::PreviewResponse* response) override {
    return ServeUnary(copied_csv_methods::kPreview, context, request, response,
                      &CopiedCsvCalls::Preview);
  }
};

VoidTask UntilKnown(storage::WorldStore* worlds, const controllers::FollowedCopies* copies) {
  co_await UntilSynced(*worlds);
  while (true) {
    const Broadcast::Ticket ticket = copies->changed().Now();
    if (copies->health().ok()) co_return;
    co_await copies->changed().WaitSince(ticket, std::chrono::steady_clock::now() + kLookEvery);
  }
}

}  // namespace

ServedService ServeCopiedCsvs(CopiedCsvCallsDeps deps, CopiedCsvCallsOptions options) {
  controllers::FollowedCopies* copies = &deps.copies;
  auto until_ready = [worlds = &deps.worlds, copies] { return UntilKnown(worlds, copies); };
  ServedService service = Serve<CopiedCsvService>(std::move(deps), options, until_ready);
  service.run = [copies] { return copies->Run(); };
  return service;
}

}  // namespace steward::rpc
