// Tests of the whole server over real sockets, against a cluster in memory.
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
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/reviewer.h"
#include "apiserver/stored/stored_resources.h"
#include "base/async/task.h"
#include "base/async/yield.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/testing.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fake_client.h"

namespace steward::server {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Makes one HTTP/1.1 exchange; returns the whole response, "" when there was no connection.
std::string Exchange(uint16_t port, const std::string& head, const TestKeyPair* client = nullptr,
                     const std::string& body = "") {
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
  const std::string request = head + "Host: localhost\r\nConnection: close\r\n\r\n" + body;
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
    cluster_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) {
      return json::value{{"status", {{"allowed", review.at("spec").at("user") == "alice"}}}};
    });
  }
  ~ServerTest() override { Stop(); }

  static rest::Resource Bare(std::string kind, std::string plural) {
    rest::Resource resource;
    resource.descriptor = {
        .gvk = {"g.example.com", "v1", std::move(kind)}, .plural = plural, .singular = plural};
    resource.openapi_schema = R"({"type":"object"})";
    return resource;
  }

  void Start() { Start({Bare("Widget", "widgets")}); }
  void Start(std::vector<rest::Resource> resources) {
    auto server = ApiServer::Create(options_, std::move(resources), {},
                                    {.threads = threads_,
                                     .clock = clock_,
                                     .random = Random::Real(),
                                     .registry = registry_,
                                     .cluster = cluster_,
                                     .token_reviews = cluster_,
                                     .access_reviews = cluster_,
                                     .self_reviews = self_reviews_,
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
  bool self_reviews_ = false;
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
  EXPECT_THAT(
      Get("/readyz?verbose"),
      HasSubstr(
          "[+]ping ok\n[+]threads ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n"));
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

TEST_F(ServerTest, MetricsOfAuthenticationCertificatesAndTheProcess) {
  Start();
  std::string metrics;
  // The metric is set on another thread.
  const std::string expiry =
      "steward_serving_certificate_expiration_timestamp_seconds{serves=\"api\"} 1";
  while (metrics.find(expiry) == std::string::npos) metrics = GetAs("alice", "x", "/metrics");
  EXPECT_THAT(metrics, HasSubstr("authentication_attempts{result=\"success\"} "));
  EXPECT_THAT(metrics,
              HasSubstr("apiserver_client_certificate_expiration_seconds_bucket{le=\"0\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("process_start_time_seconds "));
}

TEST_F(ServerTest, NoProfilesUnlessTheyAreWanted) {
  Start();
  EXPECT_THAT(GetAs("alice", "x", "/debug/pprof/heap"), StartsWith("HTTP/1.1 404"));
}

TEST_F(ServerTest, ProfilesAreForThoseWhoMay) {
  options_.profiling = true;
  Start();
  EXPECT_THAT(GetAs("alice", "x", "/debug/pprof/heap"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(GetAs("bob", "x", "/debug/pprof/heap"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Get("/debug/pprof/heap"), StartsWith("HTTP/1.1 403"));
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
  while (readyz.find("[-]shutdown failed") == std::string::npos) readyz = Get("/readyz");
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(GetAs("alice", "", "/apis"), StartsWith("HTTP/1.1 200"));
  while (stopped.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    clock_.Advance(absl::Seconds(5));
  }
  stopped.get();
  server_.reset();
  EXPECT_EQ(Exchange(port, "GET /livez HTTP/1.1\r\n"), "");
}

TEST_F(ServerTest, ResourcesComeAndGo) {
  Start();
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1"), HasSubstr("\"widgets\""));
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1/gadgets"), StartsWith("HTTP/1.1 404"));
  ASSERT_OK(server_->SetResources({Bare("Gadget", "gadgets")}));
  const std::string list = GetAs("alice", "", "/apis/g.example.com/v1");
  EXPECT_THAT(list, HasSubstr("\"gadgets\""));
  EXPECT_THAT(list, Not(HasSubstr("\"widgets\"")));
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1/gadgets"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1/widgets"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(GetAs("alice", "", "/openapi/v3/apis/g.example.com/v1"), HasSubstr("v1.Gadget"));
  EXPECT_THAT(GetAs("alice", "", "/metrics"), HasSubstr(R"(resource="gadgets")"));

  rest::Resource bad = Bare("Bad", "bads");
  bad.openapi_schema = "{";
  EXPECT_FALSE(server_->SetResources({bad}).ok());
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1"), HasSubstr("\"gadgets\""));

  ASSERT_OK(server_->SetResources({}));
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(GetAs("alice", "", "/apis"), HasSubstr("\"groups\":[]"));
}

TEST_F(ServerTest, RequestsEndOnTheResourcesTheyBeganOn) {
  kube::ResourceType type;
  type.gvk = {"g.example.com", "v1", "Widget"};
  type.plural = type.singular = "widgets";
  cluster_.Serve(type.gvr());
  cluster_.Put(type.gvr(), R"({"metadata":{"namespace":"n","name":"w"}})");
  Start(stored::StoredResources(cluster_, {type}, clock_));
  cluster_.Hold(kube::FakeClient::Verb::kGet, type.gvr());
  const std::string target = "/apis/g.example.com/v1/namespaces/n/widgets/w";
  std::future<std::string> held =
      std::async(std::launch::async, [&] { return GetAs("alice", "", target); });
  while (cluster_.calls(kube::FakeClient::Verb::kGet, type.gvr()) == 0) std::this_thread::yield();
  ASSERT_OK(server_->SetResources({}));
  EXPECT_THAT(GetAs("alice", "", target), StartsWith("HTTP/1.1 404"));
  cluster_.Release(kube::FakeClient::Verb::kGet, type.gvr());
  const std::string answer = held.get();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("\"name\":\"w\""));
}

// Answers only when the test lets it.
class HeldReviewer : public rest::Reviewer {
 public:
  Task<rest::ReviewAnswer> Review(const kube::UserInfo&, rest::ReviewRequest request) override {
    const size_t size = Serialize(request.question).size();
    ++running;
    while (held) co_await Yield();
    --running;
    co_return kube::ToStatus(kube::BadRequest(StrCat("that were ", size, " bytes")));
  }
  std::atomic<bool> held{false};
  std::atomic<int> running{0};
};

class LargeBodiesTest : public ServerTest {
 protected:
  LargeBodiesTest() {
    rest::Resource gadgets = Bare("Gadget", "gadgets");
    gadgets.review = &reviewer_;
    gadgets.max_create_bytes = 3 << 20;
    rest::Resource widgets = Bare("Widget", "widgets");
    widgets.review = &reviewer_;
    Start({gadgets, widgets});
  }
  // Posts a JSON object of `size` bytes; if not `sent`, sends only the head.
  std::string Post(const std::string& plural, size_t size, bool sent = true) {
    TestCertOptions proxy;
    proxy.common_name = "front-proxy-client";
    const TestKeyPair pair = proxy_ca_.Issue(proxy);
    const std::string body = R"({"a":")" + std::string(size - 8, 'x') + R"("})";
    return Exchange(server_->port(),
                    StrCat("POST /apis/g.example.com/v1/namespaces/n/", plural,
                           " HTTP/1.1\r\nX-Remote-User: alice\r\nContent-Length: ", size, "\r\n"),
                    &pair, sent ? body : "");
  }
  HeldReviewer reviewer_;
};

TEST_F(LargeBodiesTest, OfOneResourceAlone) {
  constexpr size_t kLarge = 3 << 20;
  EXPECT_THAT(Post("gadgets", kLarge), HasSubstr("that were 3145728 bytes"));
  EXPECT_THAT(Post("gadgets", kLarge + 1, /*sent=*/false), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Post("widgets", 1000), HasSubstr("that were 1000 bytes"));
  EXPECT_THAT(Post("widgets", kLarge, /*sent=*/false), StartsWith("HTTP/1.1 413"));
}

TEST_F(LargeBodiesTest, ManyAtATimeAreRefusedAndOthersServed) {
  constexpr size_t kSize = 100'000;
  // The last eighth of 16 places is for other users.
  constexpr int kPlaces = 14;
  reviewer_.held = true;
  std::vector<std::future<std::string>> posts;
  for (int i = 0; i < kPlaces; ++i) {
    posts.push_back(std::async(std::launch::async, [&] { return Post("gadgets", kSize); }));
  }
  while (reviewer_.running < kPlaces) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(Post("gadgets", kSize), StartsWith("HTTP/1.1 429"));
  }
  EXPECT_EQ(reviewer_.running, kPlaces);
  EXPECT_THAT(GetAs("alice", "", "/apis/g.example.com/v1"), StartsWith("HTTP/1.1 200"));
  reviewer_.held = false;
  for (auto& post : posts) EXPECT_THAT(post.get(), HasSubstr("that were 100000 bytes"));
  EXPECT_THAT(Post("gadgets", kSize), HasSubstr("that were 100000 bytes"));
}

// The clock stands still: the watch ends neither by the grace of other requests nor by a timeout.
TEST_F(ServerTest, StopEndsWatches) {
  kube::ResourceType type;
  type.gvk = {"g.example.com", "v1", "Widget"};
  type.plural = type.singular = "widgets";
  cluster_.Serve(type.gvr());
  cluster_.Put(type.gvr(), R"({"metadata":{"namespace":"n","name":"w"}})");
  options_.shutdown_delay_duration = absl::ZeroDuration();
  Start(stored::StoredResources(cluster_, {type}, clock_));
  const std::string target = "/apis/g.example.com/v1/namespaces/n/widgets?watch=true";
  std::future<std::string> watch =
      std::async(std::launch::async, [&] { return GetAs("alice", "", target); });
  while (cluster_.running_watches(type.gvr()) == 0) std::this_thread::yield();
  std::future<void> stopped = BeginStop();
  EXPECT_EQ(stopped.wait_for(std::chrono::minutes(2)), std::future_status::ready);
  while (stopped.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    clock_.Advance(absl::Seconds(5));
  }
  stopped.get();
  server_.reset();
  const std::string answer = watch.get();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, Not(HasSubstr("ERROR")));
  EXPECT_THAT(answer, EndsWith("\r\n0\r\n\r\n"));
  EXPECT_EQ(cluster_.running_watches(type.gvr()), 0u);
}

TEST_F(ServerTest, SelfReviews) {
  const std::string path = "/apis/authorization.k8s.io/v1";
  self_reviews_ = true;
  // A user may ask about a request without being allowed to make it.
  cluster_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) {
    const json::object& spec = review.at("spec").as_object();
    const bool asks = spec.contains("resourceAttributes");
    return json::value{{"status", {{"allowed", asks || spec.at("user") == "alice"}}}};
  });
  Start();
  EXPECT_THAT(GetAs("alice", "", path), HasSubstr("\"selfsubjectaccessreviews\""));
  const std::string question =
      R"({"spec":{"nonResourceAttributes":{"path":"/logs","verb":"get"}}})";
  const auto ask = [&](const std::string& user) {
    const TestKeyPair pair = proxy_ca_.Issue({.common_name = "front-proxy-client"});
    return Exchange(
        server_->port(),
        "POST " + path + "/selfsubjectaccessreviews HTTP/1.1\r\nX-Remote-User: " + user +
            "\r\nX-Remote-Group: testers\r\nContent-Length: " + std::to_string(question.size()) +
            "\r\n",
        &pair, question);
  };
  EXPECT_THAT(ask("alice"), HasSubstr("\"allowed\":true"));
  EXPECT_THAT(ask("bob"), HasSubstr("\"allowed\":false"));
}

