#include "cmd/steward/grpc_services.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/clock/clock.h"
#include "base/flags/flag_values.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "cmd/steward/grpc.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/reconcilers.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/testing/scene.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/known_reconciler.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/operator_world.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world_store.h"

namespace steward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class NoEvents : public controllers::EventRecorder {
 public:
  void Record(const controllers::ObjectReference&, controllers::EventType, std::string_view,
              std::string_view) override {}
};

class GrpcServicesTest : public testing::Test {
 protected:
  std::vector<std::string> NamesFor(const std::set<std::string>& families) {
    std::vector<std::string> names;
    const GrpcServiceDeps deps = {.cluster = cluster_,
                                  .worlds = worlds_,
                                  .events = events_,
                                  .flags = flags_,
                                  .random = Random::Real(),
                                  .plans = &plans_,
                                  .bundle_requesters = &cluster_};
    for (const rpc::ServedService& service : MakeGrpcServices(families, deps)) {
      names.push_back(service.name);
    }
    return names;
  }

  kube::FakeClient cluster_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::WorldStore plans_{storage::kPlanSources};
  NoEvents events_;
  FlagValues flags_;
};

TEST_F(GrpcServicesTest, AFamilyServesItsOwnServices) {
  EXPECT_THAT(NamesFor({"cleanup"}), ElementsAre("steward.cleanup.v1.CleanupService"));
  EXPECT_THAT(NamesFor({"copies"}), ElementsAre("steward.copiedcsv.v1.CopiedCSVService"));
  EXPECT_THAT(NamesFor({"install-plans"}), ElementsAre("steward.plan.v1.PlanService"));
  EXPECT_THAT(NamesFor(FamiliesWithGrpc()), SizeIs(KnownGrpcServices().size()));
  EXPECT_THAT(NamesFor({"operators", "payload"}), IsEmpty());
}

// Only the service itself reads the Worlds of plans, no reconciler.
TEST_F(GrpcServicesTest, EachServiceIsOfAFamilyThatReadsItsWorlds) {
  for (const KnownGrpcService& service : KnownGrpcServices()) {
    SCOPED_TRACE(service.family);
    EXPECT_TRUE(FamiliesWithGrpc().contains(service.family));
    bool found = false;
    for (const controllers::KnownReconciler& reconciler : KnownReconcilers()) {
      if (reconciler.family.name != service.family) continue;
      found = true;
      EXPECT_TRUE(reconciler.family.uses_worlds || service.family == "install-plans");
    }
    EXPECT_TRUE(found);
  }
}

// One request for each method, and the rights that it needs.
struct MethodRow {
  std::string method;   // "steward.cleanup.v1.CleanupService.Get"
  std::string request;  // as text
  std::vector<std::string> rights;
};

const std::vector<MethodRow>& MethodRows() {
  const std::string cleanup = "steward.cleanup.v1.CleanupService.";
  const std::string copies = "steward.copiedcsv.v1.CopiedCSVService.";
  const std::string plans = "steward.plan.v1.PlanService.";
  const std::string csv = "namespace: 'ops' name: 'w.v1'";
  static const auto& rows = *new std::vector<MethodRow>{
      {cleanup + "Get", csv, {"get cleanupstatuses ops"}},
      {cleanup + "List", "namespace: 'ops'", {"list cleanupstatuses ops"}},
      {cleanup + "List", "", {"list cleanupstatuses "}},
      {cleanup + "Watch", "namespace: 'ops'", {"watch cleanupstatuses ops"}},
      {cleanup + "Watch", "", {"watch cleanupstatuses "}},
      {cleanup + "ListPending", csv, {"get cleanupstatuses/pending ops"}},
      {cleanup + "Preview", csv, {"get cleanupstatuses/preview ops"}},
      {cleanup + "Abort", csv, {"patch clusterserviceversions ops"}},
      {copies + "GetState", "", {"get olmconfigs/copies "}},
      {copies + "Watch", "", {"watch olmconfigs/copies "}},
      {copies + "Preview", "choice: CHOICE_OFF", {"get olmconfigs/preview "}},
      {plans + "Get", "namespace: 'ops' name: 'p'", {"get planpreviews ops"}},
      {plans + "List", "namespace: 'ops'", {"list planpreviews ops"}},
      {plans + "List", "", {"list planpreviews "}},
      {plans + "Watch", "namespace: 'ops'", {"watch planpreviews ops"}},
      {plans + "Watch", "", {"watch planpreviews "}},
      {plans + "Preview",
       "namespace: 'ops' install_plan: 'p'",
       {"create planpreviews ops", "get installplans ops"}},
      {plans + "Preview", "namespace: 'ops' bundle {}", {"create planpreviews ops"}},
  };
  return rows;
}

