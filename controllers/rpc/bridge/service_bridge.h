// Connects gRPC's methods of one service with those of the class that does the work. Thread-safe.
#ifndef CONTROLLERS_RPC_BRIDGE_SERVICE_BRIDGE_H_
#define CONTROLLERS_RPC_BRIDGE_SERVICE_BRIDGE_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>
#include <prometheus/gauge.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/time_limit.h"
#include "base/status/macros.h"
#include "controllers/rpc/bridge/bridge.h"
#include "controllers/rpc/bridge/call.h"
#include "controllers/rpc/bridge/call_record.h"
#include "controllers/rpc/bridge/cancellation.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/reactors.h"
#include "controllers/rpc/bridge/requester.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::rpc {

namespace service_bridge_internal {

// Records at the first message that the watch has begun.
template <typename Message>
class RecordingSink final : public MessageSink<Message> {
 public:
  RecordingSink(WatchReactor<Message>& reactor, CallRecord& record)
      : reactor_(reactor), record_(record) {}
  StatusTask Write(Message message) override {
    record_.NoteStarted();
    return reactor_.Write(std::move(message));
  }

 private:
  WatchReactor<Message>& reactor_;
  CallRecord& record_;
};

}  // namespace service_bridge_internal

// `Calls` does the work, on the bridge's executor, with a method for each of gRPC's:
//   Task<Response> Get(Requester, Request);
//   StatusTask Watch(Requester, Request, MessageSink<Message>&);
// Its methods are called after the request has been checked and the requester authorized. gRPC's
// threads call Unary and Watch.
template <typename Calls>
class ServiceBridge {
 public:
  // `service` has the form "steward.cleanup.v1.CleanupService". REQUIRES: `bridge` and `calls`
  // outlive the tasks of the bridge.
  ServiceBridge(Bridge& bridge, std::string service, Calls& calls)
      : bridge_(bridge),
        service_(std::move(service)),
        calls_(calls),
        watching_(bridge.metrics().Watches(service_)) {}

  template <typename Request, typename Response>
  grpc::ServerUnaryReactor* Unary(const Method<Request>& method,
                                  grpc::CallbackServerContext* context, const Request* request,
                                  Response* response,
                                  Task<Response> (Calls::*work)(Requester, Request)) {
    auto cancellation = std::make_shared<Cancellation>(bridge_.executor());
    auto* reactor = new UnaryReactor(cancellation);
    auto finish = [reactor](const grpc::Status& end) { reactor->Finish(end); };
    std::unique_ptr<Call> call =
        bridge_.Begin(*context, service_, method.name, method.target(*request), finish);
    absl::StatusOr<Requester> requester =
        bridge_.Admit(Bridge::Kind::kUnary, *context, OnBehalfOf(*request), *call);
    if (!requester.ok()) {
      call->End(requester.status());
      return reactor;
    }
    boost::asio::post(
        bridge_.executor(),
        [this, method, work, response, request = *request, requester = *std::move(requester),
         call = std::move(call), cancellation = std::move(cancellation)]() mutable {
          Task<Response> task = Answer(method, std::move(requester), std::move(request), work);
          cancellation->Begun(
              bridge_.tasks(Bridge::Kind::kUnary)
                  .Spawn(method.name, RunUnary(std::move(call), std::move(task), response)));
        });
    return reactor;
  }

  template <typename Request, typename Message>
  grpc::ServerWriteReactor<Message>* Watch(
      const Method<Request>& method, grpc::CallbackServerContext* context, const Request* request,
      StatusTask (Calls::*work)(Requester, Request, MessageSink<Message>&)) {
    auto cancellation = std::make_shared<Cancellation>(bridge_.executor());
    auto* reactor = new WatchReactor<Message>(cancellation);
    auto finish = [reactor](const grpc::Status& end) { reactor->End(end); };
    std::unique_ptr<Call> call =
        bridge_.Begin(*context, service_, method.name, method.target(*request), finish);
    absl::StatusOr<Requester> requester =
        bridge_.Admit(Bridge::Kind::kWatch, *context, OnBehalfOf(*request), *call);
    if (!requester.ok()) {
      call->End(requester.status());
      return reactor;
    }
    call->CountIn(watching_);
    boost::asio::post(
        bridge_.executor(),
        [this, method, work, reactor, request = *request, requester = *std::move(requester),
         call = std::move(call), cancellation = std::move(cancellation)]() mutable {
          cancellation->Begun(
              bridge_.tasks(Bridge::Kind::kWatch)
                  .Spawn(method.name, RunWatch(method, std::move(call), reactor,
                                               std::move(requester), std::move(request), work)));
        });
    return reactor;
  }

 private:
  template <typename Request>
  static const common::v1::Requester* OnBehalfOf(const Request& request) {
    return request.has_on_behalf_of() ? &request.on_behalf_of() : nullptr;
  }

  template <typename Request>
  StatusTask Allow(Method<Request> method, const Requester& requester, const Request& request) {
    CO_RETURN_IF_ERROR(method.check(request));
    co_return co_await bridge_.access().Check(requester, method.target(request).access,
                                              method.answer);
  }
  template <typename Request, typename Response>
  Task<Response> Answer(Method<Request> method, Requester requester, Request request,
                        Task<Response> (Calls::*work)(Requester, Request)) {
    CO_RETURN_IF_ERROR(co_await Allow(method, requester, request));
    co_return co_await (calls_.*work)(std::move(requester), std::move(request));
  }
  template <typename Response>
  VoidTask RunUnary(std::unique_ptr<Call> call, Task<Response> task, Response* response) {
    absl::StatusOr<Response> result = co_await WithTimeout<absl::StatusOr<Response>>(
        bridge_.clock(), bridge_.call_timeout(), "the call", std::move(task));
    const absl::Status status = result.status();
    if (status.ok()) *response = *std::move(result);
    call->End(status);
  }
  template <typename Request, typename Message>
  VoidTask RunWatch(Method<Request> method, std::unique_ptr<Call> call,
                    WatchReactor<Message>* reactor, Requester requester, Request request,
                    StatusTask (Calls::*work)(Requester, Request, MessageSink<Message>&)) {
    service_bridge_internal::RecordingSink<Message> sink(*reactor, *call->record());
    // NOLINTNEXTLINE(bugprone-use-after-move): clang-tidy takes the co_await below for a loop.
    absl::Status status = co_await Allow(method, requester, request);
    if (status.ok()) {
      status = co_await (calls_.*work)(std::move(requester), std::move(request), sink);
    }
    call->End(status);
  }

  Bridge& bridge_;
  const std::string service_;
  Calls& calls_;
  prometheus::Gauge& watching_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_SERVICE_BRIDGE_H_
