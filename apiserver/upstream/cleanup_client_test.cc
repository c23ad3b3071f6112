#include "apiserver/upstream/cleanup_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/upstream/channel.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/clock/fake_clock.h"
#include "base/log/log.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "base/tls/testing.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/meta/status.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::upstream {
namespace {

using kube::ClientVerb;
using rpc::Scene;
using ::testing::HasSubstr;

class CleanupClientTest : public ::testing::Test {
 protected:
  // Options with a client certificate of this name.
  ChannelOptions OptionsAs(const std::string& common_name) {
    const std::string path = scene_.directory().path();
    TestCertOptions certificate;
    certificate.common_name = common_name;
    const TestKeyPair pair = scene_.ca().Issue(certificate);
    EXPECT_OK(ReplaceFile(path + "/client.crt", pair.cert_pem, 0644));
    EXPECT_OK(ReplaceFile(path + "/client.key", pair.key_pem, 0600));
    EXPECT_OK(ReplaceFile(path + "/authority.crt", scene_.ca().cert_pem(), 0644));
    ChannelOptions options;
    options.ca_file = path + "/authority.crt";
    options.cert_file = path + "/client.crt";
    options.key_file = path + "/client.key";
    return options;
  }
  void Connect(ChannelOptions options) {
    if (options.address.empty()) options.address = scene_.Address();
    auto channel = Channel::Create(std::move(options), Clock::Real(), random_);
    ASSERT_OK(channel);
    channel_ = *std::move(channel);
    client_ = std::make_unique<CleanupClient>(*channel_);
  }
  void StartWithPending() {
    scene_.PutCsv("w.v1");
    scene_.AddWidget("a", "one");
    scene_.AddWidget("a", "two");
    scene_.AddWidget("b", "three");
    scene_.Allow("alice get cleanupstatuses/pending ops");
    scene_.Allow("alice list widgets a");
    scene_.Start();
  }
  absl::StatusOr<PendingPage> Ask(const std::string& user = "alice", int64_t limit = 0,
                                  const std::string& token = "") {
    Asker asker;
    asker.user.name = user;
    asker.user.groups = {"dev"};
    asker.audit_id = "id-1";
    asker.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    return RunOn(io_, client_->ListPending(asker, {"ops", "w.v1"}, limit, token));
  }

  boost::asio::io_context io_{1};
  FixedRandom random_{0.0};
  Scene scene_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<CleanupClient> client_;
};

TEST_F(CleanupClientTest, AnswersAreForTheAsker) {
  StartWithPending();
  Connect(OptionsAs("steward-apiserver"));
  const auto first = Ask("alice", 1);
  ASSERT_OK(first);
  ASSERT_EQ(first->operands.size(), 1u);
  EXPECT_EQ(first->operands[0].name, (kube::NamespacedName{"a", "one"}));
  EXPECT_EQ(first->operands[0].plural, "widgets");
  EXPECT_EQ(first->remaining, 2);
  const auto rest = Ask("alice", 10, first->continue_token);
  ASSERT_OK(rest);
  EXPECT_EQ(rest->operands.size(), 1u);
  EXPECT_EQ(rest->hidden, 1);
  EXPECT_EQ(rest->continue_token, "");
  EXPECT_EQ(kube::FromStatus(Ask("bob").status()).code, 403);
  EXPECT_EQ(kube::FromStatus(Ask("alice", 1, "nonsense").status()).code, 400);
}

TEST_F(CleanupClientTest, TheyKnowTheRequestByItsIds) {
  StartWithPending();
  Connect(OptionsAs("steward-apiserver"));
  log::SetVerbosity(4);
  ::testing::internal::CaptureStderr();
  EXPECT_OK(Ask());
  scene_.Stop();
  log::SetVerbosity(0);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("audit-ID=\"id-1\" "
                        "traceparent=\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\""));
}

TEST_F(CleanupClientTest, WhoIsNoFrontendIsToldSo) {
  StartWithPending();
  Connect(OptionsAs("somebody"));
  const kube::Status status = kube::FromStatus(Ask().status());
  EXPECT_EQ(status.code, 403);
  EXPECT_THAT(status.message, HasSubstr("is no frontend"));
}

