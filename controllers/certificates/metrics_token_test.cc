#include "controllers/certificates/metrics_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/time.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using kube::FakeClient;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const kube::NamespacedName kName = {"steward-system", "steward-metrics-reader"};

class TestEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType, std::string_view reason,
              std::string_view) override {
    events.push_back(StrCat(reason, " ", about.name.name));
  }
  std::vector<std::string> events;
};

class MetricsTokenTest : public ::testing::Test {
 protected:
  MetricsTokenTest() {
    cluster_.Serve(kube::kSecrets);
    cluster_.Serve(kube::kServiceAccounts);
    // The answer of the kube-apiserver to a TokenRequest.
    cluster_.HandleCreate(
        kube::kServiceAccounts, [this](const json::value& request) -> absl::StatusOr<json::value> {
          requests_.push_back(request);
          json::value answer = request;
          answer.as_object()["status"] = {
              {"token", StrCat("token-", requests_.size())},
              {"expirationTimestamp", kube::FormatRfc3339(clock_.Now() + given_)}};
          return answer;
        });
  }
  ~MetricsTokenTest() override { RunOn(io_, watches_.Stop()); }

  void PutAccount() {
    cluster_.Put(kube::kServiceAccounts,
                 R"({"metadata":{"name":"steward-metrics-reader","namespace":"steward-system"}})");
  }
  absl::Status Pass() { return RunOn(io_, reconciler_.Reconcile(kName)).status(); }
  json::object Secret() {
    const auto objects = cluster_.Objects(kube::kSecrets);
    const auto found = objects.find(kName);
    if (found == objects.end()) return {};
    return json::parse(found->second).as_object();
  }
  std::string Token() {
    const json::object secret = Secret();
    std::string text;
    if (secret.empty() || !secret.at("data").as_object().contains("token")) return text;
    absl::Base64Unescape(secret.at("data").at("token").as_string().c_str(), &text);
    return text;
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  FakeClient cluster_;
  prometheus::Registry registry_;
  TestLeadership leadership_;
  TestEvents events_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  MetadataWatches watches_{cluster_, clock_, random_, io_.get_executor()};
  FeatureGates gates_ = FeatureGates({});
  absl::Duration given_ = absl::Hours(24);
  std::vector<json::value> requests_;
  MetricsTokenReconciler reconciler_{ReconcilerDeps{cluster_, leadership_, worlds_, watches_,
                                                    events_, clock_, random_, registry_, gates_},
                                     {}};
};

TEST_F(MetricsTokenTest, WithoutTheAccountNothingIsMade) {
  EXPECT_OK(Pass());
  EXPECT_THAT(Secret(), IsEmpty());
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(MetricsTokenTest, ATokenIsReplacedAtHalfOfItsLife) {
  PutAccount();
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-1");
  ASSERT_EQ(requests_.size(), 1u);
  const json::value& spec = requests_[0].at("spec");
  EXPECT_EQ(spec.at("expirationSeconds").as_int64(), 24 * 3600);
  EXPECT_EQ(spec.at("boundObjectRef").at("name"), "steward-metrics-reader");
  EXPECT_EQ(spec.at("boundObjectRef").at("uid"), Secret().at("metadata").at("uid"));

  clock_.Advance(absl::Hours(11));
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-1");
  // The cluster gives the next one less time.
  given_ = absl::Minutes(10);
  clock_.Advance(absl::Hours(1));
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-2");
  clock_.Advance(absl::Minutes(5));
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-3");
}

TEST_F(MetricsTokenTest, AnAccountThatWasMadeAnewHasATokenOfItsOwn) {
  PutAccount();
  EXPECT_OK(Pass());
  cluster_.Delete(kube::kServiceAccounts, kName);
  EXPECT_OK(Pass());
  PutAccount();
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-2");
}

TEST_F(MetricsTokenTest, ADeletedSecretIsMadeAnewWithAnotherToken) {
  PutAccount();
  EXPECT_OK(Pass());
  cluster_.Delete(kube::kSecrets, kName);
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-2");
}

TEST_F(MetricsTokenTest, ATokenThatIsRefusedIsAskedForAgain) {
  PutAccount();
  cluster_.FailNext(FakeClient::Verb::kCreate, kube::kServiceAccounts,
                    absl::UnavailableError("away"));
  EXPECT_FALSE(Pass().ok());
  EXPECT_EQ(Token(), "");
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "token-1");
}

TEST_F(MetricsTokenTest, ASecretOfOthersIsLeftAlone) {
  PutAccount();
  cluster_.Put(kube::kSecrets,
               R"({"metadata":{"name":"steward-metrics-reader","namespace":"steward-system"},)"
               R"("type":"kubernetes.io/service-account-token","data":{"token":"bWluZQ=="}})");
  EXPECT_OK(Pass());
  EXPECT_OK(Pass());
  EXPECT_EQ(Token(), "mine");
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(events_.events, ElementsAre("ForeignSecret steward-metrics-reader"));
}

}  // namespace
}  // namespace steward::controllers
