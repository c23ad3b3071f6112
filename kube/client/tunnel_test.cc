#include "kube/client/tunnel.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/status/matchers.h"
#include "kube/client/byte_stream.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// A proxy whose answers lie ready from the start, and that ends the stream behind them.
class WrittenStream : public ByteStream {
 public:
  WrittenStream(std::string answers, size_t piece) : answers_(std::move(answers)), piece_(piece) {}

  Task<size_t> ReadSome(std::span<char> buffer) override {
    const size_t size = std::min({buffer.size(), piece_, answers_.size()});
    std::copy_n(answers_.begin(), size, buffer.begin());
    answers_.erase(0, size);
    co_return size;
  }
  StatusTask Write(std::string_view bytes, const SendCheck&) override {
    written_ += bytes;
    co_return absl::OkStatus();
  }
  void ResetAtEnd(bool) override {}
  bool IsQuiet() override { return true; }

  const std::string& written() const { return written_; }

 private:
  std::string answers_;
  const size_t piece_;
  std::string written_;
};

struct Row {
  const char* name;
  Proxy::Kind kind;
  std::string host;
  bool has_credentials;
  std::string answers;
  std::string written;
  const char* error;  // "" = success
};

const std::vector<Row>& Rows() {
  constexpr auto kHttp = Proxy::Kind::kHttp;
  constexpr auto kSocks = Proxy::Kind::kSocks5;
  static const auto& rows = *new std::vector<Row>{
      {"CONNECT", kHttp, "h.test", false, "HTTP/1.1 200 Connection established\r\n\r\n",
       "CONNECT h.test:6443 HTTP/1.1\r\nHost: h.test:6443\r\n\r\n", ""},
      {"CONNECT to an address", kHttp, "fd00::1", true, "HTTP/1.1 200 OK\r\nX: y\r\n\r\n",
       "CONNECT [fd00::1]:6443 HTTP/1.1\r\nHost: [fd00::1]:6443\r\n"
       "Proxy-Authorization: Basic dTpzZWNyZXQ=\r\n\r\n",
       ""},
      {"refused", kHttp, "h.test", false,
       "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 4\r\n\r\nbody", "",
       "the proxy http://p.test:3128 refuses: 407 Proxy Authentication Required"},
      {"no HTTP", kHttp, "h.test", false, "SSH-2.0-server\r\n\r\n", "", "does not answer as"},
      {"nothing", kHttp, "h.test", false, "", "", "closed the connection"},
      {"half an answer", kHttp, "h.test", false, "HTTP/1.1 200 OK\r\nX", "",
       "closed the connection"},
      {"more than an answer", kHttp, "h.test", false, "HTTP/1.1 200 OK\r\n\r\nhello", "",
       "what nobody asked for"},
      {"an endless answer", kHttp, "h.test", false,
       "HTTP/1.1 200 OK\r\nX: " + std::string(100000, 'x'), "", "does not answer as"},
      {"SOCKS", kSocks, "h.test", false, "\5\0"s + "\5\0\0\1\12\0\0\1\0\120"s,
       "\5\1\0"s + "\5\1\0\3\6h.test\x19\x2b"s, ""},
      {"SOCKS with a password", kSocks, "10.0.0.1", true,
       "\5\2"s + "\1\0"s + "\5\0\0\3\4name\0\120"s,
       "\5\2\0\2"s + "\1\1u\6secret"s + "\5\1\0\1\12\0\0\1\x19\x2b"s, ""},
      {"SOCKS to an address of IPv6", kSocks, "::1", false,
       "\5\0"s + "\5\0\0\4"s + std::string(18, 'x'),
       "\5\1\0"s + "\5\1\0\4"s + std::string(15, '\0') + "\1\x19\x2b"s, ""},
      {"SOCKS refuses", kSocks, "h.test", false, "\5\0"s + "\5\5\0\1\0\0\0\0\0\0"s, "",
       "refuses: connection refused"},
      {"SOCKS refuses the password", kSocks, "h.test", true, "\5\2"s + "\1\1"s, "",
       "refuses the user name"},
      {"SOCKS wants a password", kSocks, "h.test", false, "\5\2"s, "", "another authentication"},
      {"SOCKS wants what nobody has", kSocks, "h.test", true, "\5\xff"s, "",
       "another authentication"},
      {"no SOCKS", kSocks, "h.test", false, "HTTP/1.1 400 Bad Request\r\n", "",
       "does not answer as"},
      {"SOCKS ends", kSocks, "h.test", false, "\5\0\5\0"s, "", "closed the connection"},
      {"a name too long", kSocks, std::string(300, 'a'), false, "", "", "so long a name"},
  };
  return rows;
}

TEST(TunnelTest, Opens) {
  for (const Row& row : Rows()) {
    for (const size_t piece : {size_t{1}, size_t{1} << 20}) {
      SCOPED_TRACE(row.name);
      // Bytes after the answer are not read if they come later.
      if (piece == 1 && row.answers.ends_with("hello")) continue;
      Proxy proxy{row.kind, "p.test", 3128, "", ""};
      if (row.has_credentials) {
        proxy.username = "u";
        proxy.password = "secret";
      }
      boost::asio::io_context io;
      WrittenStream stream(row.answers, piece);
      const absl::Status status = RunOn(io, OpenTunnel(stream, proxy, row.host, 6443));
      if (*row.error == '\0') {
        EXPECT_OK(status);
        EXPECT_EQ(stream.written(), row.written);
      } else {
        EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr(row.error)));
        EXPECT_THAT(status.message(), Not(HasSubstr("secret")));
      }
    }
  }
}

}  // namespace
}  // namespace steward::kube
