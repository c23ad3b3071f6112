#include "controllers/rpc/server.h"

#include <gmock/gmock.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/audit/testing/recorded_log.h"
#include "kube/grpc/status.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

using kube::ClientVerb;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// This is far longer than anything here takes.
constexpr std::chrono::seconds kPatience(60);

class ServerTest : public ::testing::Test {
 protected:
  template <typename Request>
  static Request Of(const std::string& name) {
    Request request;
    request.set_namespace_("ops");
    request.set_name(name);
    return request;
  }
  static std::unique_ptr<grpc::ClientContext> Context(
      std::chrono::milliseconds deadline = kPatience) {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + deadline);
    context->set_wait_for_ready(true);
    return context;
  }
  grpc::Status Get(cleanup::v1::CleanupService::Stub& stub, const cleanup::v1::GetRequest& request,
                   cleanup::v1::GetResponse* response = nullptr) {
    cleanup::v1::GetResponse ignored;
    return stub.Get(Context().get(), request, response == nullptr ? &ignored : response);
  }
  Scene scene_;
};

TEST_F(ServerTest, GetIsForThoseWhoMay) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice get cleanupstatuses ops");
  scene_.Start();
  const auto alice = scene_.As("alice");
  cleanup::v1::GetResponse response;
  ASSERT_TRUE(Get(*alice, Of<cleanup::v1::GetRequest>("w.v1"), &response).ok());
  EXPECT_EQ(response.status().name(), "w.v1");
  EXPECT_EQ(response.status().csv_uid(), "uid-w.v1");
  EXPECT_EQ(response.status().phase(), "Ready");
  EXPECT_THAT(response.status().target_namespaces(), ElementsAre("a", "b"));
  EXPECT_NE(response.resume_token(), "");

  const grpc::Status missing = Get(*alice, Of<cleanup::v1::GetRequest>("nobody"));
  EXPECT_EQ(missing.error_code(), grpc::NOT_FOUND);
  EXPECT_TRUE(kube::HasReason(kube::FromGrpc(missing), "NotFound"));
  EXPECT_EQ(Get(*alice, Of<cleanup::v1::GetRequest>("No Name")).error_code(),
            grpc::INVALID_ARGUMENT);

  const auto bob = scene_.As("bob");
  const grpc::Status refused = Get(*bob, Of<cleanup::v1::GetRequest>("w.v1"));
  EXPECT_EQ(refused.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(), HasSubstr(R"(User "bob" cannot get resource)"));
  EXPECT_EQ(kube::FromStatus(kube::FromGrpc(refused)).code, 403);
}

TEST_F(ServerTest, EveryMethodTakesItsRight) {
  scene_.PutCsv("w.v1");
  scene_.Start();
  const auto bob = scene_.As("bob");
  cleanup::v1::ListResponse list;
  EXPECT_EQ(bob->List(Context().get(), cleanup::v1::ListRequest(), &list).error_code(),
            grpc::PERMISSION_DENIED);
  cleanup::v1::ListPendingResponse pending;
  EXPECT_EQ(bob->ListPending(Context().get(), Of<cleanup::v1::ListPendingRequest>("w.v1"), &pending)
                .error_code(),
            grpc::PERMISSION_DENIED);
  cleanup::v1::PreviewResponse preview;
  EXPECT_EQ(
      bob->Preview(Context().get(), Of<cleanup::v1::PreviewRequest>("w.v1"), &preview).error_code(),
      grpc::PERMISSION_DENIED);
  cleanup::v1::AbortResponse abort;
  EXPECT_EQ(bob->Abort(Context().get(), Of<cleanup::v1::AbortRequest>("w.v1"), &abort).error_code(),
            grpc::PERMISSION_DENIED);
  const auto context = Context();
  const auto watch = bob->Watch(context.get(), cleanup::v1::WatchRequest());
  cleanup::v1::WatchResponse message;
  EXPECT_FALSE(watch->Read(&message));
  EXPECT_EQ(watch->Finish().error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(scene_.cluster().calls(ClientVerb::kPatch, kSceneCsvs), 0);
}

TEST_F(ServerTest, FrontendsAskForOthersAndNobodyElseDoes) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice get cleanupstatuses ops");
  scene_.Start();
  cleanup::v1::GetRequest request = Of<cleanup::v1::GetRequest>("w.v1");
  request.mutable_on_behalf_of()->set_user("alice");
  EXPECT_TRUE(Get(*scene_.As("steward-apiserver"), request).ok());
  EXPECT_EQ(Get(*scene_.As("mallory"), request).error_code(), grpc::PERMISSION_DENIED);
  request.mutable_on_behalf_of()->set_user("bob");
  EXPECT_EQ(Get(*scene_.As("steward-apiserver"), request).error_code(), grpc::PERMISSION_DENIED);
}

