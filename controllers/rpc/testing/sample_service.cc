#include "controllers/rpc/testing/sample_service.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <string>
#include <utility>

#include "base/async/task.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/bridge.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/requester.h"
#include "controllers/rpc/bridge/service_bridge.h"
#include "controllers/rpc/testing/sample.grpc.pb.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

const kube::GroupVersionResource kSamples = {"example.com", "v1", "samples"};

template <typename Request>
absl::Status CheckNamespace(const Request& request) {
  if (kube::IsDns1123Label(request.namespace_())) return absl::OkStatus();
  return kube::ToStatus(kube::BadRequest("namespace: not the name of a namespace"));
}

const Method<sample::v1::GetRequest> kGet = {
    .name = "Get",
    .check = CheckNamespace<sample::v1::GetRequest>,
    .target = [](const sample::v1::GetRequest& request) {
      return MethodTarget{{"get", kSamples, "", request.namespace_(), request.name()}, ""};
    }};

const Method<sample::v1::WatchRequest> kWatch = {
    .name = "Watch",
    .check = CheckNamespace<sample::v1::WatchRequest>,
    .target = [](const sample::v1::WatchRequest& request) {
      return MethodTarget{{"watch", kSamples, "", request.namespace_(), ""}, ""};
    }};

class SampleCalls {
 public:
  Task<sample::v1::GetResponse> Get(Requester requester, sample::v1::GetRequest request) {
    sample::v1::GetResponse response;
    response.set_greeting(StrCat("hello ", requester.ToString(), ", this is ", request.name()));
    co_return response;
  }
  StatusTask Watch(Requester, sample::v1::WatchRequest request,
                   MessageSink<sample::v1::WatchResponse>& sink) {
    for (int number = 0; number != request.messages(); ++number) {
      sample::v1::WatchResponse message;
      message.set_number(number);
      CO_RETURN_IF_ERROR(co_await sink.Write(std::move(message)));
    }
    co_return absl::OkStatus();
  }
};

class SampleService final : public ServiceBridge<sample::v1::SampleService, SampleCalls> {
 public:
  using ServiceBridge::ServiceBridge;

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const sample::v1::GetRequest* request,
                                sample::v1::GetResponse* response) override {
    return ServeUnary(kGet, context, request, response, &SampleCalls::Get);
  }
  grpc::ServerWriteReactor<sample::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const sample::v1::WatchRequest* request) override {
    return ServeWatch(kWatch, context, request, &SampleCalls::Watch);
  }
};

}  // namespace

ServedService ServeSample(const StopSignal& ready) {
  ServedService service;
  service.name = SampleService::name();
  service.make = [](Bridge& bridge) { return std::make_unique<SampleService>(bridge); };
  service.until_ready = [&ready] { return ready.Wait(); };
  return service;
}

}  // namespace steward::rpc
