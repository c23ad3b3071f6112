// Tests two services in one server. Each has its own health, rights, records and metrics, and they
// share the limits.
#include <gmock/gmock.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/server.h"
#include "controllers/rpc/testing/health.grpc.pb.h"
#include "controllers/rpc/testing/sample.grpc.pb.h"
#include "controllers/rpc/testing/sample_service.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/audit/testing/recorded_log.h"
#include "kube/grpc/status.h"
#include "kube/meta/status.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"

namespace steward::rpc {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSample[] = "steward.sample.v1.SampleService";
constexpr char kCleanup[] = "steward.cleanup.v1.CleanupService";
constexpr std::chrono::seconds kPatience(60);

class ServicesTest : public ::testing::Test {
 protected:
  ServicesTest() {
    scene_.PutCsv("w.v1");
    scene_.Also(ServeSample(ready_));
  }
  ~ServicesTest() override { scene_.Stop(); }

  static std::unique_ptr<grpc::ClientContext> Context() {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + kPatience);
    context->set_wait_for_ready(true);
    return context;
  }
  std::unique_ptr<sample::v1::SampleService::Stub> As(const std::string& user) {
    return sample::v1::SampleService::NewStub(scene_.ChannelAs(user));
  }
  static grpc::Status GetSample(sample::v1::SampleService::Stub& stub,
                                sample::v1::GetResponse* response = nullptr,
                                const std::string& ns = "ops") {
    sample::v1::GetRequest request;
    request.set_namespace_(ns);
    request.set_name("one");
    sample::v1::GetResponse ignored;
    return stub.Get(Context().get(), request, response == nullptr ? &ignored : response);
  }
  static grpc::Status GetCleanup(cleanup::v1::CleanupService::Stub& stub) {
    cleanup::v1::GetRequest request;
    request.set_namespace_("ops");
    request.set_name("w.v1");
    cleanup::v1::GetResponse response;
    return stub.Get(Context().get(), request, &response);
  }
  // Returns the answer of grpc.health.v1.Health: 1 = serving, 2 = not serving.
  int Health(const std::string& service) {
    if (health_ == nullptr) {
      health_ = grpc::health::v1::Health::NewStub(scene_.ChannelAs("prober"));
    }
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    grpc::health::v1::HealthCheckResponse response;
    EXPECT_TRUE(health_->Check(Context().get(), request, &response).ok());
    return response.status();
  }
  void AwaitHealth(const std::string& service) {
    while (Health(service) != 1) continue;
  }
  std::string Metrics() {
    return prometheus::TextSerializer().Serialize(scene_.registry().Collect());
  }

  StopSignal ready_;
  Scene scene_;
  std::unique_ptr<grpc::health::v1::Health::Stub> health_;
};

