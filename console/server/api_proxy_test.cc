#include "console/server/api_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "console/server/access.h"
#include "console/server/upstream.h"
#include "kube/client/config.h"
#include "kube/client/test_server.h"

namespace steward::console {
namespace {

namespace asio = boost::asio;
using kube::Response;
using kube::TestServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kJson[] = "Content-Type: application/json\r\n";

// The response so far, piece by piece. Can act as a client that takes nothing more.
class Browser : public http::ResponseWriter {
 public:
  StatusTask WriteHead(http::ResponseHead head) override {
    head_ = std::move(head);
    co_return Taken();
  }
  StatusTask Write(std::vector<http::Segment> segments) override {
    std::string piece;
    for (const http::Segment& segment : segments) piece += segment.bytes;
    pieces_.push_back(std::move(piece));
    co_return Taken();
  }
  StatusTask Finish() override {
    finished_ = true;
    co_return Taken();
  }
  void Settled() override { settled_ = true; }
  int status() const override { return head_ ? head_->status : 0; }
  uint64_t bytes_written() const override { return 0; }

  const http::ResponseHead& head() const { return *head_; }
  std::string Header(std::string_view name) const {
    const std::string* value = head_ ? head_->headers.Find(name) : nullptr;
    return value == nullptr ? "" : *value;
  }
  const std::vector<std::string>& pieces() const { return pieces_; }
  std::string body() const {
    std::string all;
    for (const std::string& piece : pieces_) all += piece;
    return all;
  }
  bool finished() const { return finished_; }
  bool settled() const { return settled_; }
  void Leave() { gone_ = true; }

 private:
  absl::Status Taken() const {
    return gone_ ? absl::UnavailableError("the client is gone") : absl::OkStatus();
  }

  std::optional<http::ResponseHead> head_;
  std::vector<std::string> pieces_;
  bool finished_ = false;
  bool settled_ = false;
  bool gone_ = false;
};

class GivenBody : public http::RequestBody {
 public:
  explicit GivenBody(std::string body) : body_(std::move(body)) {}
  Task<std::string> Read(size_t max_bytes) override {
    if (body_.size() > max_bytes) co_return absl::OutOfRangeError("too long");
    co_return std::move(body_);
  }

 private:
  std::string body_;
};

// A request and its response, while the handler runs.
struct Exchange {
  http::Request request;
  std::unique_ptr<GivenBody> body;
  Browser browser;
  bool ended = false;
  TaskGroup::Ref task;
};

class ApiProxyTest : public ::testing::Test {
 protected:
  ApiProxyTest() : server_(std::make_unique<TestServer>(io_)) { Connect({}); }
  ~ApiProxyTest() override {
    RunOn(io_, calls_.Stop());
    handler_ = nullptr;
    upstream_.reset();
    server_.reset();
  }

  void Connect(ApiProxyOptions options, kube::ClientConfig config = {}) {
    config.tls = false;
    config.host = "127.0.0.1";
    if (config.port == 443) config.port = server_->port();
    handler_ = nullptr;
    auto upstream = Upstream::Create(config, io_.get_executor(), clock_, ConnectionsFor(options));
    ASSERT_OK(upstream);
    upstream_ = *std::move(upstream);
    handler_ = ForwardToApi(std::move(options), *upstream_, clock_);
  }
  void ConnectWithKey(kube::ClientConfig config = {}) {
    ApiProxyOptions options;
    options.access = {.authentication = Authentication::kKubeconfig, .key = "the-key"};
    Connect(std::move(options), std::move(config));
  }

  template <typename Condition>
  void RunUntil(Condition condition) {
    io_.restart();
    while (!condition()) ASSERT_GT(io_.run_one_for(std::chrono::seconds(20)), 0u) << "stuck";
  }

  // Runs everything that is due.
  void Settle() {
    for (int i = 0; i < 3; ++i) {
      io_.restart();
      io_.poll();
    }
  }

  std::unique_ptr<Exchange> Make(std::string_view method, std::string_view target,
                                 std::optional<std::string> body = std::nullopt) {
    auto exchange = std::make_unique<Exchange>();
    exchange->request = filters::MakeRequest(method, target);
    exchange->request.headers.Add("Authorization", "Bearer users-token");
    if (body) {
      exchange->body = std::make_unique<GivenBody>(*std::move(body));
      exchange->request.incoming = exchange->body.get();
    }
    return exchange;
  }
  std::unique_ptr<Exchange> MakeWatch() {
    auto exchange = Make("GET", "/api/v1/pods?watch=true");
    http::Headers& headers = exchange->request.headers;
    headers.Remove("Authorization");
    exchange->request.websocket = true;
    headers.Add("Upgrade", "websocket");
    headers.Add("Connection", "Upgrade");
    headers.Add("Origin", "https://console.example.com");
    headers.Add("Sec-WebSocket-Version", "13");
    headers.Add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    headers.Add("Sec-WebSocket-Protocol",
                StrCat("base64url.bearer.authorization.k8s.io.",
                       absl::WebSafeBase64Escape("users-token"), ", steward.watch"));
    return exchange;
  }