TEST_F(CleanupClientTest, AwayIsA503WithTimeAndReason) {
  StartWithPending();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.address = "127.0.0.1:1";
  options.circuit.failures = 2;
  Connect(options);
  const kube::Status status = kube::FromStatus(Ask().status());
  EXPECT_EQ(status.code, 503);
  EXPECT_EQ(status.reason, "ServiceUnavailable");
  EXPECT_GE(status.retry_after_seconds, 1);
  EXPECT_THAT(status.message, HasSubstr("Steward's controllers cannot be asked at present: "));
  EXPECT_THAT(status.message, HasSubstr("127.0.0.1:1"));
}

TEST_F(CleanupClientTest, TheyComeBack) {
  StartWithPending();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.address = scene_.Address();
  options.circuit.open = {absl::Milliseconds(20), absl::Milliseconds(20), 1.0, 0.0};
  Connect(options);
  ASSERT_OK(Ask());
  const std::string address = scene_.Address();
  scene_.Stop();
  EXPECT_EQ(kube::FromStatus(Ask().status()).code, 503);
  auto again = scene_.WithFiles({});
  again.address = address;
  const auto server = scene_.StartAnother(again);
  ASSERT_OK(server);
  absl::Status status;
  const absl::Time give_up = Clock::Real().Now() + absl::Seconds(60);
  do {
    status = Ask().status();
  } while (!status.ok() && Clock::Real().Now() < give_up);
  EXPECT_OK(status);
  RunOn(io_, (*server)->Stop());
}

TEST_F(CleanupClientTest, AnAnswerOfTheirsIsNoFailureOfTheWayThere) {
  StartWithPending();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.circuit.failures = 1;
  options.attempts = 1;
  Connect(options);
  scene_.cluster().FailNext(ClientVerb::kGet, rpc::kSceneCsvs,
                            absl::UnavailableError("etcd is slow"));
  const kube::Status status = kube::FromStatus(Ask().status());
  EXPECT_EQ(status.code, 503);
  EXPECT_THAT(status.message, HasSubstr("etcd is slow"));
  EXPECT_OK(Ask());
}

TEST_F(CleanupClientTest, AnImpostorIsNotAsked) {
  StartWithPending();
  ChannelOptions options = OptionsAs("steward-apiserver");
  const TestCa other("another-ca");
  ASSERT_OK(ReplaceFile(options.ca_file, other.cert_pem(), 0644));
  Connect(options);
  EXPECT_EQ(kube::FromStatus(Ask().status()).code, 503);
}

TEST_F(CleanupClientTest, ACertificateForAnotherHostIsRefused) {
  StartWithPending();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.address = StrCat("ipv4:127.0.0.2:", scene_.server().port());
  Connect(options);
  EXPECT_EQ(kube::FromStatus(Ask().status()).code, 503);
}

TEST_F(CleanupClientTest, SilenceEndsAtTheDeadline) {
  StartWithPending();
  scene_.cluster().Hold(ClientVerb::kGet, rpc::kSceneCsvs);
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.call_timeout = absl::Milliseconds(300);
  Connect(options);
  const kube::Status status = kube::FromStatus(Ask().status());
  EXPECT_EQ(status.code, 503);
  EXPECT_THAT(status.message, HasSubstr("Deadline"));
  scene_.cluster().Release(ClientVerb::kGet, rpc::kSceneCsvs);
}

TEST_F(CleanupClientTest, QuestionsAtATimeAreBounded) {
  StartWithPending();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.max_calls = 0;
  Connect(options);
  EXPECT_EQ(kube::FromStatus(Ask().status()).code, 429);
}

TEST_F(CleanupClientTest, GivingUpEndsTheCall) {
  StartWithPending();
  scene_.cluster().Hold(ClientVerb::kGet, rpc::kSceneCsvs);
  Connect(OptionsAs("steward-apiserver"));
  boost::asio::cancellation_signal cancel;
  bool ended = false;
  Asker asker;
  asker.user.name = "alice";
  boost::asio::co_spawn(io_, client_->ListPending(asker, {"ops", "w.v1"}, 0, ""),
                        boost::asio::bind_cancellation_slot(
                            cancel.slot(), [&ended](std::exception_ptr exception, auto) {
                              ended = exception != nullptr;
                            }));
  while (scene_.cluster().calls(ClientVerb::kGet, rpc::kSceneCsvs) == 0) {
    io_.restart();
    io_.poll();
  }
  cancel.emit(boost::asio::cancellation_type::terminal);
  io_.restart();
  io_.run();
  EXPECT_TRUE(ended);
  scene_.cluster().Release(ClientVerb::kGet, rpc::kSceneCsvs);
}