const google::protobuf::MethodDescriptor& DescriptorOf(const MethodRow& row) {
  const auto* method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(row.method);
  return *method;
}

// Makes the request, and takes the first message of the answer.
grpc::StatusCode AskOnce(const std::shared_ptr<grpc::Channel>& channel, const MethodRow& row) {
  const google::protobuf::MethodDescriptor& method = DescriptorOf(row);
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> request(
      factory.GetPrototype(method.input_type())->New());
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(row.request, request.get()));
  const grpc::Slice slice(request->SerializeAsString());
  const grpc::ByteBuffer asked(&slice, 1);
  grpc::ByteBuffer answered;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  context.set_wait_for_ready(true);
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  // The one operation that is under way at a time.
  const auto done = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(
      &context, StrCat("/", method.service()->full_name(), "/", method.name()), &queue);
  call->StartCall(&queue);
  bool going = done();
  if (going) {
    call->WriteLast(asked, grpc::WriteOptions(), &queue);
    going = done();
  }
  if (going) {
    call->Read(&answered, &queue);
    going = done();
  }
  if (going) context.TryCancel();
  grpc::Status end;
  call->Finish(&end, &queue);
  done();
  return going ? grpc::OK : end.error_code();
}

// Every method of every service that the program serves: a new one without a row fails.
TEST_F(GrpcServicesTest, R_PRJ_07_EachMethodOfEachServiceTakesItsRights) {
  rpc::Scene scene;
  scene.PutCsv("w.v1");
  const GrpcServiceDeps deps = {.cluster = scene.cluster(),
                                .worlds = scene.worlds(),
                                .events = events_,
                                .flags = flags_,
                                .random = Random::Real(),
                                .plans = &plans_};
  std::set<std::string> methods, rows;
  std::vector<rpc::ServedService> served = MakeGrpcServices(FamiliesWithGrpc(), deps);
  for (rpc::ServedService& service : served) {
    const auto* known =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(service.name);
    ASSERT_NE(known, nullptr) << service.name;
    for (int i = 0; i < known->method_count(); ++i) methods.insert(known->method(i)->full_name());
    // The scene already serves a CleanupService of its own.
    if (service.name != "steward.cleanup.v1.CleanupService") scene.Also(std::move(service));
  }
  std::set<std::string> all;
  for (const MethodRow& row : MethodRows()) {
    rows.insert(row.method);
    all.insert(row.rights.begin(), row.rights.end());
  }
  ASSERT_EQ(rows, methods) << "each method has a row here, or none";
  scene.Start();
  int users = 0;
  for (const MethodRow& row : MethodRows()) {
    SCOPED_TRACE(StrCat(row.method, " ", row.request));
    // First all rights but one, then all. Each try has another user, whose reviews are not cached.
    std::vector<std::string> missing = row.rights;
    missing.emplace_back();
    for (const std::string& without : missing) {
      SCOPED_TRACE(StrCat("without: ", without));
      const std::string user = StrCat("user-", ++users);
      for (const std::string& right : all) {
        if (right != without) scene.Allow(StrCat(user, " ", right));
      }
      const grpc::StatusCode code = AskOnce(scene.ChannelAs(user), row);
      EXPECT_EQ(code == grpc::PERMISSION_DENIED, !without.empty()) << code;
    }
  }
  scene.Stop();
}

TEST_F(GrpcServicesTest, AServerWithoutServicesIsRefused) {
  prometheus::Registry registry;
  EXPECT_THAT(
      GrpcServing::Start(GrpcOptions(), {.access_reviews = cluster_, .registry = registry}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--grpc-bind-address")));
}

}  // namespace
}  // namespace steward
