// A write that its caller has given up does not arrive later (R-000-78). The server is a bare
// socket here, because the test is about the bytes that its kernel received.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>

#include "base/async/run.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_test_fixture.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// More bytes than the buffers of two kernels hold.
constexpr size_t kBig = 64 << 20;

class RestAbandonedTest : public RestTest {
 protected:
  RestAbandonedTest() {
    acceptor_.set_option(asio::socket_base::receive_buffer_size(4096));
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (!error) peer_.emplace(std::move(socket));
    });
    ClientConfig config = Config();
    config.port = acceptor_.local_endpoint().port();
    Connect(config);
  }

  // Reads until the connection's end, and records that end.
  void ReadToTheEnd() {
    while (!end_) Read();
  }
  // Reads the available bytes once. REQUIRES: the socket is non-blocking, or has bytes.
  void Read() {
    received_ += peer_->read_some(asio::buffer(buffer_), end_);
    if (end_ == asio::error::would_block) end_ = {};
  }
  bool BytesArrived() { return peer_.has_value() && peer_->available() > 0; }

  tcp::acceptor acceptor_{io_, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
  std::optional<tcp::socket> peer_;
  std::array<char, 65536> buffer_;
  size_t received_ = 0;
  boost::system::error_code end_;
  const NamespacedName name_{"n", "a"};
  const boost::json::value big_ = {{"spec", std::string(kBig, 'x')}};
  WriteOptions write_;
  const DeleteOptions delete_;
};

TEST_F(RestAbandonedTest, InTheMiddleTheRestNeverArrives) {
  const auto result = Begin(client_->Patch(kPods, name_, PatchType::kJsonMerge, big_, write_));
  RunUntil([&] { return BytesArrived(); });
  RunOn(io_, calls_.Stop());
  EXPECT_FALSE(result->has_value());
  ReadToTheEnd();
  EXPECT_EQ(end_, asio::error::connection_reset);
  EXPECT_LT(received_, kBig);
}

// The server reads on: the rest of the write could be sent, but is no longer permitted.
TEST_F(RestAbandonedTest, InTheMiddlePermissionIsAskedAgain) {
  absl::Status permission;
  write_.may_send = [&permission] { return permission; };
  const auto result = Begin(client_->Patch(kPods, name_, PatchType::kJsonMerge, big_, write_));
  RunUntil([&] { return BytesArrived(); });
  permission = absl::FailedPreconditionError("the lease is lost");
  peer_->non_blocking(true);
  RunUntil([&] {
    Read();
    return result->has_value();
  });
  EXPECT_EQ((*result)->status(), permission);
  peer_->non_blocking(false);
  ReadToTheEnd();
  EXPECT_EQ(end_, asio::error::connection_reset);
  EXPECT_LT(received_, kBig);
}

TEST_F(RestAbandonedTest, WithoutAnAnswerInTimeItIsReset) {
  const auto result = Begin(client_->Delete(kPods, name_, delete_));
  RunUntil([&] { return BytesArrived(); });
  clock_.Advance(absl::Seconds(30));
  RunUntil([&] { return result->has_value(); });
  EXPECT_THAT(**result, StatusIs(absl::StatusCode::kDeadlineExceeded));
  ReadToTheEnd();
  EXPECT_EQ(end_, asio::error::connection_reset);
}

TEST_F(RestAbandonedTest, AnAnsweredConnectionEndsInOrder) {
  const auto result = Begin(client_->Delete(kPods, name_, delete_));
  RunUntil([&] { return BytesArrived(); });
  Read();
  asio::write(*peer_, asio::buffer(Response(200, "{}")));
  RunUntil([&] { return result->has_value(); });
  EXPECT_OK(**result);
  client_.reset();
  io_.restart();
  io_.poll();
  ReadToTheEnd();
  EXPECT_EQ(end_, asio::error::eof);
}

}  // namespace
}  // namespace steward::kube
