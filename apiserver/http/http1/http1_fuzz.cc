// Passes request bytes through a whole HTTP/1 connection. It neither crashes nor hangs nor leaks
// memory, and its output consists of whole responses, except perhaps the last.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "apiserver/http/connection/connection_harness.h"
#include "apiserver/http/http1/http1_connection.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::http::ConnectionHarness;
  if (size == 0) return 0;
  steward::http::Limits limits;
  limits.max_header_bytes = 4 << 10;
  limits.max_target_bytes = 2 << 10;
  limits.max_request_memory = 64 << 10;
  ConnectionHarness harness(steward::http::MakeHttp1Connection, limits);
  // The first byte sets how the rest is cut.
  const size_t piece = 1 + data[0] * size_t{8};
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (size_t at = 0; at < input.size() && harness.serving(); at += piece) {
    harness.Feed(input.substr(at, piece));
    harness.stream().TakeOutput();
  }
  harness.End();
  if (harness.serving() || harness.request_memory() != 0) std::abort();
  return 0;
}
