// The servers and certificates that the REST client trusts.
#include <functional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "base/text/str_cat.h"
#include "base/tls/testing.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_test_fixture.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TlsCase {
  const char* name;
  TestCertOptions server;
  std::function<void(ClientConfig&)> client;
  const char* refused;  // "" = works
};

class RestTlsTest : public RestTest {
 protected:
  void Serve(const TestServerTls& tls) {
    client_.reset();
    server_ = std::make_unique<TestServer>(io_, &tls);
  }
  ClientConfig TlsConfig() const {
    ClientConfig config = Config();
    config.tls = true;
    config.ca_pem = ca_.cert_pem();
    return config;
  }

  const TestCa ca_{"ca"};
  const TestCa other_ca_{"other"};
};

TEST_F(RestTlsTest, ServersAreVerified) {
  TestCertOptions by_ip;
  by_ip.ip_addresses = {"127.0.0.1"};
  TestCertOptions by_name;
  by_name.dns_names = {"kubernetes.default.svc"};
  TestCertOptions by_common_name;
  by_common_name.common_name = "kubernetes.default.svc";
  TestCertOptions by_wildcard;
  by_wildcard.dns_names = {"*.default.svc"};
  TestCertOptions expired = by_ip;
  expired.not_after = absl::Now() - absl::Minutes(1);
  TestCertOptions future = by_ip;
  future.not_before = absl::Now() + absl::Hours(1);
  TestCertOptions client_only = by_ip;
  client_only.server_auth = false;

  const auto plain = [](ClientConfig&) {};
  const auto as_svc = [](ClientConfig& c) { c.tls_server_name = "kubernetes.default.svc"; };
  const auto as_localhost = [](ClientConfig& c) { c.host = "localhost"; };
  const auto as_nobody = [this](ClientConfig& c) { c.ca_pem = other_ca_.cert_pem(); };
  const auto insecure = [](ClientConfig& c) {
    c.ca_pem = "";
    c.insecure_skip_tls_verify = true;
  };
  const auto both_cas = [this](ClientConfig& c) {
    c.ca_pem = other_ca_.cert_pem() + ca_.cert_pem();
  };
  const auto system_roots = [](ClientConfig& c) { c.ca_pem = ""; };
  const std::vector<TlsCase> rows = {
      {"by address", by_ip, plain, ""},
      {"bundle of authorities", by_ip, both_cas, ""},
      {"by server name", by_name, as_svc, ""},
      {"by wildcard", by_wildcard, as_svc, ""},
      {"address not in the certificate", by_name, plain, "IP address mismatch"},
      {"other host name", by_name, as_localhost, "ostname mismatch"},
      {"common name alone is accepted by OpenSSL", by_common_name, as_svc, ""},
      {"unknown authority", by_ip, as_nobody, "unable to get local issuer certificate"},
      {"system's authorities", by_ip, system_roots, "unable to get local issuer certificate"},
      {"expired", expired, plain, "certificate has expired"},
      {"not yet valid", future, plain, "certificate is not yet valid"},
      {"certificate of a client", client_only, plain, "unsuitable certificate purpose"},
      {"anything goes", expired, insecure, ""},
  };
  for (const TlsCase& row : rows) {
    SCOPED_TRACE(row.name);
    const TestKeyPair pair = ca_.Issue(row.server);
    Serve({pair.cert_pem, pair.key_pem, ""});
    ClientConfig config = TlsConfig();
    row.client(config);
    Connect(config);
    server_->Answer(Response(200, kEmptyList));
    const absl::Status status = List().status();
    if (*row.refused == '\0') {
      EXPECT_OK(status);
    } else {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr(row.refused)));
      EXPECT_THAT(server_->requests(), ElementsAre());
    }
  }
}

TEST_F(RestTlsTest, PresentsItsCertificate) {
  TestCertOptions server_options;
  server_options.ip_addresses = {"127.0.0.1"};
  const TestKeyPair server = ca_.Issue(server_options);
  TestCertOptions client_options;
  client_options.common_name = "system:steward";
  const TestKeyPair client = ca_.Issue(client_options);
  Serve({server.cert_pem, server.key_pem, ca_.cert_pem()});
  ClientConfig config = TlsConfig();
  config.cert_pem = client.cert_pem;
  config.key_pem = client.key_pem;
  Connect(config);
  server_->Answer(Response(200, kEmptyList));
  server_->Answer(Response(200, StrCat(kEmptyList, std::string(500 << 10, ' '))));
  ASSERT_OK(List());
  ASSERT_OK(List());
  EXPECT_THAT(server_->client_names(), ElementsAre("system:steward"));
}

TEST_F(RestTlsTest, PlainServerIsNoTlsServer) {
  Connect(TlsConfig());
  server_->Answer("");
  // The server waits for the rest of a request, so the time limit ends the call.
  const ListOptions options;
  const auto result = Begin(client_->List(kPods, options));
  RunUntil([&] { return server_->connections_open() == 1; });
  clock_.Advance(absl::Minutes(1));
  RunUntil([&] { return result->has_value(); });
  EXPECT_THAT(**result, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(RestTlsTest, BadPemIsRefusedAtOnce) {
  const TestKeyPair a = ca_.Issue({.common_name = "a"});
  const TestKeyPair b = ca_.Issue({.common_name = "b"});
  struct Row {
    const char* name;
    std::string ca, cert, key;
  };
  const std::vector<Row> rows = {
      {"authority", "rubbish", "", ""},
      {"certificate", "", "rubbish", a.key_pem},
      {"key", "", a.cert_pem, "rubbish"},
      {"key of another certificate", "", a.cert_pem, b.key_pem},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ClientConfig config = TlsConfig();
    if (!row.ca.empty()) config.ca_pem = row.ca;
    config.cert_pem = row.cert;
    config.key_pem = row.key;
    EXPECT_THAT(MakeRestClient(config, io_.get_executor(), clock_, random_),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace steward::kube
