// Passes frame bytes through a whole HTTP/2 connection, which neither crashes nor hangs nor leaks
// memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http2/http2_connection.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::http::ConnectionHarness;
  if (size < 2) return 0;
  steward::http::Limits limits;
  limits.max_header_bytes = 4 << 10;
  limits.max_target_bytes = 2 << 10;
  limits.max_request_memory = 64 << 10;
  limits.max_concurrent_streams = 10;
  ConnectionHarness harness(steward::http::MakeHttp2Connection, limits);
  // The first two bytes set how the rest is cut, and how much time passes between the pieces.
  const size_t piece = 1 + data[0] * size_t{8};
  const int seconds = data[1] % 8;
  std::string input = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  input.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  for (size_t at = 0; at < input.size() && harness.serving(); at += piece) {
    harness.Feed(input.substr(at, piece));
    harness.Tick(seconds);
    harness.stream().TakeOutput();
  }
  harness.connection().BeginShutdown();
  harness.End();
  if (harness.serving() || harness.request_memory() != 0) std::abort();
  return 0;
}
