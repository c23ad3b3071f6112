// Tests PlanService through gRPC, in a process that is not the leader and runs no reconciler.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/text/str_cat.h"
#include "controllers/preview/plan_previewer.h"
#include "controllers/rpc/plan/service.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/audit/testing/recorded_log.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "olm/preview/plan_facts.h"
#include "proto/steward/plan/v1/plan.grpc.pb.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Stub = plan::v1::PlanService::Stub;

// Returns empty previews of plans, and previews no bundles.
class FakePreviewer : public controllers::PlanPreviewer {
 public:
  Task<controllers::LivePreview> PreviewPlan(kube::NamespacedName, controllers::StepPace) override {
    co_return controllers::LivePreview();
  }
  Task<controllers::LivePreview> PreviewBundle(controllers::BundleContent, kube::UserInfo,
                                               controllers::StepPace) override {
    co_return kube::ToStatus(kube::ServiceUnavailable("previews of bundles are off", 5));
  }
};

class PlanServiceTest : public testing::Test {
 protected:
  PlanServiceTest() {
    storage::WorldWriter writer(storage::kPlanSources);
    writer.Replace(storage::kInstallPlanSource,
                   {*olm::DecodePlan(R"({"metadata":{"name":"p","namespace":"ops","uid":"u"}})")},
                   100);
    writer.Replace(storage::kDefinitionSource, {}, 100);
    writer.Replace(storage::kPlanGroupSource, {}, 100);
    worlds_.Publish(writer.Snapshot());
    scene_.Also(ServePlans(
        {.clock = Clock::Real(),
         .worlds = worlds_,
         .outlooks = [this](const storage::WorldPtr& world) { return outlooks_.Of(world); },
         .previewer = previewer_}));
  }
  ~PlanServiceTest() override { scene_.Stop(); }

  static std::unique_ptr<grpc::ClientContext> Context() {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    context->set_wait_for_ready(true);
    return context;
  }
  std::unique_ptr<Stub> As(const std::string& user) {
    return plan::v1::PlanService::NewStub(scene_.ChannelAs(user));
  }
  static grpc::StatusCode Preview(Stub& stub, const std::string& plan) {
    plan::v1::PreviewRequest request;
    request.set_namespace_("ops");
    if (plan.empty()) request.mutable_bundle()->add_manifests("{}");
    if (!plan.empty()) request.set_install_plan(plan);
    plan::v1::PreviewResponse response;
    return stub.Preview(Context().get(), request, &response).error_code();
  }

  Scene scene_;
  storage::WorldStore worlds_{storage::kPlanSources};
  storage::PlanOutlooks outlooks_;
  FakePreviewer previewer_;
};

TEST_F(PlanServiceTest, R_PRJ_07_EachMethodTakesItsOwnRight) {
  for (const char* verb : {"get", "list", "watch"}) {
    scene_.Allow(StrCat("alice ", verb, " planpreviews ops"));
  }
  scene_.Allow("bob create planpreviews ops");
  scene_.Allow("carol create planpreviews ops");
  scene_.Allow("carol get installplans ops");
  scene_.Start();
  const auto alice = As("alice");
  plan::v1::GetRequest get;
  get.set_namespace_("ops");
  get.set_name("p");
  plan::v1::GetResponse got;
  ASSERT_TRUE(alice->Get(Context().get(), get, &got).ok());
  EXPECT_EQ(got.preview().install_plan_uid(), "u");

  plan::v1::ListRequest list;
  list.set_namespace_("ops");
  plan::v1::ListResponse listed;
  ASSERT_TRUE(alice->List(Context().get(), list, &listed).ok());
  EXPECT_EQ(listed.previews_size(), 1);
  list.set_namespace_("");
  EXPECT_EQ(alice->List(Context().get(), list, &listed).error_code(), grpc::PERMISSION_DENIED);

  plan::v1::WatchRequest watch;
  watch.set_namespace_("ops");
  const auto context = Context();
  const auto stream = alice->Watch(context.get(), watch);
  plan::v1::WatchResponse message;
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_TRUE(message.has_snapshot_begin());
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_EQ(message.changed().name(), "p");
  context->TryCancel();
  while (stream->Read(&message)) continue;
  stream->Finish();

  EXPECT_EQ(Preview(*alice, "p"), grpc::PERMISSION_DENIED);
  const auto bob = As("bob");
  EXPECT_EQ(bob->Get(Context().get(), get, &got).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(Preview(*bob, "p"), grpc::PERMISSION_DENIED) << "that is another's plan";
  EXPECT_EQ(Preview(*bob, ""), grpc::UNAVAILABLE) << "bundles are off";
  EXPECT_EQ(Preview(*As("carol"), "p"), grpc::OK);
}

TEST_F(PlanServiceTest, CallsAreRecorded) {
  audit::RecordedLog log(
      "omitStages: [RequestReceived]\n"
      "rules: [{level: Metadata}]");
  scene_.UseAuditLog(*log.get());
  scene_.Start();
  EXPECT_EQ(Preview(*As("dave"), "p"), grpc::PERMISSION_DENIED);
  scene_.Stop();
  const std::vector<std::string> lines = log.Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr(R"("requestURI":"/steward.plan.v1.PlanService/Preview")"),
                    HasSubstr(R"("verb":"create")"), HasSubstr(R"("resource":"planpreviews")"),
                    HasSubstr(R"("authorization.k8s.io/decision":"forbid")")));
}

}  // namespace
}  // namespace steward::rpc