TEST_F(ServerTest, NoSelfReviewsBehindAKubeApiserver) {
  Start();
  EXPECT_THAT(GetAs("alice", "", "/apis/authorization.k8s.io/v1"), StartsWith("HTTP/1.1 404"));
}

// The configuration of `steward up`: no cluster to ask about users, but a CA of its own.
class CertificatesOnlyTest : public ServerTest {
 protected:
  CertificatesOnlyTest() {
    options_.client_ca_file = ::testing::TempDir() + "/client-ca.crt";
    std::ofstream(options_.client_ca_file) << client_ca_.cert_pem();
    options_.requestheader_client_ca_file.clear();
    options_.anonymous_auth = false;
    synced_ = true;
    cluster_.HandleCreate(kube::kSubjectAccessReviews, [this](const json::value& review) {
      ++reviews_;
      return AnswerReview(review);
    });
  }

  virtual absl::StatusOr<json::value> AnswerReview(const json::value&) {
    return absl::InvalidArgumentError("there is nobody to ask");
  }
  std::string GetWith(const TestCertOptions& certificate, const std::string& target) {
    const TestKeyPair pair = client_ca_.Issue(certificate);
    return Exchange(server_->port(), "GET " + target + " HTTP/1.1\r\n", &pair);
  }

  const TestCa client_ca_{"client-ca"};
  std::atomic<int> reviews_{0};
};