  void Begin(Exchange& exchange) { exchange.task = calls_.Spawn("call", Run(handler_, exchange)); }
  void Finish(Exchange& exchange) {
    RunUntil([&] { return exchange.ended; });
  }
  std::unique_ptr<Exchange> Ask(std::unique_ptr<Exchange> exchange) {
    Begin(*exchange);
    Finish(*exchange);
    return exchange;
  }
  std::unique_ptr<Exchange> Ask(std::string_view method, std::string_view target,
                                std::optional<std::string> body = std::nullopt) {
    return Ask(Make(method, target, std::move(body)));
  }
  void AwaitRequests(size_t count) {
    RunUntil([&] { return server_->requests().size() == count; });
  }

  asio::io_context io_;
  FakeClock clock_;
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<Upstream> upstream_;
  http::Handler handler_;
  TaskGroup calls_{io_.get_executor()};

 private:
  static VoidTask Run(const http::Handler& handler, Exchange& exchange) {
    struct Ending {
      bool& ended;
      ~Ending() { ended = true; }
    } ending{exchange.ended};
    co_await handler(exchange.request, exchange.browser);
  }
};

TEST_F(ApiProxyTest, ARequestAndItsAnswer) {
  server_->Answer(Response(201, "{\"kind\":\"ConfigMap\"}",
                           "Content-Type: application/json\r\nCache-Control: no-cache, private\r\n"
                           "Audit-Id: a-1\r\nWarning: 299 - \"old \\\"API\\\"\"\r\n"
                           "Retry-After: 7\r\nSet-Cookie: a=b\r\nX-Kubernetes-Pf: x\r\n"
                           "Access-Control-Allow-Origin: *\r\n"));
  auto exchange = Make("POST", "/api/v1/namespaces/a/configmaps?fieldManager=page", "{\"a\":1}");
  http::Headers& headers = exchange->request.headers;
  headers.Add("Accept", "application/json");
  headers.Add("Content-Type", "application/json");
  headers.Add("User-Agent", "page");
  for (const char* name : {"Impersonate-User", "Impersonate-Group", "X-Remote-User", "Cookie",
                           "Origin", "X-Forwarded-For"}) {
    headers.Add(name, "smuggled");
  }
  exchange = Ask(std::move(exchange));
  EXPECT_EQ(server_->requests().front(),
            StrCat("POST /api/v1/namespaces/a/configmaps?fieldManager=page HTTP/1.1\r\n"
                   "Host: 127.0.0.1:",
                   server_->port(),
                   "\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
                   "User-Agent: page\r\nAuthorization: Bearer users-token\r\n"
                   "Content-Length: 7\r\n\r\n{\"a\":1}"));
  const Browser& browser = exchange->browser;
  EXPECT_EQ(browser.status(), 201);
  EXPECT_EQ(browser.body(), "{\"kind\":\"ConfigMap\"}");
  EXPECT_TRUE(browser.finished());
  EXPECT_FALSE(browser.settled());
  EXPECT_EQ(browser.Header("Content-Type"), "application/json");
  EXPECT_EQ(browser.Header("Cache-Control"), "no-cache, private");
  EXPECT_EQ(browser.Header("Audit-Id"), "a-1");
  EXPECT_EQ(browser.Header("Warning"), "299 - \"old \\\"API\\\"\"");
  EXPECT_EQ(browser.Header("Retry-After"), "7");
  EXPECT_EQ(browser.Header("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(browser.Header("Content-Security-Policy"), HasSubstr("sandbox"));
  for (const char* name : {"Set-Cookie", "X-Kubernetes-Pf", "Access-Control-Allow-Origin"}) {
    EXPECT_EQ(browser.Header(name), "") << name;
  }
  EXPECT_EQ(browser.head().content_length, browser.body().size());
}

TEST_F(ApiProxyTest, ThePrefixOfTheServer) {
  kube::ClientConfig config;
  config.path_prefix = "/k8s/c-1";
  Connect({}, config);
  server_->Answer(Response(200, "{}"));
  EXPECT_EQ(Ask("GET", "/version")->browser.status(), 200);
  EXPECT_THAT(server_->requests().front(), StartsWith("GET /k8s/c-1/version HTTP/1.1\r\n"));
}

TEST_F(ApiProxyTest, WhatIsRefusedHere) {
  const struct {
    std::string_view method;
    std::string_view target;
    int want;
  } kRows[] = {
      {"OPTIONS", "/api/v1/pods", 405},
      {"GET", "/api/v1/namespaces/a/pods/b/exec", 403},
      {"GET", "/api/v1/nodes/n/proxy/metrics", 403},
      {"GET", "/api/v1/../../metrics", 400},
      {"GET", "/api/v1/pods?timeout=soon", 400},
  };
  for (const auto& row : kRows) {
    const auto exchange = Ask(row.method, row.target);
    EXPECT_EQ(exchange->browser.status(), row.want) << row.target;
    EXPECT_THAT(exchange->browser.body(), HasSubstr("\"kind\":\"Status\""));
  }
  auto nobody = Make("GET", "/api/v1/pods");
  nobody->request.headers.Remove("Authorization");
  EXPECT_EQ(Ask(std::move(nobody))->browser.status(), 401);
  EXPECT_THAT(server_->requests(), IsEmpty());
}

TEST_F(ApiProxyTest, BodiesHaveALimit) {
  ApiProxyOptions options;
  options.max_body_bytes = 10;
  Connect(std::move(options));
  server_->Answer(Response(200, "{}"));
  EXPECT_EQ(Ask("POST", "/api/v1/namespaces/a/pods", "0123456789")->browser.status(), 200);
  EXPECT_EQ(Ask("POST", "/api/v1/namespaces/a/pods", "01234567890")->browser.status(), 413);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(ApiProxyTest, TheKubeconfigsCredentialsAreForTheKey) {
  kube::ClientConfig config;
  config.token = "kubeconfigs-token";
  ConnectWithKey(config);
  EXPECT_EQ(Ask("GET", "/version")->browser.status(), 401);
  EXPECT_THAT(server_->requests(), IsEmpty());
  server_->Answer(Response(200, "{}"));
  auto exchange = Make("GET", "/version");
  exchange->request.headers.Set("Authorization", "Bearer the-key");
  EXPECT_EQ(Ask(std::move(exchange))->browser.status(), 200);
  EXPECT_THAT(server_->requests().front(),
              HasSubstr("Authorization: Bearer kubeconfigs-token\r\n"));
  EXPECT_THAT(server_->requests().front(), Not(HasSubstr("the-key")));
}

TEST_F(ApiProxyTest, TheKubeconfigsUserMayActAsSomebody) {
  kube::ClientConfig config;
  config.token = "kubeconfigs-token";
  config.acting = {.name = "jane", .groups = {"ops"}};
  ConnectWithKey(config);
  server_->Answer(Response(200, "{}"));
  auto exchange = Make("GET", "/version");
  exchange->request.headers.Set("Authorization", "Bearer the-key");
  EXPECT_EQ(Ask(std::move(exchange))->browser.status(), 200);
  EXPECT_THAT(server_->requests().front(),
              HasSubstr("Authorization: Bearer kubeconfigs-token\r\nImpersonate-User: jane\r\n"
                        "Impersonate-Group: ops\r\n"));
}

TEST_F(ApiProxyTest, AnswersAreStreamed) {
  server_->Answer(StrCat(kube::ChunkedHead(), kube::Chunk("one ")), TestServer::Then::kHold);
  auto exchange = Make("GET", "/api/v1/namespaces/a/pods/b/log?follow=true");
  Begin(*exchange);
  RunUntil([&] { return exchange->browser.body() == "one "; });
  EXPECT_FALSE(exchange->browser.finished());
  server_->Push(kube::Chunk("two"));
  RunUntil([&] { return exchange->browser.body() == "one two"; });
  server_->Push(kube::Chunk(""));
  Finish(*exchange);
  EXPECT_TRUE(exchange->browser.finished());
  EXPECT_FALSE(exchange->browser.head().content_length.has_value());
}

TEST_F(ApiProxyTest, AHeadHasNoBody) {
  server_->Answer(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n");
  const auto exchange = Ask("HEAD", "/api/v1/pods");
  EXPECT_EQ(exchange->browser.status(), 200);
  EXPECT_TRUE(exchange->browser.finished());
  EXPECT_THAT(exchange->browser.pieces(), IsEmpty());
  server_->Answer(Response(200, "{}"));
  EXPECT_EQ(Ask("GET", "/api/v1/pods")->browser.body(), "{}");
  EXPECT_EQ(server_->connections_accepted(), 2);
}

TEST_F(ApiProxyTest, ConnectionsAreKept) {
  for (int i = 0; i < 3; ++i) server_->Answer(Response(200, "{}"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("GET", "/version")->browser.status(), 200);
  EXPECT_EQ(server_->connections_accepted(), 1);
}

TEST_F(ApiProxyTest, AKeptConnectionThatHasEnded) {
  server_->Answer(Response(200, "{}"), TestServer::Then::kClose);
  EXPECT_EQ(Ask("GET", "/version")->browser.status(), 200);
  server_->Answer(Response(200, "{}"));
  EXPECT_EQ(Ask("GET", "/version")->browser.status(), 200);
}

TEST_F(ApiProxyTest, AWatchAsWebSocket) {
  server_->Answer(StrCat("HTTP/1.1 200 OK\r\n", kJson, "Transfer-Encoding: chunked\r\n\r\n",
                         kube::Chunk("{\"type\":\"ADDED\"}\n{\"type\":")),
                  TestServer::Then::kHold);
  auto exchange = MakeWatch();
  Begin(*exchange);
  const Browser& browser = exchange->browser;
  RunUntil([&] { return !browser.pieces().empty(); });
  EXPECT_TRUE(browser.head().websocket);
  EXPECT_TRUE(browser.settled());
  EXPECT_THAT(browser.pieces(), ElementsAre("{\"type\":\"ADDED\"}\n"));
  EXPECT_EQ(*exchange->request.headers.Find("Sec-WebSocket-Protocol"), "steward.watch");
  const std::string asked = server_->requests().front();
  EXPECT_THAT(asked, StartsWith("GET /api/v1/pods?watch=true HTTP/1.1\r\n"));
  EXPECT_THAT(asked, HasSubstr("Authorization: Bearer users-token\r\n"));
  EXPECT_THAT(asked, Not(HasSubstr("Upgrade")));
  EXPECT_THAT(asked, Not(HasSubstr("WebSocket")));

  // A watch has no time limit.
  clock_.Advance(absl::Hours(1));
  Settle();
  server_->Push(kube::Chunk("\"BOOKMARK\"}\n"));
  RunUntil([&] { return browser.pieces().size() == 2; });
  EXPECT_EQ(browser.pieces().back(), "{\"type\":\"BOOKMARK\"}\n");
  EXPECT_FALSE(browser.finished());
  server_->Push(kube::Chunk(""));
  Finish(*exchange);
  EXPECT_TRUE(browser.finished());
}

TEST_F(ApiProxyTest, AWatchThatIsRefused) {
  server_->Answer(Response(403, "{\"kind\":\"Status\"}", kJson));
  const auto exchange = Ask(MakeWatch());
  EXPECT_EQ(exchange->browser.status(), 403);
  EXPECT_FALSE(exchange->browser.head().websocket);
  EXPECT_EQ(exchange->browser.body(), "{\"kind\":\"Status\"}");
}

TEST_F(ApiProxyTest, AWatchThatIsNotJson) {
  server_->Answer(Response(200, "k8s\n", "Content-Type: application/vnd.kubernetes.protobuf\r\n"));
  const auto exchange = Ask(MakeWatch());
  EXPECT_FALSE(exchange->browser.head().websocket);
}

TEST_F(ApiProxyTest, AWebSocketWithABadHandshake) {
  auto exchange = MakeWatch();
  exchange->request.headers.Set("Sec-WebSocket-Version", "12");
  EXPECT_EQ(Ask(std::move(exchange))->browser.status(), 400);
  EXPECT_THAT(server_->requests(), IsEmpty());
}

TEST_F(ApiProxyTest, TheKubeApiserverDiesWithinAWatch) {
  server_->Answer(StrCat("HTTP/1.1 200 OK\r\n", kJson, "Transfer-Encoding: chunked\r\n\r\n",
                         kube::Chunk("{}\n{\"type\"")),
                  TestServer::Then::kClose);
  const auto exchange = Ask(MakeWatch());
  EXPECT_THAT(exchange->browser.pieces(), ElementsAre("{}\n"));
  EXPECT_FALSE(exchange->browser.finished()) << "it must not look like an end in order";
}

TEST_F(ApiProxyTest, TheKubeApiserverDiesWithinABody) {
  server_->Answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", TestServer::Then::kClose);
  const auto exchange = Ask("GET", "/api/v1/pods");
  EXPECT_EQ(exchange->browser.status(), 200);
  EXPECT_EQ(exchange->browser.body(), "half");
  EXPECT_FALSE(exchange->browser.finished());
}

TEST_F(ApiProxyTest, TheKubeApiserverDoesNotAnswer) {
  server_->Answer("", TestServer::Then::kClose);
  const auto ended = Ask("POST", "/api/v1/namespaces/a/pods", "{}");
  EXPECT_EQ(ended->browser.status(), 502);
  EXPECT_THAT(ended->browser.body(), HasSubstr("did not answer"));
  server_->Answer("220 mail.example.com\r\n\r\n", TestServer::Then::kClose);
  EXPECT_EQ(Ask("GET", "/api/v1/pods")->browser.status(), 502);
}

TEST_F(ApiProxyTest, TheKubeApiserverIsAway) {
  const uint16_t port = server_->port();
  server_.reset();
  kube::ClientConfig config;
  config.port = port;
  Connect({}, config);
  const auto exchange = Ask("GET", "/api/v1/pods");
  EXPECT_EQ(exchange->browser.status(), 503);
  EXPECT_THAT(exchange->browser.body(), HasSubstr("cannot be asked"));
  server_ = std::make_unique<TestServer>(io_);
}

TEST_F(ApiProxyTest, TimeLimits) {
  for (const bool watch : {false, true}) {
    const size_t before = server_->requests().size();
    server_->Answer("", TestServer::Then::kHold);
    auto exchange = watch ? MakeWatch() : Make("GET", "/api/v1/pods");
    Begin(*exchange);
    AwaitRequests(before + 1);
    clock_.Advance(absl::Seconds(59));
    Settle();
    EXPECT_FALSE(exchange->ended);
    clock_.Advance(absl::Seconds(2));
    Finish(*exchange);
    EXPECT_EQ(exchange->browser.status(), 504);
  }
}

TEST_F(ApiProxyTest, WhenTheClientLeavesTheRequestEnds) {
  for (const bool watch : {false, true}) {
    const size_t before = server_->requests().size();
    server_->Answer(watch ? StrCat("HTTP/1.1 200 OK\r\n", kJson,
                                   "Transfer-Encoding: chunked\r\n\r\n", kube::Chunk("{}\n"))
                          : "",
                    TestServer::Then::kHold);
    auto exchange = watch ? MakeWatch() : Make("GET", "/api/v1/pods");
    Begin(*exchange);
    AwaitRequests(before + 1);
    if (watch) RunUntil([&] { return !exchange->browser.pieces().empty(); });
    EXPECT_EQ(server_->connections_open(), 1);
    exchange->task.Cancel();
    Finish(*exchange);
    RunUntil([&] { return server_->connections_open() == 0; });
  }
}

TEST_F(ApiProxyTest, AClientThatTakesNothingMore) {
  server_->Answer(StrCat(kube::ChunkedHead(), kube::Chunk("one")), TestServer::Then::kHold);
  auto exchange = Make("GET", "/api/v1/pods");
  exchange->browser.Leave();
  exchange = Ask(std::move(exchange));
  EXPECT_FALSE(exchange->browser.finished());
  RunUntil([&] { return server_->connections_open() == 0; });
}

TEST_F(ApiProxyTest, ARequesterHasFewAtATime) {
  ApiProxyOptions options;
  options.waiting = {.all = 100, .per_user = 2};
  options.watches = {.all = 100, .per_user = 1};
  Connect(std::move(options));
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (int i = 0; i < 2; ++i) {
    exchanges.push_back(Make("GET", "/api/v1/pods"));
    Begin(*exchanges.back());
  }
  AwaitRequests(2);
  const auto third = Ask("GET", "/api/v1/pods");
  EXPECT_EQ(third->browser.status(), 429);
  EXPECT_EQ(third->browser.Header("Retry-After"), "1");
  auto other = Make("GET", "/api/v1/pods");
  other->request.remote_address = "192.0.2.1:5";
  Begin(*other);
  AwaitRequests(3);
  exchanges.front()->task.Cancel();
  Finish(*exchanges.front());

  // A watch that has begun does not count as a waiting request.
  server_->Answer(StrCat("HTTP/1.1 200 OK\r\n", kJson, "Transfer-Encoding: chunked\r\n\r\n",
                         kube::Chunk("{}\n")),
                  TestServer::Then::kHold);
  auto watch = MakeWatch();
  Begin(*watch);
  RunUntil([&] { return !watch->browser.pieces().empty(); });
  EXPECT_EQ(Ask(MakeWatch())->browser.status(), 429);
  server_->Answer(Response(200, "{}"));
  EXPECT_EQ(Ask("GET", "/version")->browser.status(), 200);
  RunOn(io_, calls_.Stop());
}

}  // namespace
}  // namespace steward::console
