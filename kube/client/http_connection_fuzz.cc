// Parses any bytes as a server's answer, read in pieces whose size the first byte sets. The parse
// ends, with a body or an error, and holds no more than was sent.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/async/run.h"
#include "kube/client/http_connection.h"

namespace steward::kube {
namespace {

class FixedStream : public ByteStream {
 public:
  FixedStream(std::string_view bytes, size_t piece) : bytes_(bytes), piece_(piece) {}

  Task<size_t> ReadSome(std::span<char> buffer) override {
    const size_t size = std::min({buffer.size(), piece_, bytes_.size()});
    std::memcpy(buffer.data(), bytes_.data(), size);
    bytes_.remove_prefix(size);
    co_return size;
  }
  StatusTask Write(std::string_view, const SendCheck&) override { co_return absl::OkStatus(); }
  void ResetAtEnd(bool) override {}
  bool IsQuiet() override { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  const size_t piece_;
};

Task<size_t> ReadAnswer(HttpConnection& connection) {
  const SendCheck always;
  const absl::StatusOr<ResponseHead> head =
      co_await connection.Exchange("GET / HTTP/1.1\r\n\r\n", always);
  if (!head.ok()) co_return head.status();
  std::string body;
  while (true) {
    const absl::StatusOr<bool> more = co_await connection.ReadBody(body);
    if (!more.ok()) co_return more.status();
    if (!*more) break;
  }
  (void)connection.reusable();
  co_return body.size();
}

}  // namespace
}  // namespace steward::kube

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward::kube;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  boost::asio::io_context io;
  HttpConnection connection(std::make_unique<FixedStream>(bytes, 1 + data[0]));
  const absl::StatusOr<size_t> body = steward::RunOn(io, ReadAnswer(connection));
  if (body.ok() && *body > bytes.size()) std::abort();
  return 0;
}
