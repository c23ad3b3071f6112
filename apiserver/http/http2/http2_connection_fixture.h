// A client and a server's HTTP/2 connection over memory, for tests. Used by one thread at a time.
#ifndef APISERVER_HTTP_HTTP2_HTTP2_CONNECTION_FIXTURE_H_
#define APISERVER_HTTP_HTTP2_HTTP2_CONNECTION_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http2/http2_connection.h"
#include "apiserver/http/http2/http2_test_client.h"

namespace steward::http {

// The body that most tests send: more than the windows of a client and of a connection.
inline constexpr size_t kStreamBody = 100 * (64 << 10);

class Http2ConnectionTest : public ::testing::Test {
 protected:
  void Open(Limits limits = {}, bool windows = true, bool front_proxy = false) {
    harness_ =
        std::make_unique<ConnectionHarness>(MakeHttp2Connection, limits, Timeouts(), front_proxy);
    client_ = std::make_unique<Http2TestClient>(windows);
    Exchange();
  }

  // Carries bytes in both directions until neither side has any.
  void Exchange() {
    for (;;) {
      std::string to_server = client_->TakeOutput();
      const std::string to_client = harness_->stream().TakeOutput();
      if (to_server.empty() && to_client.empty()) return;
      ASSERT_TRUE(client_->Receive(to_client));
      harness_->Feed(std::move(to_server));
    }
  }

  int32_t Exchanged(int32_t id) {
    Exchange();
    return id;
  }

  const Http2TestResponse& Get(std::string_view path) {
    const int32_t id = client_->Request("GET", path);
    Exchange();
    return client_->response(id);
  }

  std::unique_ptr<ConnectionHarness> harness_;
  std::unique_ptr<Http2TestClient> client_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_HTTP2_CONNECTION_FIXTURE_H_
