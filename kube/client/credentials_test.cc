#include "kube/client/credentials.h"

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;

// Credentials of a plugin whose output the test sets. (For token files, see rest_client_test.)
class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() { config_.exec.emplace(); }

  void Make() {
    credentials_.emplace(config_, io_.get_executor(), clock_, ReadFile,
                         [this](const ExecPlugin&) -> absl::StatusOr<ExecCredential> {
                           ++runs_;
                           return says_;
                         });
  }
  absl::StatusOr<Credential> Current() {
    io_.restart();
    return RunOn(io_, credentials_->Current());
  }
  absl::StatusOr<bool> Renew(const Credential& refused) {
    io_.restart();
    return RunOn(io_, credentials_->Renew(refused));
  }

  boost::asio::io_context io_;
  FakeClock clock_;
  ClientConfig config_;
  absl::StatusOr<ExecCredential> says_ = ExecCredential{"one", "", "", std::nullopt};
  int runs_ = 0;
  std::optional<Credentials> credentials_;
};

TEST_F(CredentialsTest, APluginRunsOnceUntilItsWordsExpire) {
  says_->expiry = clock_.Now() + absl::Minutes(10);
  Make();
  ASSERT_OK_AND_ASSIGN(const Credential first, Current());
  EXPECT_EQ(first.authorization, "Bearer one");
  EXPECT_EQ(first.certificate, nullptr);
  says_ = ExecCredential{"two", "", "", std::nullopt};
  clock_.Advance(absl::Minutes(10) - absl::Seconds(1));
  EXPECT_THAT(Current(), IsOkAndHolds(first));
  EXPECT_EQ(runs_, 1);
  clock_.Advance(absl::Seconds(1));
  ASSERT_OK_AND_ASSIGN(const Credential second, Current());
  EXPECT_EQ(second.authorization, "Bearer two");
  clock_.Advance(absl::Hours(1000));
  EXPECT_THAT(Current(), IsOkAndHolds(second));
  EXPECT_EQ(runs_, 2);
}

TEST_F(CredentialsTest, ACertificateKeepsItsIdentity) {
  says_ = ExecCredential{"", "C", "K", clock_.Now()};
  Make();
  ASSERT_OK_AND_ASSIGN(const Credential first, Current());
  EXPECT_EQ(first.authorization, "");
  ASSERT_NE(first.certificate, nullptr);
  EXPECT_EQ(*first.certificate, (PemKeyPair{"C", "K"}));
  EXPECT_THAT(Current(), IsOkAndHolds(first));
  EXPECT_EQ(runs_, 2);
  says_->cert_pem = "D";
  ASSERT_OK_AND_ASSIGN(const Credential other, Current());
  EXPECT_NE(other.certificate, first.certificate);
}

TEST_F(CredentialsTest, AfterARefusalItRunsAgain) {
  Make();
  ASSERT_OK_AND_ASSIGN(const Credential first, Current());
  EXPECT_THAT(Renew(first), IsOkAndHolds(false));
  EXPECT_EQ(runs_, 2);
  says_->token = "two";
  // A new run must wait, since the runs until now returned the same token.
  EXPECT_THAT(Renew(first), IsOkAndHolds(false));
  EXPECT_EQ(runs_, 2);
  clock_.Advance(Credentials::kRenewalPause);
  EXPECT_THAT(Renew(first), IsOkAndHolds(true));
  EXPECT_EQ(runs_, 3);
  // Another caller has run the plugin since.
  EXPECT_THAT(Renew(first), IsOkAndHolds(true));
  EXPECT_EQ(runs_, 3);
  says_ = absl::UnauthenticatedError("the session has ended");
  ASSERT_OK_AND_ASSIGN(const Credential second, Current());
  EXPECT_THAT(Renew(second),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("session has ended")));
}

TEST_F(CredentialsTest, CallersAtOneTimeShareARun) {
  Make();
  TaskGroup calls(io_.get_executor());
  int done = 0;
  const auto ask = [](Credentials& credentials, int& count) -> VoidTask {
    const absl::StatusOr<Credential> credential = co_await credentials.Current();
    if (credential.ok()) ++count;
  };
  for (int i = 0; i < 3; ++i) calls.Spawn("call", ask(*credentials_, done));
  while (done < 3) {
    io_.restart();
    io_.run_one();
  }
  EXPECT_EQ(runs_, 1);
  io_.restart();
  RunOn(io_, calls.Stop());
}

TEST_F(CredentialsTest, OtherCredentialsComeFirst) {
  config_.token = "mine";
  Make();
  ASSERT_OK_AND_ASSIGN(const Credential credential, Current());
  EXPECT_EQ(credential.authorization, "Bearer mine");
  EXPECT_THAT(Renew(credential), IsOkAndHolds(false));
  EXPECT_EQ(runs_, 0);
}

TEST_F(CredentialsTest, FailuresAndUnusableTokensAreErrors) {
  Make();
  says_ = absl::UnauthenticatedError("the plugin hangs");
  EXPECT_THAT(Current(), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("hangs")));
  says_ = ExecCredential{"a\r\nX: y", "", "", std::nullopt};
  EXPECT_THAT(Current(), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("token")));
}

}  // namespace
}  // namespace steward::kube
