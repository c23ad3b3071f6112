#include "kube/client/byte_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// The size of a TLS record, and less than the room that a writable socket has.
constexpr size_t kPieceBytes = 16 << 10;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

// Only a cancellation aborts an operation; it unwinds the task, as everywhere.
void ThrowIfCancelled(const error_code& error) {
  if (error == asio::error::operation_aborted) throw boost::system::system_error(error);
}

absl::Status Failure(std::string_view what, const error_code& error) {
  ThrowIfCancelled(error);
  return absl::UnavailableError(StrCat(what, ": ", error.message()));
}

// A silent peer is found after 30 + 3 * 10 seconds.
void SetSocketOptions(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [fd = socket.native_handle()](int option, int value) {
    ::setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value));
  };
  set(TCP_KEEPIDLE, 30);
  set(TCP_KEEPINTVL, 10);
  set(TCP_KEEPCNT, 3);
}

bool SocketIsQuiet(tcp::socket& socket) {
  char byte;
  const ssize_t n = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

template <typename Stream>
class StreamOver : public ByteStream {
 public:
  explicit StreamOver(Stream stream) : stream_(std::move(stream)) {}

  Task<size_t> ReadSome(std::span<char> buffer) override {
    auto [error, size] =
        co_await stream_.async_read_some(asio::buffer(buffer.data(), buffer.size()), kToken);
    if (size > 0) co_return size;
    if (error == asio::error::eof) co_return size_t{0};
    co_return Failure("reading from the API server", error);
  }

  StatusTask Write(std::string_view bytes, const SendCheck& may_send) override {
    for (bool first = true; !bytes.empty(); first = false) {
      // Between two exchanges the socket has room.
      if (!first) {
        auto [error] = co_await Socket().async_wait(tcp::socket::wait_write, kToken);
        if (error) co_return Failure("writing to the API server", error);
      }
      CO_RETURN_IF_ERROR(MaySend(may_send));
      const std::string_view piece = bytes.substr(0, kPieceBytes);
      auto [error, size] =
          co_await asio::async_write(stream_, asio::buffer(piece.data(), piece.size()), kToken);
      if (error) co_return Failure("writing to the API server", error);
      bytes.remove_prefix(piece.size());
    }
    co_return absl::OkStatus();
  }

  // Set on the descriptor itself: asio undoes a linger option of its own before it closes a socket.
  void ResetAtEnd(bool reset) override {
    const linger option{.l_onoff = reset ? 1 : 0, .l_linger = 0};
    ::setsockopt(Socket().native_handle(), SOL_SOCKET, SO_LINGER, &option, sizeof(option));
  }

  bool IsQuiet() override {
    if constexpr (!std::is_same_v<Stream, tcp::socket>) {
      if (SSL_pending(stream_.native_handle()) > 0) return false;
    }
    return SocketIsQuiet(Socket());
  }

 private:
  tcp::socket& Socket() {
    if constexpr (std::is_same_v<Stream, tcp::socket>) {
      return stream_;
    } else {
      return stream_.next_layer();
    }
  }

  Stream stream_;
};

using TlsStream = asio::ssl::stream<tcp::socket>;

// The reason of a failed handshake, with the fault of the certificate if that is the reason.
absl::Status HandshakeFailure(TlsStream& stream, const std::string& address,
                              const error_code& error) {
  ThrowIfCancelled(error);
  const long verify = SSL_get_verify_result(stream.native_handle());
  std::string why = error.message();
  if (verify != X509_V_OK) {
    why = StrCat("the server's certificate was refused: ", X509_verify_cert_error_string(verify));
  }
  return absl::UnavailableError(StrCat("TLS handshake with ", address, ": ", why));
}

class RealDialer : public Dialer {
 public:
  RealDialer(const ClientConfig& config, asio::any_io_executor executor, HostLookUp look_up)
      : executor_(std::move(executor)),
        host_(config.host),
        port_(config.port),
        address_(StrCat(config.host, ":", config.port)),
        server_name_(config.tls_server_name.empty() ? config.host : config.tls_server_name),
        verify_(!config.insecure_skip_tls_verify),
        resolver_(executor_, host_, port_, std::move(look_up)) {}

  absl::Status UseTls(const ClientConfig& config);

  Task<std::unique_ptr<ByteStream>> Dial() override {
    CO_ASSIGN_OR_RETURN(tcp::socket socket, co_await Connect());
    if (!tls_) {
      co_return std::make_unique<StreamOver<tcp::socket>>(std::move(socket));
    }
    TlsStream stream(std::move(socket), *tls_);
    CO_RETURN_IF_ERROR(PrepareHandshake(stream));
    auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::client, kToken);
    if (error) co_return HandshakeFailure(stream, address_, error);
    co_return std::make_unique<StreamOver<TlsStream>>(std::move(stream));
  }

 private:
  // Returns an awaitable of tcp::socket: inside a StatusOr it needs no default-constructed socket.
  Task<tcp::socket> Connect() {
    tcp::socket socket(executor_);
    error_code not_literal;
    const asio::ip::address literal = asio::ip::make_address(host_, not_literal);
    if (!not_literal) {
      auto [error] = co_await socket.async_connect(tcp::endpoint(literal, port_), kToken);
      if (error) co_return Failure(StrCat("connecting to ", address_), error);
    } else {
      CO_ASSIGN_OR_RETURN(const Endpoints endpoints, co_await resolver_.Resolve());
      auto [error, endpoint] = co_await asio::async_connect(socket, endpoints, kToken);
      if (error) co_return Failure(StrCat("connecting to ", address_), error);
    }
    SetSocketOptions(socket);
    co_return std::move(socket);
  }

  absl::Status PrepareHandshake(TlsStream& stream) const {
    SSL* ssl = stream.native_handle();
    X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
    error_code not_literal;
    asio::ip::make_address(server_name_, not_literal);
    const bool is_name = bool(not_literal);
    int ok = 1;
    if (is_name) {
      X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      ok = X509_VERIFY_PARAM_set1_host(param, server_name_.data(), server_name_.size());
      if (ok == 1) ok = static_cast<int>(SSL_set_tlsext_host_name(ssl, server_name_.c_str()));
    } else {
      ok = X509_VERIFY_PARAM_set1_ip_asc(param, server_name_.c_str());
    }
    if (ok == 1) return absl::OkStatus();
    ERR_clear_error();
    return absl::InvalidArgumentError(StrCat("not a server name: ", server_name_));
  }

  const asio::any_io_executor executor_;
  const std::string host_;
  const uint16_t port_;
  const std::string address_;
  const std::string server_name_;
  const bool verify_;
  HostResolver resolver_;
  std::unique_ptr<asio::ssl::context> tls_;  // null: plain http
};

