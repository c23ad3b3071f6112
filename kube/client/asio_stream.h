// Connections over asio's streams: TCP, TLS over TCP, and TLS over TLS as through a proxy that
// speaks it. Each lives on its executor.
#ifndef KUBE_CLIENT_ASIO_STREAM_H_
#define KUBE_CLIENT_ASIO_STREAM_H_

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/byte_stream.h"

namespace steward::kube {

namespace asio_stream_internal {

// The size of a TLS record. A socket that is reported writable has more room than this.
inline constexpr size_t kPieceBytes = 16 << 10;

inline constexpr auto kToken = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace asio_stream_internal

// The error of an operation on a stream. Only a cancellation aborts an operation; it unwinds the
// task, as everywhere.
inline absl::Status StreamFailure(std::string_view what, const boost::system::error_code& error) {
  if (error == boost::asio::error::operation_aborted) throw boost::system::system_error(error);
  return absl::UnavailableError(StrCat(what, ": ", error.message()));
}

template <typename Stream>
class AsioStream : public ByteStream {
 public:
  explicit AsioStream(Stream stream) : stream_(std::move(stream)) {}

  Task<size_t> ReadSome(std::span<char> buffer) override {
    auto [error, size] = co_await stream_.async_read_some(
        boost::asio::buffer(buffer.data(), buffer.size()), asio_stream_internal::kToken);
    if (size > 0) co_return size;
    if (error == boost::asio::error::eof) co_return size_t{0};
    co_return StreamFailure("reading from the API server", error);
  }

  StatusTask Write(std::string_view bytes, const SendCheck& may_send) override {
    for (bool first = true; !bytes.empty(); first = false) {
      // The first piece need not wait: between two exchanges, the socket has room.
      if (!first) {
        auto [error] = co_await socket().async_wait(boost::asio::ip::tcp::socket::wait_write,
                                                    asio_stream_internal::kToken);
        if (error) co_return StreamFailure("writing to the API server", error);
      }
      CO_RETURN_IF_ERROR(MaySend(may_send));
      const std::string_view piece = bytes.substr(0, asio_stream_internal::kPieceBytes);
      auto [error, size] = co_await boost::asio::async_write(
          stream_, boost::asio::buffer(piece.data(), piece.size()), asio_stream_internal::kToken);
      if (error) co_return StreamFailure("writing to the API server", error);
      bytes.remove_prefix(piece.size());
    }
    co_return absl::OkStatus();
  }

  // Set on the descriptor itself: asio undoes a linger option of its own before it closes a socket.
  void ResetAtEnd(bool reset) override {
    const linger option{.l_onoff = reset ? 1 : 0, .l_linger = 0};
    ::setsockopt(socket().native_handle(), SOL_SOCKET, SO_LINGER, &option, sizeof(option));
  }

  bool IsQuiet() override {
    if constexpr (!std::is_same_v<Stream, boost::asio::ip::tcp::socket>) {
      if (SSL_pending(stream_.native_handle()) > 0) return false;
    }
    char byte;
    const ssize_t n = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  // Gives the stream away, for a TLS layer over it. No other call may follow.
  Stream Release() && { return std::move(stream_); }

 private:
  boost::asio::ip::tcp::socket& socket() {
    if constexpr (std::is_same_v<Stream, boost::asio::ip::tcp::socket>) {
      return stream_;
    } else {
      return static_cast<boost::asio::ip::tcp::socket&>(stream_.lowest_layer());
    }
  }

  Stream stream_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_ASIO_STREAM_H_
