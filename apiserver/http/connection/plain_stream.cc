#include "apiserver/http/connection/plain_stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/async/yield.h"
#include "base/status/macros.h"

namespace steward::http {
namespace asio = boost::asio;
using boost::asio::ip::tcp;

namespace {

constexpr size_t kBuffer = 16 << 10;
constexpr absl::Duration kLinger = absl::Seconds(2);
// The number of reads in a row after which other work gets a turn.
constexpr int kReadsPerTurn = 16;

// Each thread has one buffer: see ByteStream::Read.
char* ReadBuffer() {
  thread_local char buffer[kBuffer];
  return buffer;
}

}  // namespace

PlainStream::PlainStream(tcp::socket socket, DeadlineSet& deadlines, Pace pace)
    : socket_(std::move(socket)),
      pace_(pace),
      drain_(deadlines, [this] { Abort(); }),
      linger_deadline_(deadlines, [this] { Abort(); }) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
}

Task<size_t> PlainStream::ReadSome() {
  boost::system::error_code error;
  while (true) {
    if (!socket_.is_open()) co_return absl::UnavailableError("connection aborted");
    // The buffer belongs to the thread, so it is filled only when bytes are there.
    const size_t n = socket_.read_some(asio::buffer(ReadBuffer(), kBuffer), error);
    if (!error) co_return n;
    if (error == asio::error::eof) co_return size_t{0};
    if (error != asio::error::would_block && error != asio::error::try_again) {
      co_return absl::UnavailableError(error.message());
    }
    reads_ = 0;
    co_await socket_.async_wait(tcp::socket::wait_read,
                                asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return absl::UnavailableError(error.message());
  }
}

Task<std::string_view> PlainStream::Read() {
  if (++reads_ > kReadsPerTurn) {
    reads_ = 1;
    co_await Yield();
  }
  CO_ASSIGN_OR_RETURN(const size_t n, co_await ReadSome());
  co_return std::string_view(ReadBuffer(), n);
}

StatusTask PlainStream::WriteAll(std::string_view piece) {
  while (!piece.empty()) {
    if (!socket_.is_open()) co_return absl::UnavailableError("connection aborted");
    boost::system::error_code error;
    const size_t n = co_await socket_.async_write_some(
        asio::buffer(piece.data(), piece.size()), asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return absl::UnavailableError(error.message());
    drain_.Took(n);
    piece.remove_prefix(n);
  }
  co_return absl::OkStatus();
}

StatusTask PlainStream::Write(std::span<const std::string_view> pieces) {
  struct Waiting {
    ~Waiting() { drain.End(); }
    DrainDeadline& drain;
  } waiting{drain_};
  drain_.Begin(pace_);
  for (const std::string_view piece : pieces) CO_RETURN_IF_ERROR(co_await WriteAll(piece));
  co_return absl::OkStatus();
}

// Closing with unread bytes would send a reset, which can destroy data that the peer has not read
// yet.
VoidTask PlainStream::Shutdown() {
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  linger_deadline_.Set(kLinger);
  while (true) {
    const absl::StatusOr<std::string_view> unread = co_await Read();
    if (!unread.ok() || unread->empty()) break;
  }
  linger_deadline_.Clear();
  Abort();
}

void PlainStream::Abort() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace steward::http