TEST_F(ServerTest, ListsInPagesOfOneState) {
  for (int i = 0; i < 5; ++i) scene_.PutCsv(StrCat("w.v", i));
  scene_.Allow("alice list cleanupstatuses ops");
  scene_.Start();
  const auto alice = scene_.As("alice");
  cleanup::v1::ListRequest request;
  request.set_namespace_("ops");
  request.set_page_size(2);
  std::vector<std::string> names;
  for (int pages = 0; pages < 10; ++pages) {
    cleanup::v1::ListResponse page;
    ASSERT_TRUE(alice->List(Context().get(), request, &page).ok());
    for (const cleanup::v1::CleanupStatus& status : page.statuses()) names.push_back(status.name());
    if (page.next_page_token().empty()) break;
    EXPECT_EQ(page.remaining(), 5 - static_cast<int>(names.size()));
    request.set_page_token(page.next_page_token());
    scene_.RemoveCsv(StrCat("w.v", 3 + pages));
  }
  EXPECT_THAT(names, ElementsAre("w.v0", "w.v1", "w.v2", "w.v3", "w.v4"));
  request.set_page_token("nonsense");
  cleanup::v1::ListResponse page;
  EXPECT_EQ(alice->List(Context().get(), request, &page).error_code(), grpc::INVALID_ARGUMENT);
  cleanup::v1::ListRequest everywhere;
  EXPECT_EQ(alice->List(Context().get(), everywhere, &page).error_code(), grpc::PERMISSION_DENIED);
}

TEST_F(ServerTest, APageTokenOpensNoOtherNamespace) {
  for (int i = 0; i < 5; ++i) scene_.PutCsv(StrCat("w.v", i));
  scene_.Allow("root list cleanupstatuses ops");
  scene_.Allow("alice list cleanupstatuses a");
  scene_.Start();
  cleanup::v1::ListRequest request;
  request.set_page_size(2);
  request.set_namespace_("ops");
  cleanup::v1::ListResponse page;
  ASSERT_TRUE(scene_.As("root")->List(Context().get(), request, &page).ok());
  request.set_namespace_("a");
  request.set_page_token(page.next_page_token());
  cleanup::v1::ListResponse stolen;
  EXPECT_EQ(scene_.As("alice")->List(Context().get(), request, &stolen).error_code(),
            grpc::INVALID_ARGUMENT);
  EXPECT_EQ(stolen.statuses_size(), 0);
}

std::string Describe(const cleanup::v1::WatchResponse& message) {
  switch (message.event_case()) {
    case cleanup::v1::WatchResponse::kSnapshotBegin:
      return "begin";
    case cleanup::v1::WatchResponse::kSnapshotEnd:
      return "end";
    case cleanup::v1::WatchResponse::kChanged:
      return StrCat("changed ", message.changed().name(), " ", message.changed().phase());
    case cleanup::v1::WatchResponse::kRemoved:
      return StrCat("removed ", message.removed().name());
    case cleanup::v1::WatchResponse::kProgress:
      return "progress";
    case cleanup::v1::WatchResponse::EVENT_NOT_SET:
      break;
  }
  return "nothing";
}

// One running watch.
class TestWatch {
 public:
  TestWatch(cleanup::v1::CleanupService::Stub& stub, const std::string& token = "") {
    cleanup::v1::WatchRequest request;
    request.set_resume_token(token);
    context_.set_deadline(std::chrono::system_clock::now() + kPatience);
    reader_ = stub.Watch(&context_, request);
  }
  ~TestWatch() {
    context_.TryCancel();
    cleanup::v1::WatchResponse message;
    while (!ended_ && reader_->Read(&message)) continue;
    if (!ended_) reader_->Finish();
  }
  std::string Next() {
    cleanup::v1::WatchResponse message;
    if (!reader_->Read(&message)) return "over";
    token_ = message.resume_token();
    return Describe(message);
  }
  grpc::Status Finish() {
    ended_ = true;
    return reader_->Finish();
  }
  const std::string& token() const { return token_; }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<cleanup::v1::WatchResponse>> reader_;
  std::string token_;
  bool ended_ = false;
};

