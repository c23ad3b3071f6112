#include "apiserver/filters/authentication/extension_authentication_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/tls/testing.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"

namespace steward::filters {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Verb = kube::FakeClient::Verb;

constexpr char kSelector[] = "metadata.name=extension-apiserver-authentication";

std::string ConfigMap(std::initializer_list<std::pair<std::string, std::string>> data) {
  json::object fields;
  for (const auto& [key, value] : data) fields[key] = value;
  json::object root;
  root["metadata"] = {{"name", "extension-apiserver-authentication"}, {"namespace", "kube-system"}};
  root["data"] = fields;
  return json::serialize(root);
}

// A client with the rights of the Role extension-apiserver-authentication-reader: that one
// ConfigMap, by field selector.
class ReaderClient : public kube::HookClient {
 public:
  using HookClient::HookClient;

  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    if (options.ns != "kube-system" || options.field_selector != kSelector) {
      co_return kube::ToStatus(kube::Forbidden(gvr, "", "too broad"));
    }
    co_return co_await inner().List(gvr, options);
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    if (options.ns != "kube-system" || options.field_selector != kSelector) {
      co_return kube::ToStatus(kube::Forbidden(gvr, "", "too broad"));
    }
    co_return co_await inner().StartWatch(gvr, options);
  }
};

TEST(ParseExtensionAuthenticationTest, WholeConfigMap) {
  ASSERT_OK_AND_ASSIGN(const AuthenticationSettings settings,
                       ParseExtensionAuthentication(ConfigMap(
                           {{"client-ca-file", "C"},
                            {"requestheader-client-ca-file", "R"},
                            {"requestheader-allowed-names", R"(["front-proxy-client"])"},
                            {"requestheader-username-headers", R"(["X-Remote-User"])"},
                            {"requestheader-group-headers", R"(["X-Remote-Group","X-Group"])"},
                            {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"},
                            {"requestheader-uid-headers", R"(["X-Remote-Uid"])"}})));
  EXPECT_EQ(settings.client_ca_pem, "C");
  ASSERT_TRUE(settings.request_header.has_value());
  EXPECT_EQ(settings.request_header->ca_pem, "R");
  EXPECT_THAT(settings.request_header->allowed_names, ElementsAre("front-proxy-client"));
  EXPECT_THAT(settings.request_header->username_headers, ElementsAre("X-Remote-User"));
  EXPECT_THAT(settings.request_header->group_headers, ElementsAre("X-Remote-Group", "X-Group"));
  EXPECT_THAT(settings.request_header->extra_prefixes, ElementsAre("X-Remote-Extra-"));
  EXPECT_THAT(settings.request_header->uid_headers, ElementsAre("X-Remote-Uid"));
}

TEST(ParseExtensionAuthenticationTest, AbsentPartsAreAbsent) {
  const std::string texts[] = {
      "{}",
      R"({"data":null})",
      ConfigMap({}),
      ConfigMap({{"requestheader-username-headers", R"(["X-Remote-User"])"}}),
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const AuthenticationSettings settings, ParseExtensionAuthentication(text));
    EXPECT_EQ(settings, AuthenticationSettings());
  }
  ASSERT_OK_AND_ASSIGN(
      const AuthenticationSettings partial,
      ParseExtensionAuthentication(ConfigMap({{"requestheader-client-ca-file", "R"},
                                              {"requestheader-allowed-names", ""},
                                              {"requestheader-group-headers", "null"}})));
  EXPECT_TRUE(partial.request_header->allowed_names.empty());
  EXPECT_TRUE(partial.request_header->group_headers.empty());
}

