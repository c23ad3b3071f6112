#include "apiserver/http/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "apiserver/http/http2/http2_test_client.h"
#include "apiserver/http/tls/tls_test_client.h"
#include "apiserver/http/websocket/websocket_frames.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/testing.h"

namespace steward::http {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Optional;
using ::testing::StartsWith;

constexpr char kGetHello[] = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr char kUpgrade[] =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://h\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
constexpr char kFrontProxy[] = "front-proxy";
constexpr size_t kBlock = 256 << 10;
constexpr size_t kBlocks = 100;

SslContext Context(const TestKeyPair& pair) {
  auto context = MakeServerContext({pair.cert_pem, pair.key_pem}, {});
  return context.value();
}

std::string CommonName(const std::string& der) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  X509Ptr cert(d2i_X509(nullptr, &data, static_cast<long>(der.size())));
  char name[128] = {};
  if (cert != nullptr)
    X509_NAME_get_text_by_NID(X509_get_subject_name(cert.get()), NID_commonName, name, sizeof name);
  return name;
}

// State that the handlers of a test share with it.
struct Shared {
  explicit Shared(Clock& c) : clock(c) {}
  Clock& clock;
  std::atomic<int> hanging{0};
  std::atomic<bool> released{false};
};

struct Hanging {
  explicit Hanging(Shared& s) : shared(s) { ++shared.hanging; }
  ~Hanging() { --shared.hanging; }
  Shared& shared;
};

StatusTask Blocks(ResponseWriter& writer) {
  static const std::string& block = *new std::string(kBlock, 'x');
  ResponseHead head;
  head.content_length = kBlock * kBlocks;
  head.websocket = true;
  absl::Status status = co_await writer.WriteHead(std::move(head));
  for (size_t i = 0; status.ok() && i < kBlocks; ++i) {
    std::vector<Segment> segments;
    segments.push_back({block, nullptr});
    status = co_await writer.Write(std::move(segments));
  }
  if (status.ok()) status = co_await writer.Finish();
  co_return status;
}

VoidTask Handle(Request& request, ResponseWriter& writer, Shared& shared) {
  absl::Status status;
  if (request.path == "/who") {
    std::string who = StrCat(request.protocol, " ", request.remote_address);
    if (request.peer != nullptr) {
      for (const std::string& der : request.peer->der) StrAppend(&who, " ", CommonName(der));
    }
    status = co_await Respond(writer, 200, "text/plain", std::move(who));
  } else if (request.path == "/blocks") {
    Hanging hanging(shared);
    status = co_await Blocks(writer);
  } else if (request.path == "/hang") {
    Hanging hanging(shared);
    while (!shared.released) co_await Clock::Real().Sleep(absl::Milliseconds(1));
    status = co_await Respond(writer, 200, "text/plain", "released\n");
  } else {
    status = co_await Respond(writer, 200, "text/plain", "hello\n");
  }
  status.IgnoreError();
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : shared_(clock_), context_(Context(ServerPair("server"))) {}
  ~ServerTest() override { Stop(absl::ZeroDuration()); }

  TestKeyPair ServerPair(const std::string& name) {
    TestCertOptions options;
    options.common_name = name;
    return ca_.Issue(options);
  }

  void Start(Limits limits = {}) {
    ServerOptions options;
    options.bind_address = "127.0.0.1";
    options.limits = limits;
    options.tls = [this] {
      if (broken_) throw std::runtime_error("thrown for a test");
      MutexLock lock(&mutex_);
      return context_;
    };
    options.is_front_proxy = [](const PeerCertificates& peer) {
      return CommonName(peer.der[0]) == kFrontProxy;
    };
    options.error_body = [this](int code, std::string_view, std::string_view message) {
      if (throws_) throw std::runtime_error("of a test");
      return StrCat(code, " ", message);
    };
    server_ = std::make_unique<Server>(std::move(options), threads_, clock_);
    ASSERT_OK(server_->Start([this](Request& request, ResponseWriter& writer) {
      return Handle(request, writer, shared_);
    }));
  }

  // Stops while time passes, a second per millisecond.
  void Stop(absl::Duration grace) {
    if (server_ == nullptr) return;
    absl::Notification stopped;
    std::thread time([&] {
      while (!stopped.WaitForNotificationWithTimeout(absl::Milliseconds(1)))
        clock_.Advance(absl::Seconds(1));
    });
    RunOn(io_, server_->Stop(grace));
    stopped.Notify();
    time.join();
    server_.reset();
  }

  // Lets time pass until `client` receives something.
  void AdvanceUntilReadable(TlsTestClient& client) {
    while (!client.WaitReadable(absl::Milliseconds(5))) clock_.Advance(absl::Seconds(1));
  }

  void WaitHanging(int count) {
    while (shared_.hanging != count) std::this_thread::yield();
  }

  FakeClock clock_;
  Shared shared_;
  std::atomic<bool> throws_{false};
  const TestCa ca_{"ca"};
  Mutex mutex_;
  SslContext context_;
  std::atomic<bool> broken_{false};
  boost::asio::io_context io_;  // outlives the threads: see Server::Stop
  IoThreads threads_{2};
  std::unique_ptr<Server> server_;
};

