// A client's identity: exec credential plugins, impersonation by the configuration, and the
// credentials for proxies.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "base/tls/testing.h"
#include "kube/client/config.h"
#include "kube/client/proxy.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_test_fixture.h"
#include "kube/meta/user_info.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RestCredentialsTest : public RestTest {
 protected:
  // A plugin whose output is the content of a file.
  ClientConfig WithPlugin(ClientConfig config) const {
    ExecPlugin& plugin = config.exec.emplace();
    plugin.api_version = "client.authentication.k8s.io/v1";
    plugin.command = "sh";
    plugin.args = {"-c", StrCat("cat ", said_)};
    plugin.input = ExecPlugin::Input::kNever;
    return config;
  }
  void Say(std::string_view status) const {
    std::ofstream(said_) << "apiVersion: client.authentication.k8s.io/v1\n"
                            "kind: ExecCredential\nstatus: "
                         << status << "\n";
  }
  std::string SayToken(std::string_view token) const {
    Say(StrCat("{token: ", token, "}"));
    return StrCat("Authorization: Bearer ", token, "\r\n");
  }

  const std::string said_ = ::testing::TempDir() + "/said";
};

TEST_F(RestCredentialsTest, ARefusedTokenIsRenewedOnce) {
  Connect(WithPlugin(Config()));
  const std::string one = SayToken("one");
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  EXPECT_THAT(server_->requests(), ElementsAre(HasSubstr(one)));

  const std::string two = SayToken("two");
  server_->Answer(Response(401, ""));
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  EXPECT_THAT(server_->requests(), ElementsAre(HasSubstr(one), HasSubstr(one), HasSubstr(two)));

  // A write that was answered 401 has changed nothing, so it may be sent again.
  const std::string three = SayToken("three");
  server_->Answer(Response(401, ""));
  server_->Answer(Response(201, "{}"));
  ASSERT_OK(Finish(client_->Create(kWidgets, "ns", {{"metadata", {{"name", "w"}}}}, {})));
  EXPECT_THAT(server_->requests().back(), HasSubstr(three));

  server_->Answer(Response(401, ""));
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(server_->requests(), SizeIs(6));
}

TEST_F(RestCredentialsTest, APluginThatFailsIsTheError) {
  Connect(WithPlugin(Config()));
  Say("{}");
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnauthenticated,
                               HasSubstr("the credential plugin sh gave no credentials")));
  EXPECT_THAT(server_->requests(), IsEmpty());
}

TEST_F(RestCredentialsTest, ConnectionsPresentAPluginsCertificate) {
  const TestCa ca("ca");
  TestCertOptions server_options;
  server_options.ip_addresses = {"127.0.0.1"};
  const TestKeyPair pair = ca.Issue(server_options);
  const TestServerTls tls{pair.cert_pem, pair.key_pem, ca.cert_pem()};
  server_ = std::make_unique<TestServer>(io_, &tls);
  ClientConfig config = Config();
  config.tls = true;
  config.ca_pem = ca.cert_pem();
  Connect(WithPlugin(config));
  const auto say = [&](const char* name) {
    TestCertOptions options;
    options.common_name = name;
    const TestKeyPair client = ca.Issue(options);
    boost::json::object status{{"clientCertificateData", client.cert_pem},
                               {"clientKeyData", client.key_pem}};
    Say(boost::json::serialize(status));
  };
  say("first");
  server_->Answer(Response(200, kEmptyList));
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  ASSERT_OK(List());
  say("second");
  server_->Answer(Response(401, ""));
  server_->Answer(Response(200, kEmptyList));
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  ASSERT_OK(List());
  EXPECT_THAT(server_->client_names(), ElementsAre("first", "second"));

  clock_.Advance(absl::Hours(1));
  Say("{clientCertificateData: rubbish, clientKeyData: rubbish}");
  server_->Answer(Response(401, ""));
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kUnauthenticated,
                               HasSubstr("no usable certificate: client certificate")));
}

TEST_F(RestCredentialsTest, AConfigurationMayActAsSomebody) {
  ClientConfig config = Config();
  config.token = "t";
  config.acting = UserInfo{.name = "jane", .groups = {"system:masters"}};
  Connect(config);
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  EXPECT_THAT(server_->requests()[0], HasSubstr("Impersonate-User: jane\r\n"
                                                "Impersonate-Group: system:masters\r\n"));
  // A client that acts as a user cannot act as a second one.
  const std::unique_ptr<Client> other = client_->As({.name = "joe"});
  const ListOptions options;
  EXPECT_THAT(Finish(other->List(kPods, options)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("nobody can act as two")));
  EXPECT_THAT(server_->requests(), SizeIs(1));
}

TEST_F(RestCredentialsTest, PlainRequestsAreToldToAProxy) {
  ClientConfig config;
  config.tls = false;
  config.host = "h.test";
  config.port = 8001;
  config.proxy = Proxy{Proxy::Kind::kHttp, "127.0.0.1", server_->port(), "user", "pass"};
  Connect(config);
  server_->Answer(Response(200, kEmptyList));
  ASSERT_OK(List());
  EXPECT_THAT(server_->requests()[0], HasSubstr("GET http://h.test:8001/api/v1/pods"));
  EXPECT_THAT(server_->requests()[0],
              HasSubstr("Host: h.test:8001\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n"));
}

}  // namespace
}  // namespace steward::kube