TEST_F(CertificatesOnlyTest, WithoutAnyCluster) {
  Start();
  EXPECT_THAT(Get("/readyz"), StartsWith("HTTP/1.1 401"));
  TestCertOptions admin;
  admin.common_name = "admin";
  admin.organizations = {"system:masters"};
  for (const char* target : {"/readyz", "/apis", "/apis/g.example.com/v1", "/metrics"}) {
    EXPECT_THAT(GetWith(admin, target), StartsWith("HTTP/1.1 200")) << target;
  }
  EXPECT_THAT(GetWith(admin, "/apis/g.example.com/v1/widgets"), StartsWith("HTTP/1.1 405"));
  EXPECT_EQ(reviews_, 0);

  // Without a decision, no request is allowed.
  TestCertOptions user;
  user.common_name = "alice";
  EXPECT_THAT(GetWith(user, "/apis"), StartsWith("HTTP/1.1 500"));
  EXPECT_EQ(reviews_, 1);
  EXPECT_THAT(GetWith(user, "/readyz"), StartsWith("HTTP/1.1 200"));

  EXPECT_THAT(Get("/apis"), StartsWith("HTTP/1.1 401"));
  const TestKeyPair stranger = TestCa("x").Issue(admin);
  EXPECT_THAT(Exchange(server_->port(), "GET /apis HTTP/1.1\r\n", &stranger),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(Exchange(server_->port(), "GET /apis HTTP/1.1\r\nAuthorization: Bearer x\r\n"),
              StartsWith("HTTP/1.1 401"));
  const TestKeyPair proxy = client_ca_.Issue(user);
  EXPECT_THAT(Exchange(server_->port(),
                       "GET /apis HTTP/1.1\r\nX-Remote-User: admin\r\n"
                       "X-Remote-Group: system:masters\r\n",
                       &proxy),
              StartsWith("HTTP/1.1 500"));
}

class OwnReviewsTest : public CertificatesOnlyTest {
 protected:
  absl::StatusOr<json::value> AnswerReview(const json::value& review) override {
    return json::value{{"status", {{"allowed", review.at("spec").at("user") == "alice"}}}};
  }
};

TEST_F(OwnReviewsTest, DecideForAllButMasters) {
  Start();
  TestCertOptions user;
  user.common_name = "alice";
  EXPECT_THAT(GetWith(user, "/apis"), StartsWith("HTTP/1.1 200"));
  user.common_name = "bob";
  EXPECT_THAT(GetWith(user, "/apis"), StartsWith("HTTP/1.1 403"));
  EXPECT_EQ(reviews_, 2);
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
