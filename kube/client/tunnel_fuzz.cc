// Opens tunnels through proxies that answer any bytes: no answer is read beyond what the protocol
// needs, and none ends in anything but success or kUnavailable.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "kube/client/byte_stream.h"
#include "kube/client/proxy.h"
#include "kube/client/tunnel.h"
#include "kube/meta/write_options.h"

namespace {

using steward::kube::Proxy;

class FuzzedStream : public steward::kube::ByteStream {
 public:
  explicit FuzzedStream(std::string_view answers) : answers_(answers) {}

  steward::Task<size_t> ReadSome(std::span<char> buffer) override {
    const size_t size = std::min(buffer.size(), answers_.size());
    std::copy_n(answers_.begin(), size, buffer.begin());
    answers_.remove_prefix(size);
    co_return size;
  }
  steward::StatusTask Write(std::string_view, const steward::kube::SendCheck&) override {
    co_return absl::OkStatus();
  }
  void ResetAtEnd(bool) override {}
  bool IsQuiet() override { return true; }

 private:
  std::string_view answers_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view answers(reinterpret_cast<const char*>(data), size);
  for (const auto kind : {Proxy::Kind::kHttp, Proxy::Kind::kSocks5}) {
    for (const char* username : {"", "user"}) {
      const Proxy proxy{kind, "proxy", 1, username, ""};
      const std::string host = "host";
      FuzzedStream stream(answers);
      boost::asio::io_context io;
      const absl::Status status =
          steward::RunOn(io, steward::kube::OpenTunnel(stream, proxy, host, 443));
      if (!status.ok() && !absl::IsUnavailable(status)) std::abort();
    }
  }
  return 0;
}