TEST_F(ServicesTest, EachHasItsOwnRights) {
  scene_.Allow("alice get samples ops");
  scene_.Allow("bob get cleanupstatuses ops");
  scene_.Start();
  sample::v1::GetResponse response;
  ASSERT_TRUE(GetSample(*As("alice"), &response).ok());
  EXPECT_EQ(response.greeting(), R"(hello "alice", this is one)");
  EXPECT_EQ(GetSample(*As("bob")).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_TRUE(GetCleanup(*scene_.As("bob")).ok());
  EXPECT_EQ(GetCleanup(*scene_.As("alice")).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(GetSample(*As("nobody"), nullptr, "No Name").error_code(), grpc::INVALID_ARGUMENT)
      << "what nobody could answer is refused before rights are looked at";
}

TEST_F(ServicesTest, EachIsRecordedByItsName) {
  audit::RecordedLog log(
      "omitStages: [RequestReceived]\n"
      "rules: [{level: Metadata}]");
  scene_.UseAuditLog(*log.get());
  scene_.Allow("alice get samples ops");
  scene_.Start();
  EXPECT_TRUE(GetSample(*As("alice")).ok());
  EXPECT_FALSE(GetCleanup(*scene_.As("alice")).ok());
  scene_.Stop();
  const std::vector<std::string> lines = log.Lines();
  ASSERT_EQ(lines.size(), 2u) << "one for each call";
  EXPECT_THAT(
      lines[0],
      AllOf(HasSubstr(R"("requestURI":"/steward.sample.v1.SampleService/Get","verb":"get")"),
            HasSubstr(R"("objectRef":{"resource":"samples","namespace":"ops","name":"one")"),
            HasSubstr(R"("authorization.k8s.io/decision":"allow")")));
  EXPECT_THAT(lines[1], AllOf(HasSubstr(R"("requestURI":"/steward.cleanup.v1.CleanupService/Get")"),
                              HasSubstr(R"("resource":"cleanupstatuses")"),
                              HasSubstr(R"("authorization.k8s.io/decision":"forbid")")));
}

TEST_F(ServicesTest, EachIsCountedByItsName) {
  scene_.Allow("alice get samples ops");
  scene_.Allow("alice watch samples ops");
  scene_.Start();
  const auto alice = As("alice");
  EXPECT_TRUE(GetSample(*alice).ok());
  EXPECT_FALSE(GetCleanup(*scene_.As("alice")).ok());
  sample::v1::WatchRequest request;
  request.set_namespace_("ops");
  request.set_messages(-1);
  const auto context = Context();
  const auto watch = alice->Watch(context.get(), request);
  sample::v1::WatchResponse message;
  ASSERT_TRUE(watch->Read(&message));
  EXPECT_THAT(
      Metrics(),
      AllOf(HasSubstr(R"(steward_grpc_watches{service="steward.cleanup.v1.CleanupService"} 0)"),
            HasSubstr(R"(steward_grpc_watches{service="steward.sample.v1.SampleService"} 1)")));
  context->TryCancel();
  while (watch->Read(&message)) continue;
  watch->Finish();
  scene_.Stop();
  const std::string metrics = Metrics();
  for (const std::string_view line :
       {R"(code="OK",method="Get",service="steward.sample.v1.SampleService"} 1)",
        R"(code="PERMISSION_DENIED",method="Get",service="steward.cleanup.v1.CleanupService"} 1)",
        R"(method="Watch",service="steward.sample.v1.SampleService"} 1)",
        R"(steward_grpc_watches{service="steward.sample.v1.SampleService"} 0)"}) {
    EXPECT_THAT(metrics, HasSubstr(std::string(line)));
  }
}

TEST_F(ServicesTest, AWatchEndsWhenItsWorkDoes) {
  scene_.Allow("alice watch samples ops");
  scene_.Start();
  sample::v1::WatchRequest request;
  request.set_namespace_("ops");
  request.set_messages(3);
  const auto context = Context();
  const auto stub = As("alice");
  const auto watch = stub->Watch(context.get(), request);
  std::vector<int> numbers;
  sample::v1::WatchResponse message;
  while (watch->Read(&message)) numbers.push_back(message.number());
  EXPECT_TRUE(watch->Finish().ok());
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
}

TEST_F(ServicesTest, TheLimitsAreOfTheServer) {
  scene_.Allow("alice watch samples ops");
  scene_.Allow("alice watch cleanupstatuses ");
  ServerOptions options;
  options.max_watches = 1;
  scene_.Start(options);
  const auto cleanups = scene_.As("alice");
  const auto first_context = Context();
  const auto first = cleanups->Watch(first_context.get(), cleanup::v1::WatchRequest());
  cleanup::v1::WatchResponse status;
  ASSERT_TRUE(first->Read(&status));
  sample::v1::WatchRequest request;
  request.set_namespace_("ops");
  const auto context = Context();
  const auto stub = As("alice");
  const auto second = stub->Watch(context.get(), request);
  sample::v1::WatchResponse message;
  EXPECT_FALSE(second->Read(&message));
  EXPECT_EQ(second->Finish().error_code(), grpc::RESOURCE_EXHAUSTED);
  first_context->TryCancel();
  while (first->Read(&status)) continue;
  first->Finish();
}

TEST_F(ServicesTest, EachIsHealthyWhenItIsReady) {
  scene_.Start();
  AwaitHealth(kCleanup);
  EXPECT_EQ(Health(kSample), 2);
  EXPECT_EQ(Health(""), 2) << "one of them is not ready";
  ready_.Set();
  AwaitHealth(kSample);
  AwaitHealth("");
}

VoidTask SetAndWait(StopSignal* begun, StopSignal* never) {
  begun->Set();
  co_await never->Wait();
}

TEST_F(ServicesTest, WorkBesideTheCallsRunsUntilTheServerStops) {
  StopSignal begun;
  StopSignal never;
  ServedService service = ServeSample(begun);
  service.run = [&begun, &never] { return SetAndWait(&begun, &never); };
  Scene scene;
  scene.Also(std::move(service));
  scene.Start();
  auto health = grpc::health::v1::Health::NewStub(scene.ChannelAs("prober"));
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(kSample);
  grpc::health::v1::HealthCheckResponse response;
  while (response.status() != 1) {
    ASSERT_TRUE(health->Check(Context().get(), request, &response).ok());
  }
  scene.Stop();
}

}  // namespace
}  // namespace steward::rpc
