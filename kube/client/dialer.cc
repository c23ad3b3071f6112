#include "kube/client/dialer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/asio_stream.h"
#include "kube/client/proxy.h"
#include "kube/client/system_roots.h"
#include "kube/client/tunnel.h"

namespace steward::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio_stream_internal::kToken;
using boost::system::error_code;

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

// The reason of a failed handshake, with the fault of the certificate if that is the reason.
absl::Status HandshakeFailure(SSL* ssl, const std::string& address, const error_code& error) {
  const std::string what = StrCat("TLS handshake with ", address);
  const long verify = SSL_get_verify_result(ssl);
  if (verify == X509_V_OK || error == asio::error::operation_aborted) {
    return StreamFailure(what, error);
  }
  return absl::UnavailableError(StrCat(
      what, ": the server's certificate was refused: ", X509_verify_cert_error_string(verify)));
}

absl::Status PrepareHandshake(SSL* ssl, const std::string& server_name) {
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  error_code not_literal;
  asio::ip::make_address(server_name, not_literal);
  const bool is_name = bool(not_literal);
  int ok = 1;
  if (is_name) {
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    ok = X509_VERIFY_PARAM_set1_host(param, server_name.data(), server_name.size());
    if (ok == 1) ok = static_cast<int>(SSL_set_tlsext_host_name(ssl, server_name.c_str()));
  } else {
    ok = X509_VERIFY_PARAM_set1_ip_asc(param, server_name.c_str());
  }
  if (ok == 1) return absl::OkStatus();
  ERR_clear_error();
  return absl::InvalidArgumentError(StrCat("not a server name: ", server_name));
}

absl::Status BadPem(std::string_view what, const error_code& error) {
  return absl::InvalidArgumentError(StrCat(what, ": ", error.message()));
}

using TlsContext = std::shared_ptr<asio::ssl::context>;

absl::StatusOr<TlsContext> MakeContext(const ClientConfig& config, const PemKeyPair& certificate) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX* ctx = context->native_handle();
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  // This client speaks http/1.1 only; without ALPN a server may choose another protocol.
  static constexpr unsigned char kAlpn[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(ctx, kAlpn, sizeof(kAlpn) - 1);
  error_code error;
  context->set_verify_mode(
      config.insecure_skip_tls_verify ? asio::ssl::verify_none : asio::ssl::verify_peer, error);
  if (config.ca_pem.empty()) {
    context->set_default_verify_paths(error);
    const std::string roots = FindRootFile(X509_get_default_cert_dir(), KnownRootFiles());
    if (!roots.empty() && !error) context->load_verify_file(roots, error);
  } else {
    context->add_certificate_authority(asio::buffer(config.ca_pem), error);
  }
  if (error) return BadPem("certificate authority", error);
  if (!certificate.cert_pem.empty()) {
    context->use_certificate_chain(asio::buffer(certificate.cert_pem), error);
    if (error) return BadPem("client certificate", error);
    context->use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem, error);
    if (error) return BadPem("client key", error);
  }
  return context;
}

// A place on the network that is dialed.
struct Peer {
  std::string host;
  uint16_t port = 0;
  std::string address() const { return StrCat(host, ":", port); }
};

Peer FirstPeer(const ClientConfig& config) {
  if (config.proxy) return {config.proxy->host, config.proxy->port};
  return {config.host, config.port};
}

class RealDialer : public Dialer {
 public:
  RealDialer(const ClientConfig& config, asio::any_io_executor executor, HostLookUp look_up,
             TlsContext tls)
      : config_(config),
        executor_(std::move(executor)),
        peer_(FirstPeer(config)),
        resolver_(executor_, peer_.host, peer_.port, std::move(look_up)),
        tls_(std::move(tls)) {}