TEST_F(ServerTest, WatchesBeginWithASnapshotAndGoOnWhereTheyWere) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice watch cleanupstatuses ");
  scene_.Start();
  const auto alice = scene_.As("alice");
  std::string token;
  {
    TestWatch watch(*alice);
    EXPECT_EQ(watch.Next(), "begin");
    EXPECT_EQ(watch.token(), "");
    EXPECT_EQ(watch.Next(), "changed w.v1 Ready");
    EXPECT_EQ(watch.token(), "");
    EXPECT_EQ(watch.Next(), "end");
    EXPECT_NE(watch.token(), "");
    scene_.PutCsv("w.v1", /*enabled=*/false);
    EXPECT_EQ(watch.Next(), "changed w.v1 Disabled");
    token = watch.token();
  }
  scene_.RemoveCsv("w.v1");
  scene_.PutCsv("x.v1", false);
  {
    TestWatch watch(*alice, token);
    EXPECT_EQ(watch.Next(), "removed w.v1");
    EXPECT_EQ(watch.token(), token) << "until all that belongs to the new state is sent";
    EXPECT_EQ(watch.Next(), "changed x.v1 Disabled");
    EXPECT_NE(watch.token(), token);
  }
  for (const std::string unknown : {"garbage", "1"}) {
    TestWatch watch(*alice, unknown);
    EXPECT_EQ(watch.Next(), "begin");
    EXPECT_EQ(watch.Next(), "changed x.v1 Disabled");
    EXPECT_EQ(watch.Next(), "end");
  }
}

TEST_F(ServerTest, WatchesAreBounded) {
  scene_.Allow("alice watch cleanupstatuses ");
  ServerOptions options;
  options.max_watches = 1;
  scene_.Start(options);
  const auto alice = scene_.As("alice");
  TestWatch first(*alice);
  EXPECT_EQ(first.Next(), "begin");
  TestWatch second(*alice);
  EXPECT_EQ(second.Next(), "over");
  const grpc::Status status = second.Finish();
  EXPECT_EQ(status.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_GT(kube::FromStatus(kube::FromGrpc(status)).retry_after_seconds, 0);
}

TEST_F(ServerTest, PendingOperandsAreFilteredByWhatTheRequesterMayList) {
  scene_.PutCsv("w.v1");
  scene_.AddWidget("a", "one");
  scene_.AddWidget("b", "two");
  scene_.AddWidget("ops", "elsewhere");
  scene_.Allow("alice get cleanupstatuses/pending ops");
  scene_.Allow("alice list widgets a");
  scene_.Start();
  cleanup::v1::ListPendingResponse response;
  const grpc::Status status = scene_.As("alice")->ListPending(
      Context().get(), Of<cleanup::v1::ListPendingRequest>("w.v1"), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.operands_size(), 1);
  EXPECT_EQ(response.operands(0).name(), "one");
  EXPECT_EQ(response.operands(0).kind(), "Widget");
  EXPECT_EQ(response.hidden(), 1);
}

TEST_F(ServerTest, PreviewTellsWhatWouldHappen) {
  scene_.PutCsv("w.v1");
  scene_.AddWidget("a", "one");
  scene_.AddWidget("ops", "elsewhere");
  scene_.Allow("alice get cleanupstatuses/preview ops");
  scene_.Start();
  cleanup::v1::PreviewResponse response;
  const grpc::Status status = scene_.As("alice")->Preview(
      Context().get(), Of<cleanup::v1::PreviewRequest>("w.v1"), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.verdict(), "Allowed");
  EXPECT_THAT(response.blockers(), IsEmpty());
  EXPECT_FALSE(response.recorded());
  EXPECT_THAT(response.effective_targets().namespaces(), ElementsAre("a", "b"));
  ASSERT_EQ(response.definitions_size(), 1);
  EXPECT_EQ(response.definitions(0).state(), "Served");
  EXPECT_EQ(response.definitions(0).to_delete(), 1);
  EXPECT_EQ(response.definitions(0).kept(), 1);
}

TEST_F(ServerTest, AbortIsAskedForEachTimeAnew) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice patch clusterserviceversions ops");
  scene_.Start();
  const auto alice = scene_.As("alice");
  cleanup::v1::AbortResponse response;
  ASSERT_TRUE(alice->Abort(Context().get(), Of<cleanup::v1::AbortRequest>("w.v1"), &response).ok());
  EXPECT_TRUE(response.changed());
  EXPECT_THAT(scene_.cluster().Objects(kSceneCsvs).at({"ops", "w.v1"}),
              HasSubstr(R"("enabled":false)"));
  ASSERT_TRUE(alice->Abort(Context().get(), Of<cleanup::v1::AbortRequest>("w.v1"), &response).ok());
  EXPECT_FALSE(response.changed());
  scene_.Forbid("alice patch clusterserviceversions ops");
  EXPECT_EQ(
      alice->Abort(Context().get(), Of<cleanup::v1::AbortRequest>("w.v1"), &response).error_code(),
      grpc::PERMISSION_DENIED);
}

