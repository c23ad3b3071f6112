// Tests CopiedCSVService through gRPC, in a process that is not the leader and runs no reconciler.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "controllers/rpc/copied_csv/service.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/audit/testing/recorded_log.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.grpc.pb.h"

namespace steward::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Task<bool> Yes() { co_return true; }

class CopiedCsvServiceTest : public testing::Test {
 protected:
  CopiedCsvServiceTest() {
    scene_.Also(ServeCopiedCsvs({.clock = Clock::Real(),
                                 .cluster = scene_.cluster(),
                                 .worlds = scene_.worlds(),
                                 .copies = copies_,
                                 .serves_installed_operators = Yes}));
  }
  ~CopiedCsvServiceTest() override { scene_.Stop(); }

  static std::unique_ptr<grpc::ClientContext> Context() {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    context->set_wait_for_ready(true);
    return context;
  }
  std::unique_ptr<copiedcsv::v1::CopiedCSVService::Stub> As(const std::string& user) {
    return copiedcsv::v1::CopiedCSVService::NewStub(scene_.ChannelAs(user));
  }
  // Repeats the call until copies are known.
  copiedcsv::v1::GetStateResponse KnownState(copiedcsv::v1::CopiedCSVService::Stub& stub) {
    copiedcsv::v1::GetStateResponse response;
    grpc::Status status;
    do {
      status = stub.GetState(Context().get(), {}, &response);
    } while (status.error_code() == grpc::UNAVAILABLE);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  Scene scene_;
  controllers::CopyCluster cluster_;  // used by the server's thread
  controllers::FollowedCopies copies_{cluster_, Clock::Real(), Random::Real(), scene_.worlds(), {}};
};

TEST_F(CopiedCsvServiceTest, R_PRJ_07_EachMethodTakesItsOwnRight) {
  scene_.Allow("alice get olmconfigs/copies ");
  scene_.Allow("alice watch olmconfigs/copies ");
  scene_.Allow("bob get olmconfigs/preview ");
  scene_.Start();
  const auto alice = As("alice");
  const copiedcsv::v1::GetStateResponse known = KnownState(*alice);
  EXPECT_EQ(known.state().desired().copies(), "On");
  EXPECT_TRUE(known.state().progress().done());

  copiedcsv::v1::WatchRequest watch;
  watch.set_resume_token(known.resume_token());
  const auto context = Context();
  const auto stream = alice->Watch(context.get(), watch);
  copiedcsv::v1::WatchResponse message;
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_TRUE(message.has_unchanged());
  context->TryCancel();
  while (stream->Read(&message)) continue;
  stream->Finish();

  copiedcsv::v1::PreviewRequest preview;
  preview.set_choice(copiedcsv::v1::CHOICE_OFF);
  copiedcsv::v1::PreviewResponse previewed;
  EXPECT_EQ(alice->Preview(Context().get(), preview, &previewed).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_TRUE(As("bob")->Preview(Context().get(), preview, &previewed).ok());
  copiedcsv::v1::GetStateResponse state;
  EXPECT_EQ(As("bob")->GetState(Context().get(), {}, &state).error_code(), grpc::PERMISSION_DENIED);
  preview.set_choice(copiedcsv::v1::CHOICE_UNSPECIFIED);
  EXPECT_EQ(As("bob")->Preview(Context().get(), preview, &previewed).error_code(),
            grpc::INVALID_ARGUMENT);
}

TEST_F(CopiedCsvServiceTest, CallsAreRecorded) {
  audit::RecordedLog log(
      "omitStages: [RequestReceived]\n"
      "rules: [{level: Metadata}]");
  scene_.UseAuditLog(*log.get());
  scene_.Start();
  copiedcsv::v1::GetStateResponse state;
  EXPECT_FALSE(As("carol")->GetState(Context().get(), {}, &state).ok());
  scene_.Stop();
  const std::vector<std::string> lines = log.Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr(R"("requestURI":"/steward.copiedcsv.v1.CopiedCSVService/GetState")"),
                    HasSubstr(R"("resource":"olmconfigs")"), HasSubstr(R"("subresource":"copies")"),
                    HasSubstr(R"("authorization.k8s.io/decision":"forbid")")));
}

}  // namespace
}  // namespace steward::rpc