absl::Status BadPem(std::string_view what, const error_code& error) {
  return absl::InvalidArgumentError(StrCat(what, ": ", error.message()));
}

absl::Status RealDialer::UseTls(const ClientConfig& config) {
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX* ctx = context->native_handle();
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  // This client speaks http/1.1 only; without ALPN a server may choose another protocol.
  static constexpr unsigned char kAlpn[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(ctx, kAlpn, sizeof(kAlpn) - 1);
  error_code error;
  context->set_verify_mode(verify_ ? asio::ssl::verify_peer : asio::ssl::verify_none, error);
  if (config.ca_pem.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->add_certificate_authority(asio::buffer(config.ca_pem), error);
  }
  if (error) return BadPem("certificate authority", error);
  if (!config.cert_pem.empty()) {
    context->use_certificate_chain(asio::buffer(config.cert_pem), error);
    if (error) return BadPem("client certificate", error);
    context->use_private_key(asio::buffer(config.key_pem), asio::ssl::context::pem, error);
    if (error) return BadPem("client key", error);
  }
  tls_ = std::move(context);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Dialer>> MakeDialer(const ClientConfig& config,
                                                   asio::any_io_executor executor,
                                                   HostLookUp look_up) {
  auto dialer = std::make_unique<RealDialer>(config, std::move(executor), std::move(look_up));
  if (config.tls) RETURN_IF_ERROR(dialer->UseTls(config));
  return dialer;
}

}  // namespace steward::kube