TEST_F(ServerTest, AnAbortIsOnRecord) {
  audit::RecordedLog log(
      "omitStages: [RequestReceived]\n"
      "rules: [{level: Metadata, verbs: [patch]}]");
  scene_.UseAuditLog(*log.get());
  scene_.PutCsv("w.v1");
  scene_.Allow("alice patch clusterserviceversions ops");
  scene_.Start();
  cleanup::v1::AbortRequest request = Of<cleanup::v1::AbortRequest>("w.v1");
  request.mutable_on_behalf_of()->set_user("alice");
  cleanup::v1::AbortResponse response;
  const auto frontend = scene_.As("steward-apiserver");
  const auto context = Context();
  context->AddMetadata("audit-id", "id-7");
  ASSERT_TRUE(frontend->Abort(context.get(), request, &response).ok());
  request.mutable_on_behalf_of()->set_user("bob");
  EXPECT_FALSE(frontend->Abort(Context().get(), request, &response).ok());
  EXPECT_THAT(scene_.events(),
              ElementsAre("CleanupDisabled: spec.cleanup.enabled was set to false by \"alice\" "
                          "through \"steward-apiserver\""));
  scene_.Stop();
  const std::vector<std::string> lines = log.Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(
      lines[0],
      AllOf(HasSubstr(R"("auditID":"id-7")"),
            HasSubstr(R"("requestURI":"/steward.cleanup.v1.CleanupService/Abort","verb":"patch")"),
            HasSubstr(R"("user":{"username":"steward-apiserver")"),
            HasSubstr(R"("impersonatedUser":{"username":"alice"})"),
            HasSubstr(R"("sourceIPs":["127.0.0.1"])"), HasSubstr(R"("code":200})"),
            HasSubstr(R"("authorization.k8s.io/decision":"allow")")));
  EXPECT_THAT(lines[1], AllOf(HasSubstr(R"("impersonatedUser":{"username":"bob"})"),
                              HasSubstr(R"("reason":"Forbidden")"),
                              HasSubstr(R"("authorization.k8s.io/decision":"forbid")")));
}

TEST_F(ServerTest, WithoutACertificateOfTheCaNobodyGetsIn) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice get cleanupstatuses ops");
  scene_.Start();
  const TestCa other("another-ca");
  TestCertOptions alice;
  alice.common_name = "alice";
  for (const TestKeyPair& pair : {other.Issue(alice), TestKeyPair{}}) {
    const auto stub = cleanup::v1::CleanupService::NewStub(scene_.ChannelWith(pair));
    const auto context = Context();
    context->set_wait_for_ready(false);
    cleanup::v1::GetResponse response;
    EXPECT_EQ(stub->Get(context.get(), Of<cleanup::v1::GetRequest>("w.v1"), &response).error_code(),
              grpc::UNAVAILABLE);
  }
}

TEST_F(ServerTest, BeforeTheFirstListsItIsNotReady) {
  scene_.Allow("alice get cleanupstatuses ops");
  scene_.ForgetWorld();
  scene_.Start();
  const grpc::Status status = Get(*scene_.As("alice"), Of<cleanup::v1::GetRequest>("w.v1"));
  EXPECT_EQ(status.error_code(), grpc::UNAVAILABLE);
  EXPECT_EQ(kube::FromStatus(kube::FromGrpc(status)).code, 503);
}

TEST_F(ServerTest, TooLargeAQuestionIsRefused) {
  scene_.Start();
  cleanup::v1::GetRequest request = Of<cleanup::v1::GetRequest>(std::string(5 << 20, 'x'));
  EXPECT_EQ(Get(*scene_.As("alice"), request).error_code(), grpc::RESOURCE_EXHAUSTED);
}