// Carries bytes until `done` returns true.
template <typename Done>
void Converse(TlsTestClient& tls, Http2TestClient& client, Done done) {
  while (!done()) {
    ASSERT_TRUE(tls.Write(client.TakeOutput()));
    if (done()) return;
    const std::string bytes = tls.Read();
    ASSERT_THAT(bytes, ::testing::Not(IsEmpty()));
    ASSERT_TRUE(client.Receive(bytes));
  }
}

TEST_F(ServerTest, SpeaksBothProtocols) {
  Start();
  TlsTestClient one(server_->port());
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one.protocol(), "http/1.1");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(one.Write(kGetHello));
    EXPECT_THAT(one.ReadUntil("hello\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  TlsTestClient two(server_->port(), {"h2"});
  EXPECT_EQ(two.protocol(), "h2");
  Http2TestClient client;
  for (int i = 0; i < 3; ++i) {
    const int32_t id = client.Request("GET", "/hello");
    Converse(two, client, [&] { return client.response(id).ended; });
    EXPECT_EQ(client.response(id).body, "hello\n");
  }
  TlsTestClient none(server_->port(), {""});
  ASSERT_TRUE(none.Write(kGetHello));
  EXPECT_THAT(none.ReadUntil("hello\n"), EndsWith("hello\n"));
  EXPECT_EQ(server_->stats().connections, 3u);
  EXPECT_EQ(server_->stats().accepted, 3u);
}

// An unexpected exception costs one connection, but not the process.
TEST_F(ServerTest, AnExceptionOfARequestEndsItsConnection) {
  Start();
  throws_ = true;
  TlsTestClient other(server_->port());
  TlsTestClient one(server_->port());
  ASSERT_TRUE(one.Write("GET /hello HTTP/1.1\r\n\r\n"));  // without a host
  EXPECT_THAT(one.ReadAll(), IsEmpty());
  TlsTestClient two(server_->port(), {"h2"});
  Http2TestClient client;
  client.RawRequest({{":method", "CONNECT"}, {":authority", "h:1"}});
  ASSERT_TRUE(two.Write(client.TakeOutput()));
  while (!two.Read().empty()) {
  }
  ASSERT_TRUE(other.Write(kGetHello));
  EXPECT_THAT(other.ReadUntil("hello\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ServerTest, ShowsTheClientsCertificates) {
  Start();
  const TestCa unknown("unknown root");
  const TestCa intermediate = unknown.IssueCa("intermediate");
  TestCertOptions options;
  options.common_name = "jane";
  TestKeyPair pair = intermediate.Issue(options);
  pair.cert_pem += intermediate.cert_pem();
  TlsTestClient client(server_->port(), {"http/1.1", &pair});
  ASSERT_TRUE(client.Write("GET /who HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.ReadAll(), MatchesRegex("(.|\n)*HTTP/1.1 127.0.0.1:[0-9]+ jane intermediate"));

  TlsTestClient two(server_->port(), {"h2", &pair});
  Http2TestClient http2;
  const int32_t id = http2.Request("GET", "/who");
  Converse(two, http2, [&] { return http2.response(id).ended; });
  EXPECT_THAT(http2.response(id).body, MatchesRegex("HTTP/2.0 127.0.0.1:[0-9]+ jane intermediate"));

  TlsTestClient anonymous(server_->port());
  ASSERT_TRUE(anonymous.Write("GET /who HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(anonymous.ReadAll(), MatchesRegex("(.|\n)*HTTP/1.1 127.0.0.1:[0-9]+"));
}

TEST_F(ServerTest, NewCertificateForNewHandshakes) {
  Start();
  TlsTestClient old(server_->port());
  EXPECT_EQ(old.server_name(), "server");
  {
    MutexLock lock(&mutex_);
    context_ = Context(ServerPair("renewed"));
  }
  TlsTestClient fresh(server_->port());
  EXPECT_EQ(fresh.server_name(), "renewed");
  ASSERT_TRUE(old.Write(kGetHello));
  EXPECT_THAT(old.ReadUntil("hello\n"), EndsWith("hello\n"));
}

TEST_F(ServerTest, StopLetsRequestsFinish) {
  Start();
  TlsTestClient one(server_->port());
  ASSERT_TRUE(one.Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
  TlsTestClient two(server_->port(), {"h2"});
  Http2TestClient client;
  const int32_t id = client.Request("GET", "/hang");
  ASSERT_TRUE(two.Write(client.TakeOutput()));
  TlsTestClient idle(server_->port());
  const uint16_t port = server_->port();
  WaitHanging(2);
  std::thread stopper([this] { Stop(absl::Hours(24)); });
  EXPECT_THAT(idle.ReadAll(), IsEmpty());
  Converse(two, client, [&] { return client.goaway().has_value(); });
  EXPECT_FALSE(TlsTestClient(port).ok());
  shared_.released = true;
  EXPECT_THAT(one.ReadAll(), EndsWith("released\n"));
  Converse(two, client, [&] { return client.response(id).ended; });
  EXPECT_EQ(client.response(id).body, "released\n");
  stopper.join();
}

TEST_F(ServerTest, StopCancelsWhatDoesNotFinish) {
  Start();
  TlsTestClient one(server_->port());
  ASSERT_TRUE(one.Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
  TlsTestClient two(server_->port(), {"h2"});
  Http2TestClient client;
  client.Request("GET", "/hang");
  ASSERT_TRUE(two.Write(client.TakeOutput()));
  WaitHanging(2);
  std::thread stopper([this] { Stop(absl::Seconds(5)); });
  EXPECT_THAT(one.ReadAll(), IsEmpty());
  stopper.join();
  EXPECT_EQ(shared_.hanging, 0);
}

TEST_F(ServerTest, PlainHttpIsToldSo) {
  Start();
  TlsTestOptions plain;
  plain.tls = false;
  TlsTestClient client(server_->port(), plain);
  ASSERT_TRUE(client.Write(kGetHello));
  EXPECT_THAT(client.ReadAll(), HasSubstr("Client sent an HTTP request to an HTTPS server."));
  TlsTestClient garbage(server_->port(), plain);
  ASSERT_TRUE(garbage.Write("\x16\x03\x01\xff\xff\xff\xff garbage that is no hello"));
  garbage.ReadAll();
  // The server waits a little for the client to close.
  while (server_->stats().handshake_errors != 2) clock_.Advance(absl::Seconds(1));
}

TEST_F(ServerTest, HandshakeEndsInTime) {
  Start();
  TlsTestOptions plain;
  plain.tls = false;
  TlsTestClient silent(server_->port(), plain);
  AdvanceUntilReadable(silent);
  EXPECT_THAT(silent.ReadAll(), IsEmpty());
  while (server_->stats().connections != 0) clock_.Advance(absl::Seconds(1));
}

TEST_F(ServerTest, AReaderThatStopsIsCutOff) {
  Start();
  TlsTestOptions options;
  options.receive_buffer = 64 << 10;
  for (const std::string& fields : {std::string(), std::string(kUpgrade)}) {
    TlsTestClient slow(server_->port(), options);
    ASSERT_TRUE(slow.Write(StrCat("GET /blocks HTTP/1.1\r\nHost: h\r\n", fields, "\r\n")));
    WaitHanging(1);
    while (shared_.hanging > 0) {
      clock_.Advance(absl::Seconds(1));
      std::this_thread::yield();
    }
    // The end follows the bytes that were already on their way.
    const std::string all = slow.ReadAll();
    EXPECT_LT(all.size(), kBlock * kBlocks);
    EXPECT_THAT(all, StartsWith(fields.empty() ? "HTTP/1.1 200 " : "HTTP/1.1 101 "));
  }
}

TEST_F(ServerTest, WebSockets) {
  Start();
  TlsTestClient client(server_->port());
  ASSERT_TRUE(client.Write(StrCat("GET /blocks HTTP/1.1\r\nHost: h\r\n", kUpgrade, "\r\n")));
  const std::string close = Whole(kClose, CloseCode(1000)).payload;
  std::string all;
  for (std::string bytes = "-"; !bytes.empty() && !all.ends_with(close);) {
    bytes = client.Read();
    all += bytes;
  }
  ASSERT_TRUE(client.Write(ClientFrame(kClose, close)));
  EXPECT_THAT(client.ReadAll(), IsEmpty());
  const std::vector<Frame> frames = ServerFrames(all.substr(all.find("\r\n\r\n") + 4));
  ASSERT_EQ(frames.size(), kBlocks + 1);
  EXPECT_EQ(frames.front(), Whole(kText, std::string(kBlock, 'x')));
  EXPECT_EQ(frames.back(), Whole(kClose, close));
}

TEST_F(ServerTest, LargeResponses) {
  Start();
  TlsTestClient one(server_->port());
  ASSERT_TRUE(one.Write("GET /blocks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  const std::string all = one.ReadAll();
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, kBlock * kBlocks);
  TlsTestClient two(server_->port(), {"h2"});
  Http2TestClient client;
  const int32_t id = client.Request("GET", "/blocks");
  const int32_t other = client.Request("GET", "/blocks");
  Converse(two, client, [&] { return client.response(id).ended && client.response(other).ended; });
  EXPECT_EQ(client.response(id).body, std::string(kBlock * kBlocks, 'x'));
}

TEST_F(ServerTest, ConnectionsAreLimited) {
  Limits limits;
  limits.max_connections = 2;
  Start(limits);
  TlsTestClient one(server_->port());
  ASSERT_TRUE(one.Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
  auto two = std::make_unique<TlsTestClient>(server_->port());
  ASSERT_TRUE(two->Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
  WaitHanging(2);
  EXPECT_FALSE(TlsTestClient(server_->port()).ok());
  EXPECT_GE(server_->stats().rejected_full, 1u);
  EXPECT_EQ(server_->stats().shed, 0u) << "requests run on both";
  two.reset();
  while (server_->stats().connections > 1) std::this_thread::yield();
  EXPECT_TRUE(TlsTestClient(server_->port()).ok());
  shared_.released = true;
  EXPECT_THAT(one.ReadUntil("released\n"), EndsWith("released\n"));
}

TEST_F(ServerTest, WhoeverComesTakesAnIdleStrangersPlace) {
  Limits limits;
  limits.max_connections = 20;
  Start(limits);
  TlsTestClient busy(server_->port());
  ASSERT_TRUE(busy.Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
  WaitHanging(1);
  TlsTestOptions plain;
  plain.tls = false;
  std::vector<std::unique_ptr<TlsTestClient>> flood;
  for (int i = 0; i < 100; ++i) {
    // Some of them shake hands, most do not.
    flood.push_back(
        std::make_unique<TlsTestClient>(server_->port(), i % 10 == 0 ? TlsTestOptions{} : plain));
    if (i % 10 != 0) continue;
    TlsTestClient user(server_->port());
    ASSERT_TRUE(user.Write(kGetHello)) << i;
    EXPECT_THAT(user.ReadUntil("hello\n"), EndsWith("hello\n")) << i;
  }
  EXPECT_EQ(server_->stats().rejected_full, 0u);
  EXPECT_GT(server_->stats().shed, 50u);
  shared_.released = true;
  EXPECT_THAT(busy.ReadUntil("released\n"), EndsWith("released\n"));
}

// Leaves the process without file descriptors while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit few = before_;
    few.rlim_cur = 512;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(fd);
    EXPECT_EQ(errno, EMFILE);
  }
  ~NoDescriptors() {
    while (!taken_.empty()) GiveOne();
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0);
  }
  void GiveOne() {
    close(taken_.back());
    taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST_F(ServerTest, WaitsForDescriptors) {
  Start();
  TlsTestClient busy(server_->port());
  ASSERT_TRUE(busy.Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
  WaitHanging(1);
  auto none = std::make_unique<NoDescriptors>();
  none->GiveOne();
  TlsTestOptions plain;
  plain.tls = false;
  // The connection of this client waits in the kernel's queue.
  TlsTestClient late(server_->port(), plain);
  ASSERT_TRUE(late.ok());
  ASSERT_TRUE(late.Write(kGetHello));
  while (server_->stats().accept_errors == 0) std::this_thread::yield();
  while (server_->stats().accept_errors == 1) {
    clock_.Advance(absl::Seconds(1));
    std::this_thread::yield();
  }
  EXPECT_EQ(server_->stats().accepted, 1u);
  EXPECT_EQ(server_->stats().shed, 0u) << "a request runs on the only one";
  // Nobody else is disturbed.
  shared_.released = true;
  EXPECT_THAT(busy.ReadUntil("released\n"), EndsWith("released\n"));
  none = nullptr;
  AdvanceUntilReadable(late);
  EXPECT_THAT(late.ReadAll(), HasSubstr("HTTPS"));
}

TEST_F(ServerTest, WithoutDescriptorsAnIdleStrangerGivesItsOwn) {
  Start();
  TlsTestClient idle(server_->port());
  ASSERT_TRUE(idle.Write(kGetHello));
  EXPECT_THAT(idle.ReadUntil("hello\n"), EndsWith("hello\n"));
  NoDescriptors none;
  none.GiveOne();
  TlsTestOptions plain;
  plain.tls = false;
  TlsTestClient late(server_->port(), plain);
  ASSERT_TRUE(late.ok());
  ASSERT_TRUE(late.Write(kGetHello));
  AdvanceUntilReadable(late);
  EXPECT_THAT(late.ReadAll(), HasSubstr("HTTPS"));
  EXPECT_GE(server_->stats().accept_errors, 1u);
  EXPECT_EQ(server_->stats().shed, 1u);
  EXPECT_THAT(idle.ReadAll(), IsEmpty());
}

TEST_F(ServerTest, ConnectionsOfOneSourceAreLimited) {
  Limits limits;
  limits.max_connections_per_source = 2;
  Start(limits);
  TestCertOptions options;
  options.common_name = kFrontProxy;
  const TestKeyPair pair = ca_.Issue(options);
  // Front proxies do not count, and are admitted when others are not.
  std::vector<std::unique_ptr<TlsTestClient>> open;
  int hanging = 0;
  for (const TestKeyPair* const shown :
       {&pair, &pair, &pair, static_cast<const TestKeyPair*>(nullptr),
        static_cast<const TestKeyPair*>(nullptr), &pair}) {
    open.push_back(
        std::make_unique<TlsTestClient>(server_->port(), TlsTestOptions{"http/1.1", shown}));
    ASSERT_TRUE(open.back()->Write("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n"));
    WaitHanging(++hanging);
  }
  TlsTestClient over(server_->port());
  EXPECT_THAT(over.ReadAll(), IsEmpty());
  while (server_->stats().rejected_source == 0) std::this_thread::yield();
  EXPECT_EQ(server_->stats().rejected_full, 0u);
  shared_.released = true;
  for (const auto& client : open) {
    EXPECT_THAT(client->ReadUntil("released\n"), EndsWith("released\n"));
  }
}

TEST_F(ServerTest, WhoeverComesTakesThePlaceOfAnIdleStrangerOfItsSource) {
  Limits limits;
  limits.max_connections_per_source = 2;
  Start(limits);
  TlsTestOptions plain;
  plain.tls = false;
  std::vector<std::unique_ptr<TlsTestClient>> flood;
  for (int i = 0; i < 100; ++i) {
    flood.push_back(std::make_unique<TlsTestClient>(server_->port(), plain));
  }
  TlsTestClient user(server_->port());
  ASSERT_TRUE(user.Write(kGetHello));
  EXPECT_THAT(user.ReadUntil("hello\n"), EndsWith("hello\n"));
  EXPECT_EQ(server_->stats().rejected_source, 0u);
}

TEST_F(ServerTest, AFrontProxyPassesOnManyGroups) {
  Start();
  TestCertOptions options;
  options.common_name = kFrontProxy;
  const TestKeyPair pair = ca_.Issue(options);
  std::string request = "GET /hello HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 1015; ++i) StrAppend(&request, "X-Remote-Group: group-", i, "\r\n");
  request += "\r\n";
  TlsTestClient proxy(server_->port(), {"http/1.1", &pair});
  ASSERT_TRUE(proxy.Write(request));
  EXPECT_THAT(proxy.ReadUntil("hello\n"), StartsWith("HTTP/1.1 200 "));
  TlsTestClient stranger(server_->port());
  ASSERT_TRUE(stranger.Write(request));
  EXPECT_THAT(stranger.ReadUntil("fields"), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerTest, ALongChainFailsTheHandshake) {
  Start();
  TestCertOptions options;
  options.common_name = "jane";
  TestKeyPair pair = ca_.Issue(options);
  const std::string more = ca_.cert_pem();
  for (int i = 0; i < 60; ++i) pair.cert_pem += more;
  TlsTestClient client(server_->port(), {"http/1.1", &pair});
  client.Write("GET /who HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), IsEmpty());
  while (server_->stats().handshake_errors == 0) clock_.Advance(absl::Seconds(1));
}

TEST_F(ServerTest, AnExceptionOfAHandshakeEndsItsConnection) {
  Start();
  TlsTestClient before(server_->port());
  ASSERT_TRUE(before.ok());
  broken_ = true;
  EXPECT_FALSE(TlsTestClient(server_->port()).ok());
  broken_ = false;
  TlsTestClient after(server_->port());
  for (TlsTestClient* client : {&before, &after}) {
    ASSERT_TRUE(client->Write(kGetHello));
    EXPECT_THAT(client->ReadUntil("hello\n"), EndsWith("hello\n"));
  }
  // The connection's place is free again.
  while (server_->stats().connections != 2) std::this_thread::yield();
}

TEST_F(ServerTest, ManyClientsAtOnce) {
  Start();
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        TlsTestClient tls(server_->port(), {i % 2 == 0 ? "http/1.1" : "h2"});
        if (i % 2 == 0) {
          if (!tls.Write(StrCat(kGetHello, kGetHello))) continue;
          if (tls.ReadUntil("hello\nHTTP/1.1 200 OK").empty()) continue;
        } else {
          Http2TestClient client;
          int32_t id = 0;
          for (int n = 0; n < 10; ++n) id = client.Request("GET", "/hello");
          Converse(tls, client, [&] { return client.response(id).ended; });
        }
        ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 40);
}

TEST_F(ServerTest, StartSaysWhyItCannotListen) {
  Start();
  for (const auto& [address, port, code] :
       {std::tuple("127.0.0.1", server_->port(), absl::StatusCode::kUnavailable),
        std::tuple("localhost", uint16_t{0}, absl::StatusCode::kInvalidArgument)}) {
    ServerOptions options;
    options.bind_address = address;
    options.port = port;
    Server other(std::move(options), threads_, clock_);
    EXPECT_THAT(other.Start({}), StatusIs(code, HasSubstr(address)));
  }
}

}  // namespace
}  // namespace steward::http
