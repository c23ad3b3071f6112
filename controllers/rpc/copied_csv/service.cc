#include "controllers/rpc/copied_csv/service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/rpc/bridge/bridge.h"
#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/worlds/synced.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.grpc.pb.h"
#include "storage/world/world_store.h"

namespace steward::rpc {
namespace {

// Health is checked at this interval, because a recovered stream notifies nobody.
constexpr std::chrono::seconds kLookEvery(1);

class CopiedCsvService final : public copiedcsv::v1::CopiedCSVService::CallbackService {
 public:
  CopiedCsvService(Bridge& bridge, CopiedCsvCallsDeps deps, CopiedCsvCallsOptions options)
      : calls_(std::move(deps), bridge.access(), options),
        bridge_(bridge, copiedcsv::v1::CopiedCSVService::service_full_name(), calls_) {}

  grpc::ServerUnaryReactor* GetState(grpc::CallbackServerContext* context,
                                     const copiedcsv::v1::GetStateRequest* request,
                                     copiedcsv::v1::GetStateResponse* response) override {
    return bridge_.Unary(copied_csv_methods::kGetState, context, request, response,
                         &CopiedCsvCalls::GetState);
  }
  grpc::ServerWriteReactor<copiedcsv::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const copiedcsv::v1::WatchRequest* request) override {
    return bridge_.Watch(copied_csv_methods::kWatch, context, request, &CopiedCsvCalls::Watch);
  }
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const copiedcsv::v1::PreviewRequest* request,
                                    copiedcsv::v1::PreviewResponse* response) override {
    return bridge_.Unary(copied_csv_methods::kPreview, context, request, response,
                         &CopiedCsvCalls::Preview);
  }

 private:
  CopiedCsvCalls calls_;
  ServiceBridge<CopiedCsvCalls> bridge_;
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
  ServedService service;
  service.name = copiedcsv::v1::CopiedCSVService::service_full_name();
  service.until_ready = [worlds = &deps.worlds, copies = &deps.copies] {
    return UntilKnown(worlds, copies);
  };
  service.run = [copies = &deps.copies] { return copies->Run(); };
  service.make = [deps = std::move(deps), options](Bridge& bridge) {
    return std::make_unique<CopiedCsvService>(bridge, deps, options);
  };
  return service;
}

}  // namespace steward::rpc
