// Connects gRPC's methods of one service with those of the class that does the work. gRPC's threads
// call the service.
#ifndef CONTROLLERS_RPC_BRIDGE_SERVICE_BRIDGE_H_
#define CONTROLLERS_RPC_BRIDGE_SERVICE_BRIDGE_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>
#include <prometheus/gauge.h>

#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
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
#include "controllers/rpc/bridge/served_service.h"
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

// The base of the services. `Service` is the class that gRPC generates for one. `Calls` does the
// work, on the bridge's executor, with a method for each of gRPC's:
//   Task<Response> Get(Requester, Request);
//   StatusTask Watch(Requester, Request, MessageSink<Message>&);
// Its methods are called after the request has been checked and the requester authorized.
template <typename Service, typename Calls>
class ServiceBridge : public Service::CallbackService {
 public:
  // `args` are those of the calls. REQUIRES: `bridge` outlives this object, which outlives the
  // tasks of the bridge.
  template <typename... Args>
  explicit ServiceBridge(Bridge& bridge, Args&&... args)
      : bridge_(bridge),
        watching_(bridge.metrics().Watches(name())),
        calls_(std::forward<Args>(args)...) {}

  // Returns a name like "steward.cleanup.v1.CleanupService".
  static const char* name() { return Service::service_full_name(); }

 protected:
  // Serves a call of a method that has one response. On gRPC's threads.
  template <typename Request, typename Response>
  grpc::ServerUnaryReactor* ServeUnary(const Method<Request>& method,
                                       grpc::CallbackServerContext* context, const Request* request,
                                       Response* response,
                                       Task<Response> (Calls::*work)(Requester, Request)) {
    return Open<UnaryReactor>(
        Bridge::Kind::kUnary, method, *context, *request,
        [this, method, work, response](UnaryReactor*, std::unique_ptr<Call> call,
                                       Requester requester, Request asked) {
          Task<Response> task = Answer(method, std::move(requester), std::move(asked), work);
          return RunUnary(std::move(call), std::move(task), response);
        });
  }

  // Serves a watch. On gRPC's threads.
  template <typename Request, typename Message>
  grpc::ServerWriteReactor<Message>* ServeWatch(
      const Method<Request>& method, grpc::CallbackServerContext* context, const Request* request,
      StatusTask (Calls::*work)(Requester, Request, MessageSink<Message>&)) {
    return Open<WatchReactor<Message>>(
        Bridge::Kind::kWatch, method, *context, *request,
        [this, method, work](WatchReactor<Message>* reactor, std::unique_ptr<Call> call,
                             Requester requester, Request asked) {
          return RunWatch(method, std::move(call), reactor, std::move(requester), std::move(asked),
                          work);
        });
  }

 private:
  // Begins a call, admits it, and spawns the task that `run` returns. A refused call has no task.
  template <typename Reactor, typename Request, typename Run>
  Reactor* Open(Bridge::Kind kind, const Method<Request>& method,
                const grpc::CallbackServerContext& context, const Request& request, Run run) {
    auto cancellation = std::make_shared<Cancellation>(bridge_.executor());
    auto* reactor = new Reactor(cancellation);
    auto end = [reactor](const grpc::Status& status) { reactor->End(status); };
    std::unique_ptr<Call> call =
        bridge_.Begin(context, name(), method.name, method.target(request), end);
    absl::StatusOr<Requester> requester = bridge_.Admit(kind, context, OnBehalfOf(request), *call);
    if (!requester.ok()) {
      call->End(requester.status());
      return reactor;
    }
    if (kind == Bridge::Kind::kWatch) call->CountIn(watching_);
    boost::asio::post(
        bridge_.executor(), [this, kind, name = method.name, run, reactor, request = request,
                             requester = *std::move(requester), call = std::move(call),
                             cancellation = std::move(cancellation)]() mutable {
          cancellation->Begun(bridge_.tasks(kind).Spawn(
              name, run(reactor, std::move(call), std::move(requester), std::move(request))));
        });
    return reactor;
  }

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
  prometheus::Gauge& watching_;
  Calls calls_;
};

// Describes a service for the server. REQUIRES: `Served` is a ServiceBridge whose calls take the
// deps, the access, and the options.
template <typename Served, typename Deps, typename Options>
ServedService Serve(Deps deps, Options options, std::function<VoidTask()> until_ready) {
  ServedService service;
  service.name = Served::name();
  service.until_ready = std::move(until_ready);
  service.make = [deps = std::move(deps), options](Bridge& bridge) {
    return std::make_unique<Served>(bridge, deps, bridge.access(), options);
  };
  return service;
}

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_SERVICE_BRIDGE_H_
