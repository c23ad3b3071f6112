// A blocking TLS client for tests. Used by one thread.
#ifndef APISERVER_HTTP_TLS_TLS_TEST_CLIENT_H_
#define APISERVER_HTTP_TLS_TLS_TEST_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/tls/testing.h"

namespace steward::http {

struct TlsTestOptions {
  std::string protocol = "http/1.1";  // for ALPN; "" = none
  // The client's certificate; `cert_pem` may hold a chain, leaf first.
  const TestKeyPair* pair = nullptr;
  bool tls = true;  // false: bytes are sent in the clear
  // The number of unread bytes that the client's socket may hold; 0 = the system's choice.
  int receive_buffer = 0;
};

// Connects to 127.0.0.1. No call waits longer than 30 s.
class TlsTestClient {
 public:
  explicit TlsTestClient(uint16_t port, const TlsTestOptions& options = {});
  ~TlsTestClient();

  // True when connecting, and the handshake, succeeded.
  bool ok() const { return ok_; }
  std::string protocol() const;     // chosen by the server
  std::string server_name() const;  // common name of its certificate

  bool Write(std::string_view bytes);
  // Changes the client's keys this many times, and sends all key updates to the server at once.
  bool UpdateKeys(int times);
  // The next bytes; "" at the end or after an error.
  std::string Read();
  // Reads until `text` was seen, or the end; returns everything.
  std::string ReadUntil(std::string_view text);
  std::string ReadAll();
  // True when a byte, or the end, arrives within `timeout`.
  bool WaitReadable(absl::Duration timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool ok_ = false;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_TLS_TLS_TEST_CLIENT_H_
