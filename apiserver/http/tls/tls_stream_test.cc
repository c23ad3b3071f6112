#include "apiserver/http/tls/tls_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "apiserver/http/limits/options.h"
#include "apiserver/http/tls/tls_test_client.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "base/tls/server_context.h"
#include "base/tls/testing.h"

namespace steward::http {
namespace {

namespace asio = boost::asio;
using boost::asio::ip::tcp;

constexpr int kPieces = 100;
constexpr Pace kPace{absl::Minutes(1), 1000};

class TlsStreamTest : public ::testing::Test {
 protected:
  TlsStreamTest() {
    const TestKeyPair pair = TestCa("ca").Issue(TestCertOptions());
    context_ = MakeServerContext({pair.cert_pem, pair.key_pem}, {}).value();
    tasks_.Spawn("turns", turns_.Run());
  }
  ~TlsStreamTest() override { RunOn(io_, tasks_.Stop()); }

  asio::io_context io_;
  SslContext context_;
  DeadlineSet deadlines_{absl::Seconds(1)};
  HandshakeTurns turns_{io_.get_executor()};
  TaskGroup tasks_{io_.get_executor()};
};

VoidTask ReadPieces(asio::io_context& io, TlsStream& stream, int& read, std::optional<int>& seen) {
  asio::post(io, [&] { seen = read; });
  for (; read < kPieces; ++read) {
    const absl::StatusOr<std::string_view> piece = co_await stream.Read();
    EXPECT_THAT(piece, IsOkAndHolds("x"));
    if (!piece.ok()) co_return;
  }
}

TEST_F(TlsStreamTest, APeerThatAlwaysHasMoreDoesNotKeepTheThread) {
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::optional<TlsTestClient> client;
  std::thread connecting([&] { client.emplace(acceptor.local_endpoint().port()); });
  TlsStream stream(acceptor.accept(), context_, turns_, deadlines_, kPace);
  ASSERT_OK(RunOn(io_, stream.Handshake()));
  connecting.join();
  for (int i = 0; i < kPieces; ++i) ASSERT_TRUE(client->Write("x"));

  int read = 0;
  std::optional<int> seen;
  RunOn(io_, ReadPieces(io_, stream, read, seen));
  EXPECT_EQ(read, kPieces);
  ASSERT_TRUE(seen.has_value());
  EXPECT_LE(*seen, 16);
}

VoidTask ReadOnce(TlsStream& stream, absl::Status& result) {
  result = (co_await stream.Read()).status();
}

// After a message without data, OpenSSL reads the next one in the same call, as long as there are
// more.
TEST_F(TlsStreamTest, KeyUpdatesDoNotKeepTheThread) {
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::optional<TlsTestClient> client;
  std::thread connecting([&] { client.emplace(acceptor.local_endpoint().port()); });
  TlsStream stream(acceptor.accept(), context_, turns_, deadlines_, kPace);
  ASSERT_OK(RunOn(io_, stream.Handshake()));
  connecting.join();
  // A few are nothing unusual.
  ASSERT_TRUE(client->UpdateKeys(30));
  ASSERT_TRUE(client->Write("x"));
  EXPECT_THAT(RunOn(io_, stream.Read()), IsOkAndHolds("x"));
  ASSERT_TRUE(client->UpdateKeys(5'000));
  client.reset();
  absl::Status result;
  RunOn(io_, ReadOnce(stream, result));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnavailable, "connection aborted"));
}

VoidTask ShakeHands(TlsStream& stream, absl::Status& result) {
  result = co_await stream.Handshake();
}

TEST_F(TlsStreamTest, AnAbortedHandshakeWaitsForNoTurn) {
  HandshakeTurns never(io_.get_executor());
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::thread connecting([&] { TlsTestClient(acceptor.local_endpoint().port()); });
  tcp::socket socket = acceptor.accept();
  socket.wait(tcp::socket::wait_read);
  TlsStream stream(std::move(socket), context_, never, deadlines_, kPace);
  absl::Status result;
  tasks_.Spawn("handshake", ShakeHands(stream, result));
  io_.poll();
  EXPECT_OK(result) << "it has not ended";
  stream.Abort();
  io_.poll();
  EXPECT_FALSE(result.ok());
  connecting.join();
}

// Ten thousand records, of a byte each, of a message that is announced to be longer.
TEST_F(TlsStreamTest, AnEndlessHelloIsNotTakenForever) {
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  TlsTestOptions plain;
  plain.tls = false;
  TlsTestClient client(acceptor.local_endpoint().port(), plain);
  TlsStream stream(acceptor.accept(), context_, turns_, deadlines_, kPace);
  const std::string hello = std::string("\1\1\xf0\0\3\3", 6) + std::string(15'000, 'x');
  std::string records;
  for (const char c : hello) records += std::string("\x16\3\1\0\1", 5) + c;
  ASSERT_TRUE(client.Write(records));
  absl::Status result;
  tasks_.Spawn("handshake", ShakeHands(stream, result));
  while (result.ok()) {
    io_.restart();
    io_.run_one_for(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnavailable, "connection aborted"));
}

VoidTask ShutDown(asio::io_context& io, TlsStream& stream, bool& seen) {
  bool ran = false;
  asio::post(io, [&ran] { ran = true; });
  co_await stream.Shutdown();
  seen = ran;
}

TEST_F(TlsStreamTest, LingeringDoesNotKeepTheThread) {
  // The messages of this socket are received one by one, however fast they were sent.
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  for (int i = 0; i < kPieces; ++i) ASSERT_EQ(::send(ends[1], "x", 1, MSG_DONTWAIT), 1);
  ::close(ends[1]);
  TlsStream stream(tcp::socket(io_, tcp::v4(), ends[0]), context_, turns_, deadlines_, kPace);
  bool seen = false;
  RunOn(io_, ShutDown(io_, stream, seen));
  io_.poll();
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace steward::http
