// The whole server over real sockets, against a cluster in memory.
#include "apiserver/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fstream>
#include <future>
#include <optional>

#include "absl/time/clock.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/testing.h"
#include "kube/testing/fake_client.h"

namespace steward::server {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const kube::GroupVersionResource kAccessReviews{"authorization.k8s.io", "v1",
                                                "subjectaccessreviews"};

// One HTTP/1.1 exchange; the whole response, "" when there was no connection.
std::string Exchange(uint16_t port, const std::string& head, const TestKeyPair* client = nullptr) {
  const SslCtxPtr context(SSL_CTX_new(TLS_client_method()));
  if (client != nullptr) {
    const X509Ptr certificate(
        PEM_read_bio_X509(ReadBio(client->cert_pem).get(), nullptr, nullptr, nullptr));
    const EvpPkeyPtr key(
        PEM_read_bio_PrivateKey(ReadBio(client->key_pem).get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context.get(), certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), key.get());
  }
  const BioPtr connection(BIO_new_ssl_connect(context.get()));
  BIO_set_conn_hostname(connection.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
  if (BIO_do_connect(connection.get()) != 1) return "";
  const std::string request = head + "Host: localhost\r\nConnection: close\r\n\r\n";
  BIO_write(connection.get(), request.data(), static_cast<int>(request.size()));
  std::string response;
  char buffer[4096];
  for (int n; (n = BIO_read(connection.get(), buffer, sizeof buffer)) > 0;) {
    response.append(buffer, static_cast<size_t>(n));
  }
  return response;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    options_.bind_address = "127.0.0.1";
    options_.secure_port = 0;
    options_.cert_dir = ::testing::TempDir() + "/certs";
    options_.authentication_skip_lookup = true;
    options_.requestheader_client_ca_file = ::testing::TempDir() + "/front-proxy-ca.crt";
    std::ofstream(options_.requestheader_client_ca_file) << proxy_ca_.cert_pem();
    options_.shutdown_delay_duration = absl::Seconds(5);
    cluster_.HandleCreate(kAccessReviews, [](const json::value& review) {
      return json::value{{"status", {{"allowed", review.at("spec").at("user") == "alice"}}}};
    });
  }
  ~ServerTest() override { Stop(); }

  void Start() {
    rest::Resource widgets;
    widgets.descriptor = {
        .gvk = {"g.example.com", "v1", "Widget"}, .plural = "widgets", .singular = "widget"};
    widgets.openapi_schema = R"({"type":"object"})";
    auto server = ApiServer::Create(options_, {widgets}, {},
                                    {.threads = threads_,
                                     .clock = clock_,
                                     .random = Random::Real(),
                                     .registry = registry_,
                                     .cluster = cluster_,
                                     .token_reviews = cluster_,
                                     .access_reviews = cluster_,
                                     .synced = [this] {
                                       return synced_ ? absl::OkStatus()
                                                      : absl::UnavailableError("not synced");
                                     }});
    ASSERT_OK(server);
    server_ = *std::move(server);
    ASSERT_OK(server_->Start());
  }
  std::future<void> BeginStop() {
    return asio::co_spawn(threads_.executor(0), server_->Stop(), asio::use_future);
  }
  void Stop() {
    if (server_ == nullptr) return;
    std::future<void> stopped = BeginStop();
    while (stopped.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      clock_.Advance(absl::Seconds(5));
    }
    stopped.get();
    server_.reset();
  }

  std::string Get(const std::string& target) {
    return Exchange(server_->port(), "GET " + target + " HTTP/1.1\r\n");
  }
  std::string GetAs(const std::string& user, const std::string& group, const std::string& target) {
    TestCertOptions proxy;
    proxy.common_name = "front-proxy-client";
    const TestKeyPair pair = proxy_ca_.Issue(proxy);
    return Exchange(server_->port(),
                    "GET " + target + " HTTP/1.1\r\nX-Remote-User: " + user +
                        "\r\nX-Remote-Group: " + group + "\r\n",
                    &pair);
  }

  const TestCa proxy_ca_{"front-proxy-ca"};
  FakeClock clock_{absl::Now()};
  prometheus::Registry registry_;
  kube::FakeClient cluster_;
  std::atomic<bool> synced_{false};
  Options options_;
  http::IoThreads threads_{2};
  std::unique_ptr<ApiServer> server_;
};

TEST_F(ServerTest, ServesBeforeAnythingIsSynced) {
  Start();
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Get("/readyz"), HasSubstr("[-]informer-sync failed: reason withheld"));
  EXPECT_THAT(GetAs("system:kube-aggregator", "system:masters", "/apis/g.example.com/v1"),
              HasSubstr("\"widgets\""));
  synced_ = true;
  EXPECT_THAT(Get("/readyz?verbose"),
              HasSubstr("[+]ping ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n"));
}