TEST_F(ServerTest, TheClientsDeadlineAndTheServersOwnEndTheWork) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice get cleanupstatuses/preview ops");
  ServerOptions options;
  options.call_timeout = absl::Milliseconds(300);
  CleanupCallsOptions calls;
  calls.previews.places = {.places = 1};
  scene_.Start(options, calls);
  const auto alice = scene_.As("alice");
  scene_.cluster().Hold(ClientVerb::kGet, kSceneCsvs);
  cleanup::v1::PreviewResponse response;
  const grpc::Status mine = alice->Preview(Context(std::chrono::milliseconds(100)).get(),
                                           Of<cleanup::v1::PreviewRequest>("w.v1"), &response);
  EXPECT_EQ(mine.error_code(), grpc::DEADLINE_EXCEEDED);
  // The single place for previews becomes free only when the work has ended.
  grpc::Status servers;
  do {
    servers = alice->Preview(Context().get(), Of<cleanup::v1::PreviewRequest>("w.v1"), &response);
  } while (servers.error_code() == grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(servers.error_code(), grpc::DEADLINE_EXCEEDED);
  EXPECT_THAT(servers.error_message(), HasSubstr("no answer within"));
  scene_.cluster().Release(ClientVerb::kGet, kSceneCsvs);
  // Repeat, because a busy machine may not answer within the time.
  grpc::Status after;
  do {
    after = alice->Preview(Context().get(), Of<cleanup::v1::PreviewRequest>("w.v1"), &response);
  } while (after.error_code() == grpc::DEADLINE_EXCEEDED);
  EXPECT_TRUE(after.ok()) << after.error_message();
}

TEST_F(ServerTest, StoppingEndsEverything) {
  scene_.PutCsv("w.v1");
  scene_.Allow("alice watch cleanupstatuses ");
  scene_.Allow("alice get cleanupstatuses/preview ops");
  ServerOptions options;
  options.stop_grace = absl::ZeroDuration();
  scene_.Start(options);
  const auto alice = scene_.As("alice");
  TestWatch watch(*alice);
  EXPECT_EQ(watch.Next(), "begin");
  scene_.cluster().Hold(ClientVerb::kGet, kSceneCsvs);
  const auto context = Context();
  cleanup::v1::PreviewResponse response;
  grpc::CompletionQueue queue;
  const auto call =
      alice->AsyncPreview(context.get(), Of<cleanup::v1::PreviewRequest>("w.v1"), &queue);
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  // The call has begun when it has read from the cluster.
  while (scene_.cluster().calls(ClientVerb::kGet, kSceneCsvs) == 0) {
    ASSERT_EQ(watch.token(), "");
  }
  scene_.Stop();
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_FALSE(status.ok());
  while (watch.Next() != "over") continue;
  const grpc::Status end = watch.Finish();
  EXPECT_EQ(end.error_code(), grpc::UNAVAILABLE);
  queue.Shutdown();
}

TEST_F(ServerTest, WhatCannotBeUsedIsSaid) {
  ServerOptions options = scene_.WithFiles({});
  options.key_file = options.client_ca_file;
  EXPECT_THAT(std::string(scene_.StartAnother(options).status().message()), HasSubstr("tls.crt"));
  options = scene_.WithFiles({});
  options.client_ca_file = "/nowhere/ca.crt";
  EXPECT_THAT(std::string(scene_.StartAnother(options).status().message()),
              HasSubstr("/nowhere/ca.crt"));
  scene_.Start();
  options = scene_.WithFiles({});
  options.address = scene_.Address();
  EXPECT_THAT(std::string(scene_.StartAnother(options).status().message()),
              HasSubstr(scene_.Address()));
}

// A client without a certificate holds a descriptor only for a moment.
TEST_F(ServerTest, AConnectionWithoutAHandshakeIsClosed) {
  scene_.Start({.handshake_timeout = absl::Milliseconds(100)});
  const int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience = {.tv_sec = kPatience.count(), .tv_usec = 0};
  setsockopt(stranger, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(scene_.server().port()));
  ASSERT_EQ(connect(stranger, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  char byte = 0;
  const ssize_t got = read(stranger, &byte, 1);
  EXPECT_TRUE(got == 0 || errno == ECONNRESET) << got << " " << std::strerror(errno);
  close(stranger);
}

}  // namespace
}  // namespace steward::rpc