using Statuses = ResponseStream<cleanup::v1::WatchResponse>;

class ChannelStreamTest : public CleanupClientTest {
 protected:
  absl::StatusOr<Statuses> Watch(const std::string& user = "alice") {
    Asker asker;
    asker.user.name = user;
    return channel_->Stream<cleanup::v1::WatchRequest, cleanup::v1::WatchResponse>(
        "/steward.cleanup.v1.CleanupService/Watch", asker, cleanup::v1::WatchRequest());
  }
  absl::StatusOr<std::optional<cleanup::v1::WatchResponse>> Next(Statuses& stream) {
    return RunOn(io_, stream.Next());
  }
  void StartWithOne() {
    scene_.PutCsv("w.v1");
    scene_.Allow("alice watch cleanupstatuses ");
    scene_.Start();
  }
};

TEST_F(ChannelStreamTest, MessagesComeOneByOne) {
  StartWithOne();
  Connect(OptionsAs("steward-apiserver"));
  auto stream = Watch();
  ASSERT_OK(stream);
  for (const bool last : {false, false, true}) {
    const auto message = Next(*stream);
    ASSERT_OK(message);
    ASSERT_TRUE(message->has_value());
    EXPECT_EQ((*message)->has_snapshot_end(), last);
  }
  scene_.PutCsv("w.v1", /*enabled=*/false);
  const auto changed = Next(*stream);
  ASSERT_OK(changed);
  ASSERT_TRUE(changed->has_value());
  EXPECT_EQ((*changed)->changed().phase(), "Disabled");
}

TEST_F(ChannelStreamTest, ARefusalIsAnAnswer) {
  StartWithOne();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.circuit.failures = 1;
  Connect(options);
  auto refused = Watch("bob");
  ASSERT_OK(refused);
  EXPECT_EQ(kube::FromStatus(Next(*refused).status()).code, 403);
  auto stream = Watch();
  ASSERT_OK(stream) << "the way there is good";
  EXPECT_OK(Next(*stream));
}

TEST_F(ChannelStreamTest, TheEndOfTheControllersIsAnError) {
  StartWithOne();
  Connect(OptionsAs("steward-apiserver"));
  auto stream = Watch();
  ASSERT_OK(stream);
  ASSERT_OK(Next(*stream));
  scene_.Stop();
  absl::Status end;
  while (end.ok()) end = Next(*stream).status();
  EXPECT_EQ(kube::FromStatus(end).code, 503);
}

TEST_F(ChannelStreamTest, AwayIsA503AndOpensTheCircuit) {
  StartWithOne();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.address = "127.0.0.1:1";
  options.circuit.failures = 1;
  Connect(options);
  auto stream = Watch();
  ASSERT_OK(stream);
  EXPECT_EQ(kube::FromStatus(Next(*stream).status()).code, 503);
  EXPECT_EQ(kube::FromStatus(Watch().status()).code, 503);
  EXPECT_EQ(kube::FromStatus(Ask().status()).code, 503) << "calls and streams share it";
}

TEST_F(ChannelStreamTest, LettingGoEndsTheCall) {
  StartWithOne();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.max_streams = 1;
  Connect(options);
  {
    auto stream = Watch();
    ASSERT_OK(stream);
    ASSERT_OK(Next(*stream));
    EXPECT_EQ(kube::FromStatus(Watch().status()).code, 429);
  }
  auto another = Watch();
  ASSERT_OK(another);
  EXPECT_OK(Next(*another));
}

TEST_F(ChannelStreamTest, OneThatWasNeverReadEnds) {
  StartWithOne();
  Connect(OptionsAs("steward-apiserver"));
  EXPECT_OK(Watch());
}

TEST_F(CleanupClientTest, FilesThatCannotBeUsedAreNamed) {
  scene_.Start();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.address = scene_.Address();
  options.cert_file = options.key_file;
  EXPECT_THAT(std::string(Channel::Create(options, Clock::Real(), random_).status().message()),
              HasSubstr("client.key"));
}

TEST_F(CleanupClientTest, FilesMayComeLater) {
  scene_.Start();
  ChannelOptions options = OptionsAs("steward-apiserver");
  options.ca_file = "/nowhere/ca.crt";
  Connect(options);
  const kube::Status status = kube::FromStatus(Ask().status());
  EXPECT_EQ(status.code, 503);
  EXPECT_THAT(status.message, HasSubstr("/nowhere/ca.crt"));
}

}  // namespace
}  // namespace steward::upstream
