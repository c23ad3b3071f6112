#include "kube/client/test_server.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <list>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/text/str_cat.h"

namespace steward::kube {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

using TlsStream = asio::ssl::stream<tcp::socket>;

tcp::socket& SocketOf(tcp::socket& socket) { return socket; }
tcp::socket& SocketOf(TlsStream& stream) { return stream.next_layer(); }

size_t ContentLength(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const size_t at = head.find(kName);
  size_t length = 0;
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = head.substr(at + kName.size());
  (void)absl::SimpleAtoi(ToAbsl(rest.substr(0, rest.find('\r'))), &length);
  return length;
}

// Returns "" when the peer is gone.
template <typename Stream>
asio::awaitable<std::string> ReadRequest(Stream& stream, std::string& buffer) {
  auto [error, size] =
      co_await asio::async_read_until(stream, asio::dynamic_buffer(buffer), "\r\n\r\n", kToken);
  if (error) co_return "";
  const size_t whole = size + ContentLength(std::string_view(buffer).substr(0, size));
  char block[4096];
  while (buffer.size() < whole) {
    auto [body_error, n] = co_await stream.async_read_some(asio::buffer(block), kToken);
    if (body_error) co_return "";
    buffer.append(block, n);
  }
  std::string request = buffer.substr(0, whole);
  buffer.erase(0, whole);
  co_return request;
}

std::string PeerName(TlsStream& stream) {
  X509* cert = SSL_get1_peer_certificate(stream.native_handle());
  if (cert == nullptr) return "";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, sizeof(name));
  X509_free(cert);
  return name;
}

}  // namespace

struct TestServer::State {
  struct Answer {
    std::string bytes;
    Then then;
  };

  explicit State(asio::io_context& context)
      : io(context),
        acceptor(context, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)),
        group(context.get_executor()) {}

  // Registers a connection while it is open.
  struct Entry {
    Entry(State& s, tcp::socket& socket) : state(s) {
      state.open.push_back(&socket);
      self = &socket;
    }
    ~Entry() {
      state.open.remove(self);
      if (state.held == self) state.held = nullptr;
    }
    State& state;
    tcp::socket* self;
  };

  template <typename Stream>
  static VoidTask Serve(std::shared_ptr<State> state, Stream stream) {
    Entry entry(*state, SocketOf(stream));
    std::string buffer;
    while (true) {
      std::string request = co_await ReadRequest(stream, buffer);
      if (request.empty()) co_return;
      state->requests.push_back(std::move(request));
      Answer answer{"", Then::kHold};
      if (!state->script.empty()) {
        answer = std::move(state->script.front());
        state->script.pop_front();
      }
      if (answer.then == Then::kHold) state->held = entry.self;
      co_await asio::async_write(stream, asio::buffer(answer.bytes), kToken);
      if (answer.then == Then::kClose) co_return;
      // Waits for the end of a held connection.
      if (answer.then == Then::kHold) co_await ReadRequest(stream, buffer);
      if (answer.then == Then::kHold) co_return;
    }
  }

  static VoidTask ServeTls(std::shared_ptr<State> state, tcp::socket socket) {
    TlsStream stream(std::move(socket), *state->tls);
    auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, kToken);
    if (error) co_return;
    state->client_names.push_back(PeerName(stream));
    co_await Serve(state, std::move(stream));
  }

  static VoidTask Accept(std::shared_ptr<State> state) {
    while (true) {
      auto [error, socket] = co_await state->acceptor.async_accept(kToken);
      if (error) co_return;
      ++state->accepted;
      if (state->tls) {
        state->group.Spawn("connection", ServeTls(state, std::move(socket)));
      } else {
        state->group.Spawn("connection", Serve(state, std::move(socket)));
      }
    }
  }

  asio::io_context& io;
  tcp::acceptor acceptor;
  std::unique_ptr<asio::ssl::context> tls;
  std::deque<Answer> script;
  std::vector<std::string> requests;
  std::vector<std::string> client_names;
  std::list<tcp::socket*> open;
  tcp::socket* held = nullptr;
  int accepted = 0;
  TaskGroup group;
};

TestServer::TestServer(asio::io_context& io, const TestServerTls* tls)
    : state_(std::make_shared<State>(io)) {
  if (tls != nullptr) {
    state_->tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    state_->tls->use_certificate_chain(asio::buffer(tls->cert_pem));
    state_->tls->use_private_key(asio::buffer(tls->key_pem), asio::ssl::context::pem);
    if (!tls->client_ca_pem.empty()) {
      state_->tls->add_certificate_authority(asio::buffer(tls->client_ca_pem));
      state_->tls->set_verify_mode(asio::ssl::verify_peer);
    }
  }
  state_->group.Spawn("accept", State::Accept(state_));
}

TestServer::~TestServer() { RunOn(state_->io, state_->group.Stop()); }

uint16_t TestServer::port() const { return state_->acceptor.local_endpoint().port(); }

void TestServer::Answer(std::string bytes, Then then) {
  state_->script.push_back({std::move(bytes), then});
}

void TestServer::Push(std::string_view bytes) {
  asio::write(*state_->held, asio::buffer(bytes.data(), bytes.size()));
}

void TestServer::CloseConnections() {
  for (tcp::socket* socket : state_->open) {
    boost::system::error_code ignored;
    socket->shutdown(tcp::socket::shutdown_both, ignored);
  }
}

const std::vector<std::string>& TestServer::requests() const { return state_->requests; }
int TestServer::connections_accepted() const { return state_->accepted; }
int TestServer::connections_open() const { return static_cast<int>(state_->open.size()); }
const std::vector<std::string>& TestServer::client_names() const { return state_->client_names; }

std::string Response(int code, std::string_view body, std::string_view headers) {
  return StrCat("HTTP/1.1 ", code, " X\r\n", headers, "Content-Length: ", body.size(), "\r\n\r\n",
                body);
}

std::string ChunkedHead() { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"; }

std::string Chunk(std::string_view bytes) {
  return StrCat(absl::StrFormat("%x", bytes.size()), "\r\n", bytes, "\r\n");
}

}  // namespace steward::kube
