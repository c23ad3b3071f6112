#include "apiserver/http/connection/plain_stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"

namespace steward::http {
namespace {

namespace asio = boost::asio;
using boost::asio::ip::tcp;

class PlainStreamTest : public ::testing::Test {
 protected:
  PlainStreamTest() {
    tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    peer_.connect(acceptor.local_endpoint());
    stream_.emplace(acceptor.accept(), deadlines_, Pace{absl::Seconds(2), 1000});
  }

  asio::io_context io_;
  DeadlineSet deadlines_{absl::Seconds(1)};
  tcp::socket peer_{io_};
  std::optional<PlainStream> stream_;
};

TEST_F(PlainStreamTest, ReadsUntilTheEnd) {
  asio::write(peer_, asio::buffer("hello", 5));
  EXPECT_THAT(RunOn(io_, stream_->Read()), IsOkAndHolds("hello"));
  peer_.shutdown(tcp::socket::shutdown_send);
  EXPECT_THAT(RunOn(io_, stream_->Read()), IsOkAndHolds(""));
}

TEST_F(PlainStreamTest, WritesAllPieces) {
  const std::vector<std::string_view> pieces = {"a", "", "bc"};
  EXPECT_OK(RunOn(io_, stream_->Write(pieces)));
  RunOn(io_, [](PlainStream& stream) -> VoidTask {
    stream.Abort();
    co_return;
  }(*stream_));
  std::string got;
  boost::system::error_code end;
  asio::read(peer_, asio::dynamic_buffer(got), end);
  EXPECT_EQ(got, "abc");
  EXPECT_EQ(end, asio::error::eof);
}

TEST_F(PlainStreamTest, AfterAbortEverythingFails) {
  stream_->Abort();
  stream_->Abort();
  const std::vector<std::string_view> pieces = {"a"};
  EXPECT_THAT(RunOn(io_, stream_->Read()), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(RunOn(io_, stream_->Write(pieces)), StatusIs(absl::StatusCode::kUnavailable));
}

StatusTask Fill(PlainStream& stream) {
  const std::string block(1 << 20, 'x');
  const std::vector<std::string_view> pieces(64, block);
  co_return co_await stream.Write(pieces);
}

VoidTask Note(StatusTask task, std::optional<absl::Status>& out) { out = co_await std::move(task); }

TEST_F(PlainStreamTest, APeerThatTakesNothingIsGivenUp) {
  TaskGroup tasks(io_.get_executor());
  std::optional<absl::Status> written;
  tasks.Spawn("fill", Note(Fill(*stream_), written));
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(written.has_value());
    while (io_.poll() > 0) {
    }
    io_.restart();
    deadlines_.Tick();
  }
  io_.poll();
  ASSERT_TRUE(written.has_value());
  EXPECT_THAT(*written, StatusIs(absl::StatusCode::kUnavailable));
  RunOn(io_, tasks.Stop());
}

VoidTask ReadPieces(asio::io_context& io, PlainStream& stream, std::optional<size_t>& seen) {
  size_t read = 0;
  asio::post(io, [&] { seen = read; });
  while (read < size_t{100} << 14) {
    const absl::StatusOr<std::string_view> piece = co_await stream.Read();
    if (!piece.ok() || piece->empty()) break;
    read += piece->size();
  }
}

TEST_F(PlainStreamTest, APeerThatAlwaysHasMoreDoesNotKeepTheThread) {
  peer_.set_option(asio::socket_base::send_buffer_size(4 << 20));
  const std::string much(1 << 20, 'x');
  boost::system::error_code ignored;
  peer_.non_blocking(true);
  peer_.write_some(asio::buffer(much), ignored);
  peer_.shutdown(tcp::socket::shutdown_send);
  std::optional<size_t> seen;
  RunOn(io_, ReadPieces(io_, *stream_, seen));
  ASSERT_TRUE(seen.has_value());
  EXPECT_LE(*seen, size_t{16} << 14);
}

TEST_F(PlainStreamTest, ShutdownLetsThePeerReadAndWaitsALittle) {
  asio::write(peer_, asio::buffer("unread", 6));
  const std::vector<std::string_view> pieces = {"bye"};
  EXPECT_OK(RunOn(io_, stream_->Write(pieces)));
  TaskGroup tasks(io_.get_executor());
  tasks.Spawn("shutdown", stream_->Shutdown());
  while (io_.poll() > 0) {
  }
  EXPECT_EQ(tasks.size(), 1u) << "the peer has not closed yet";
  std::string got;
  boost::system::error_code end;
  asio::read(peer_, asio::dynamic_buffer(got), end);
  EXPECT_EQ(got, "bye");
  EXPECT_EQ(end, asio::error::eof);
  for (int i = 0; i < 4; ++i) {
    deadlines_.Tick();
    io_.restart();
    io_.poll();
  }
  EXPECT_EQ(tasks.size(), 0u);
  RunOn(io_, tasks.Stop());
}

}  // namespace
}  // namespace steward::http