  Task<std::unique_ptr<ByteStream>> Dial() override {
    CO_ASSIGN_OR_RETURN(tcp::socket socket, co_await Connect());
    if (!config_.proxy || config_.proxy->kind != Proxy::Kind::kHttps) {
      co_return co_await Finish(std::move(socket));
    }
    CO_ASSIGN_OR_RETURN(auto stream,
                        co_await Encrypt(std::move(socket), NameOf(peer_.host), peer_.address()));
    co_return co_await Finish(std::move(stream));
  }

  absl::Status UseCertificate(const PemKeyPair& certificate) override {
    if (!config_.tls) return absl::OkStatus();
    ASSIGN_OR_RETURN(tls_, MakeContext(config_, certificate));
    return absl::OkStatus();
  }

 private:
  const std::string& NameOf(const std::string& host) const {
    return config_.tls_server_name.empty() ? host : config_.tls_server_name;
  }

  // A Task of a socket works because the Task holds a StatusOr: asio needs a default constructor,
  // which a socket lacks.
  Task<tcp::socket> Connect() {
    tcp::socket socket(executor_);
    error_code not_literal;
    const asio::ip::address literal = asio::ip::make_address(peer_.host, not_literal);
    if (!not_literal) {
      auto [error] = co_await socket.async_connect(tcp::endpoint(literal, peer_.port), kToken);
      if (error) co_return StreamFailure(StrCat("connecting to ", peer_.address()), error);
    } else {
      CO_ASSIGN_OR_RETURN(const Endpoints endpoints, co_await resolver_.Resolve());
      auto [error, endpoint] = co_await asio::async_connect(socket, endpoints, kToken);
      if (error) co_return StreamFailure(StrCat("connecting to ", peer_.address()), error);
    }
    SetSocketOptions(socket);
    co_return std::move(socket);
  }

  template <typename Stream>
  Task<asio::ssl::stream<Stream>> Encrypt(Stream below, std::string name, std::string address) {
    const TlsContext context = tls_;
    asio::ssl::stream<Stream> stream(std::move(below), *context);
    CO_RETURN_IF_ERROR(PrepareHandshake(stream.native_handle(), name));
    auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::client, kToken);
    if (error) co_return HandshakeFailure(stream.native_handle(), address, error);
    co_return std::move(stream);
  }

  // Makes the connection to the server out of a TCP connection to the server or its proxy. For
  // plain HTTP over an HTTP proxy, that is the connection to the proxy itself (RequestPrefix).
  template <typename Stream>
  Task<std::unique_ptr<ByteStream>> Finish(Stream below) {
    const bool tunnels =
        config_.proxy && (config_.tls || config_.proxy->kind == Proxy::Kind::kSocks5);
    auto stream = std::make_unique<AsioStream<Stream>>(std::move(below));
    if (tunnels) {
      CO_RETURN_IF_ERROR(co_await OpenTunnel(*stream, *config_.proxy, config_.host, config_.port));
    }
    if (!config_.tls) co_return std::move(stream);
    CO_ASSIGN_OR_RETURN(auto encrypted,
                        co_await Encrypt(std::move(*stream).Release(), NameOf(config_.host),
                                         StrCat(config_.host, ":", config_.port)));
    co_return std::make_unique<AsioStream<asio::ssl::stream<Stream>>>(std::move(encrypted));
  }

  const ClientConfig config_;
  const asio::any_io_executor executor_;
  const Peer peer_;
  HostResolver resolver_;
  TlsContext tls_;  // null: neither the server nor its proxy speaks TLS
};

bool NeedsTls(const ClientConfig& config) {
  return config.tls || (config.proxy && config.proxy->kind == Proxy::Kind::kHttps);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Dialer>> MakeDialer(const ClientConfig& config,
                                                   asio::any_io_executor executor,
                                                   HostLookUp look_up) {
  TlsContext tls;
  if (NeedsTls(config)) {
    ASSIGN_OR_RETURN(tls, MakeContext(config, {config.cert_pem, config.key_pem}));
  }
  return std::make_unique<RealDialer>(config, std::move(executor), std::move(look_up),
                                      std::move(tls));
}

}  // namespace steward::kube
