// An HTTP server on loopback that answers as scripted, byte by byte. Used by one thread.
#ifndef KUBE_CLIENT_TEST_SERVER_H_
#define KUBE_CLIENT_TEST_SERVER_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"

namespace steward::kube {

struct TestServerTls {
  std::string cert_pem;
  std::string key_pem;
  std::string client_ca_pem;  // "" = no client certificate is requested
};

// Runs on `io`, which the test runs. Each request that arrives, on any connection, takes the next
// answer of the script; when none is left it gets no answer.
class TestServer {
 public:
  enum class Then { kKeepAlive, kClose, kHold };

  explicit TestServer(boost::asio::io_context& io, const TestServerTls* tls = nullptr);
  // Runs `io` until the server's connections have ended.
  ~TestServer();

  uint16_t port() const;

  // Scripts an answer: sends `bytes` unchanged, then reads the next request, closes the connection,
  // or leaves it alone.
  void Answer(std::string bytes, Then then = Then::kKeepAlive);
  // Sends more bytes on the connection held last. Plain connections only.
  void Push(std::string_view bytes);
  // Closes the connections that are held or wait for a request.
  void CloseConnections();

  // The heads and bodies of requests as received.
  const std::vector<std::string>& requests() const;
  int connections_accepted() const;
  int connections_open() const;
  // The common names of the client certificates ("" for none), by connection.
  const std::vector<std::string>& client_names() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// "HTTP/1.1 <code> X" with Content-Length, `headers` ("Name: value\r\n"...) and `body`.
std::string Response(int code, std::string_view body, std::string_view headers = "");
// The head of a chunked 200, and a chunk; an empty chunk ends the body.
std::string ChunkedHead();
std::string Chunk(std::string_view bytes);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_TEST_SERVER_H_