TEST_F(ServerTest, Routes) {
  Start();
  struct Row {
    std::string user;
    std::string target;
    std::string want;
  };
  const Row rows[] = {
      {"alice", "/apis", "200"},
      {"alice", "/version", "200"},
      {"alice", "/openapi/v3", "200"},
      {"alice", "/metrics", "200"},
      {"alice", "/healthz/ping", "200"},
      {"alice", "/no/such/path", "404"},
      {"alice", "/apis/g.example.com/v1/gadgets", "404"},
      {"bob", "/apis", "403"},
      {"bob", "/no/such/path", "403"},
      {"bob", "/healthz/ping", "403"},
      {"bob", "/healthz", "200"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(GetAs(row.user, "", row.target), StartsWith("HTTP/1.1 " + row.want))
        << row.user << " " << row.target;
  }
  EXPECT_THAT(GetAs("bob", "", "/apis/g.example.com/v1/namespaces/n/widgets"),
              HasSubstr("widgets.g.example.com is forbidden: User \\\"bob\\\" cannot list resource "
                        "\\\"widgets\\\" in API group \\\"g.example.com\\\" in the namespace "
                        "\\\"n\\\""));
  EXPECT_THAT(GetAs("alice", "", "/metrics"),
              HasSubstr(R"(group="g.example.com",resource="widgets")"));
}

TEST_F(ServerTest, StrangersGetNothing) {
  Start();
  EXPECT_THAT(Get("/apis"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Exchange(server_->port(),
                       "GET /apis HTTP/1.1\r\nX-Remote-User: alice\r\n"
                       "X-Remote-Group: system:masters\r\n"),
              StartsWith("HTTP/1.1 403"));
  const TestKeyPair stranger = TestCa("x").Issue({.common_name = "front-proxy-client"});
  EXPECT_THAT(
      Exchange(server_->port(), "GET /apis HTTP/1.1\r\nX-Remote-User: alice\r\n", &stranger),
      StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(Exchange(server_->port(), "GET /apis HTTP/1.1\r\nAuthorization: Bearer x\r\n"),
              Not(StartsWith("HTTP/1.1 200")));
}

TEST_F(ServerTest, NotReadyWithoutAuthenticationSettings) {
  options_.authentication_skip_lookup = false;
  synced_ = true;
  Start();
  EXPECT_THAT(Get("/readyz"), HasSubstr("[-]authentication-config failed"));
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, StopsInOrder) {
  synced_ = true;
  Start();
  const uint16_t port = server_->port();
  EXPECT_THAT(Get("/readyz"), StartsWith("HTTP/1.1 200"));
  std::future<void> stopped = BeginStop();
  std::string readyz;
  for (int i = 0; i < 1000 && readyz.find("[-]shutdown failed") == std::string::npos; ++i) {
    readyz = Get("/readyz");
  }
  EXPECT_THAT(readyz, HasSubstr("[-]shutdown failed"));
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(GetAs("alice", "", "/apis"), StartsWith("HTTP/1.1 200"));
  while (stopped.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    clock_.Advance(absl::Seconds(5));
  }
  stopped.get();
  server_.reset();
  EXPECT_EQ(Exchange(port, "GET /livez HTTP/1.1\r\n"), "");
}

TEST_F(ServerTest, BadFilesAndAddressesAreRefused) {
  const auto create = [this] {
    prometheus::Registry registry;
    auto server = ApiServer::Create(options_, {}, {},
                                    {.threads = threads_,
                                     .clock = clock_,
                                     .random = Random::Real(),
                                     .registry = registry,
                                     .cluster = cluster_,
                                     .token_reviews = cluster_,
                                     .access_reviews = cluster_,
                                     .synced = [] { return absl::OkStatus(); }});
    if (!server.ok()) return server.status();
    return (*server)->Start();
  };
  const Options good = options_;
  options_.client_ca_file = "/no/such/ca.crt";
  EXPECT_THAT(create(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/ca.crt")));
  options_ = good;
  options_.tls_cert_file = "/no/such/tls.crt";
  options_.tls_private_key_file = "/no/such/tls.key";
  EXPECT_THAT(create().ToString(), HasSubstr("/no/such/tls.crt"));
  options_ = good;
  options_.authorization_always_allow_paths = {"/a*b"};
  EXPECT_THAT(create(), StatusIs(absl::StatusCode::kInvalidArgument));
  options_ = good;
  options_.bind_address = "nowhere";
  EXPECT_THAT(create(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nowhere")));
}

}  // namespace
}  // namespace steward::server
