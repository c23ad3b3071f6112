// Passes a client's bytes to a connection that became a WebSocket. It neither crashes nor hangs nor
// leaks memory, and however it ends, its handler ends with it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http1/http1_connection.h"

namespace {

constexpr char kUpgrade[] =
    " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://h\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::http::ConnectionHarness;
  if (size == 0) return 0;
  // The first byte sets the handler's behaviour and how the rest is cut.
  constexpr const char* kPaths[] = {"/events", "/ended"};
  const std::string request = std::string("GET ") + kPaths[data[0] & 1] + kUpgrade;
  constexpr size_t kMostPieces = 8;
  const size_t piece = 1 + (data[0] >> 2) * size_t{8} + size / kMostPieces;
  const bool slow = (data[0] & 2) != 0;
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  steward::http::Limits limits;
  limits.max_websocket_message = 1 << 10;
  ConnectionHarness harness(steward::http::MakeHttp1Connection, limits);
  harness.Feed(request);
  harness.stream().TakeOutput();
  for (size_t at = 0; at < input.size() && harness.serving(); at += piece) {
    harness.stream().HoldWrites(slow && at % (piece * 4) != 0);
    harness.Feed(input.substr(at, piece));
    harness.stream().TakeOutput();
  }
  harness.stream().HoldWrites(false);
  harness.End();
  if (harness.serving() || harness.request_memory() != 0 || harness.log().hanging != 0) {
    std::abort();
  }
  return 0;
}