TEST(ParseExtensionAuthenticationTest, Damaged) {
  const std::string texts[] = {
      "",
      "[]",
      "not JSON",
      R"({"data":[]})",
      R"({"data":{"client-ca-file":1}})",
      ConfigMap({{"requestheader-client-ca-file", "R"}, {"requestheader-allowed-names", "cn"}}),
      ConfigMap({{"requestheader-client-ca-file", "R"}, {"requestheader-allowed-names", "{}"}}),
      ConfigMap({{"requestheader-client-ca-file", "R"}, {"requestheader-allowed-names", "[1]"}}),
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseExtensionAuthentication(text), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

class ExtensionAuthenticationSourceTest : public ::testing::Test {
 protected:
  ExtensionAuthenticationSourceTest() { cluster_.Serve(kube::kConfigMaps); }
  ~ExtensionAuthenticationSourceTest() override { RunOn(io_, group_.Stop()); }

  void Publish(const TestCa& ca) {
    cluster_.Put(kube::kConfigMaps, ConfigMap({{"client-ca-file", ca.cert_pem()}}));
  }
  void Start() {
    group_.Spawn("source", source_.Run());
    Settle();
  }
  void Settle() {
    for (int i = 0; i < 3; ++i) {
      io_.restart();
      io_.poll();
    }
  }
  // Lets enough time pass for any backoff.
  void Wait() {
    clock_.Advance(absl::Minutes(1));
    Settle();
  }
  const std::string& ca() { return (held_ = store_.Get())->settings.client_ca_pem; }

  const TestCa a_{"a"};
  const TestCa b_{"b"};
  asio::io_context io_;
  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient cluster_;
  ReaderClient client_{cluster_};
  AuthenticationConfigStore store_;
  std::shared_ptr<const AuthenticationConfig> held_;
  ExtensionAuthenticationSource source_{client_, store_, clock_, random_};
  TaskGroup group_{io_.get_executor()};
};

TEST_F(ExtensionAuthenticationSourceTest, ListsThenFollows) {
  Publish(a_);
  EXPECT_FALSE(source_.has_synced());
  Start();
  EXPECT_TRUE(source_.has_synced());
  EXPECT_EQ(ca(), a_.cert_pem());
  Publish(b_);
  Settle();
  EXPECT_EQ(ca(), b_.cert_pem());
}

TEST_F(ExtensionAuthenticationSourceTest, MayAppearLater) {
  store_.AwaitCluster();
  Start();
  EXPECT_FALSE(source_.has_synced());
  EXPECT_TRUE(store_.awaits_cluster());
  EXPECT_EQ(ca(), "");
  Publish(a_);
  Settle();
  EXPECT_TRUE(source_.has_synced());
  EXPECT_FALSE(store_.awaits_cluster());
  EXPECT_EQ(ca(), a_.cert_pem());
}

TEST_F(ExtensionAuthenticationSourceTest, ADamagedOneIsNotSynced) {
  cluster_.Put(kube::kConfigMaps, ConfigMap({{"client-ca-file", "garbage"}}));
  Start();
  EXPECT_FALSE(source_.has_synced());
  cluster_.Put(kube::kConfigMaps, R"({"metadata":{"name":"extension-apiserver-authentication",)"
                                  R"("namespace":"kube-system"},"data":[]})");
  Settle();
  EXPECT_FALSE(source_.has_synced());
  Publish(a_);
  Settle();
  EXPECT_TRUE(source_.has_synced());
  EXPECT_EQ(ca(), a_.cert_pem());
  cluster_.Put(kube::kConfigMaps, ConfigMap({{"client-ca-file", "garbage"}}));
  Settle();
  EXPECT_TRUE(source_.has_synced());
}

TEST_F(ExtensionAuthenticationSourceTest, LastGoodValueStays) {
  Publish(a_);
  Start();
  cluster_.Put(kube::kConfigMaps, ConfigMap({{"client-ca-file", "garbage"}}));
  Settle();
  EXPECT_EQ(ca(), a_.cert_pem());
  cluster_.Delete(kube::kConfigMaps, {"kube-system", "extension-apiserver-authentication"});
  Settle();
  EXPECT_EQ(ca(), a_.cert_pem());
  Publish(b_);
  Settle();
  EXPECT_EQ(ca(), b_.cert_pem());
}

TEST_F(ExtensionAuthenticationSourceTest, SurvivesEveryKindOfFailure) {
  Publish(a_);
  cluster_.FailNext(Verb::kList, kube::kConfigMaps,
                    kube::ToStatus(kube::Forbidden(kube::kConfigMaps, "", "x")));
  cluster_.FailNext(Verb::kList, kube::kConfigMaps, absl::UnavailableError("refused"));
  cluster_.FailNext(Verb::kWatch, kube::kConfigMaps, kube::ToStatus(kube::Expired("old")));
  Start();
  EXPECT_FALSE(source_.has_synced());
  for (int i = 0; i < 4; ++i) Wait();
  EXPECT_TRUE(source_.has_synced());
  EXPECT_EQ(cluster_.running_watches(kube::kConfigMaps), 1u);
  Publish(b_);
  Settle();
  EXPECT_EQ(ca(), b_.cert_pem());

  cluster_.BreakWatches(kube::kConfigMaps);
  Settle();
  Publish(a_);
  Wait();
  EXPECT_EQ(ca(), a_.cert_pem());

  cluster_.CloseWatches(kube::kConfigMaps);
  Settle();
  Publish(b_);
  Wait();
  EXPECT_EQ(ca(), b_.cert_pem());
}

TEST_F(ExtensionAuthenticationSourceTest, BackoffGrowsWhileNothingWorks) {
  cluster_.FailNext(Verb::kList, kube::kConfigMaps, absl::UnavailableError("refused"), 1000);
  Start();
  for (int i = 0; i < 600; ++i) {
    clock_.Advance(absl::Seconds(1));
    Settle();
  }
  EXPECT_LT(cluster_.calls(Verb::kList, kube::kConfigMaps), 40);
  EXPECT_GT(cluster_.calls(Verb::kList, kube::kConfigMaps), 10);
}

}  // namespace
}  // namespace steward::filters
