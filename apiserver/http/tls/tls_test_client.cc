#include "apiserver/http/tls/tls_test_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>

#include "base/tls/openssl_ptr.h"

namespace steward::http {

struct TlsTestClient::State {
  ~State() {
    ssl.reset();
    if (fd >= 0) ::close(fd);
  }
  int fd = -1;
  SslCtxPtr context;
  SslPtr ssl;
};

namespace {

void UsePair(SSL* ssl, const TestKeyPair& pair) {
  BioPtr in = ReadBio(pair.cert_pem);
  X509Ptr cert(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  EvpPkeyPtr key(PEM_read_bio_PrivateKey(ReadBio(pair.key_pem).get(), nullptr, nullptr, nullptr));
  SSL_use_certificate(ssl, cert.get());
  SSL_use_PrivateKey(ssl, key.get());
  for (;;) {
    X509Ptr next(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (next == nullptr) break;
    SSL_add1_chain_cert(ssl, next.get());
  }
  TakeOpensslError();
}

}  // namespace

TlsTestClient::TlsTestClient(uint16_t port, const TlsTestOptions& options)
    : state_(std::make_unique<State>()) {
  // OpenSSL writes without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  state_->fd = ::socket(AF_INET, SOCK_STREAM, 0);
  const timeval timeout = {30, 0};
  ::setsockopt(state_->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(state_->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  const int no_delay = 1;
  ::setsockopt(state_->fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  if (options.receive_buffer > 0) {
    ::setsockopt(state_->fd, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer,
                 sizeof options.receive_buffer);
  }
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ok_ = ::connect(state_->fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (!ok_ || !options.tls) return;
  state_->context.reset(SSL_CTX_new(TLS_client_method()));
  state_->ssl.reset(SSL_new(state_->context.get()));
  SSL* ssl = state_->ssl.get();
  SSL_set_options(ssl, SSL_OP_IGNORE_UNEXPECTED_EOF);
  if (options.pair != nullptr) UsePair(ssl, *options.pair);
  if (!options.protocol.empty()) {
    const std::string wire = static_cast<char>(options.protocol.size()) + options.protocol;
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(wire.data()),
                        static_cast<unsigned>(wire.size()));
  }
  SSL_set_fd(ssl, state_->fd);
  ok_ = SSL_connect(ssl) == 1;
  TakeOpensslError();
}

TlsTestClient::~TlsTestClient() = default;

std::string TlsTestClient::protocol() const {
  const unsigned char* data = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(state_->ssl.get(), &data, &size);
  return std::string(reinterpret_cast<const char*>(data), size);
}

std::string TlsTestClient::server_name() const {
  char name[128] = {};
  X509* cert = SSL_get0_peer_certificate(state_->ssl.get());
  if (cert == nullptr) return "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, sizeof name);
  return name;
}

bool TlsTestClient::Write(std::string_view bytes) {
  if (bytes.empty()) return true;
  const int size = static_cast<int>(bytes.size());
  const bool written = state_->ssl != nullptr
                           ? SSL_write(state_->ssl.get(), bytes.data(), size) == size
                           : ::send(state_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == size;
  TakeOpensslError();
  return written;
}

bool TlsTestClient::UpdateKeys(int times) {
  SSL* ssl = state_->ssl.get();
  SSL_set0_wbio(ssl, BIO_new(BIO_s_mem()));
  bool updated = true;
  for (int i = 0; i < times && updated; ++i) {
    updated = SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1;
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(SSL_get_wbio(ssl), &data);
  const std::string flight(data, static_cast<size_t>(size));
  SSL_set0_wbio(ssl, BIO_new_socket(state_->fd, BIO_NOCLOSE));
  TakeOpensslError();
  return updated && ::send(state_->fd, flight.data(), flight.size(), MSG_NOSIGNAL) == size;
}

std::string TlsTestClient::Read() {
  char buffer[16384];
  const int n = state_->ssl != nullptr
                    ? SSL_read(state_->ssl.get(), buffer, sizeof buffer)
                    : static_cast<int>(::recv(state_->fd, buffer, sizeof buffer, 0));
  TakeOpensslError();
  return n > 0 ? std::string(buffer, static_cast<size_t>(n)) : std::string();
}

std::string TlsTestClient::ReadUntil(std::string_view text) {
  std::string all;
  while (all.find(text) == std::string::npos) {
    const std::string more = Read();
    if (more.empty()) break;
    all += more;
  }
  return all;
}

std::string TlsTestClient::ReadAll() {
  std::string all;
  for (;;) {
    const std::string more = Read();
    if (more.empty()) return all;
    all += more;
  }
}

bool TlsTestClient::WaitReadable(absl::Duration timeout) {
  if (state_->ssl != nullptr && SSL_pending(state_->ssl.get()) > 0) return true;
  pollfd poll = {state_->fd, POLLIN, 0};
  return ::poll(&poll, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout))) > 0;
}

}  // namespace steward::http
