#include "kube/client/tunnel.h"

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace http = boost::beast::http;
namespace ip = boost::asio::ip;

constexpr size_t kMaxAnswerBytes = 16 << 10;

absl::Status Failure(const Proxy& proxy, std::string_view why) {
  return absl::UnavailableError(StrCat("the proxy ", ToString(proxy), " ", why));
}

std::string ConnectRequest(const Proxy& proxy, const std::string& host, uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  const std::string server = is_v6 ? StrCat("[", host, "]:", port) : StrCat(host, ":", port);
  const std::string authorization = ProxyAuthorization(proxy);
  return StrCat("CONNECT ", server, " HTTP/1.1\r\nHost: ", server, "\r\n",
                authorization.empty() ? "" : StrCat("Proxy-Authorization: ", authorization, "\r\n"),
                "\r\n");
}

StatusTask OpenByConnect(ByteStream& stream, const Proxy& proxy, const std::string& host,
                         uint16_t port) {
  const std::string request = ConnectRequest(proxy, host, port);
  CO_RETURN_IF_ERROR(co_await stream.Write(request, nullptr));
  http::response_parser<http::empty_body> parser;
  parser.skip(true);  // a success has no body; the body of a refusal is not read
  parser.header_limit(kMaxAnswerBytes);
  std::vector<char> answer;
  while (!parser.is_done()) {
    const size_t had = answer.size();
    answer.resize(had + 4096);
    CO_ASSIGN_OR_RETURN(const size_t size,
                        co_await stream.ReadSome(std::span(answer).subspan(had)));
    if (size == 0) co_return Failure(proxy, "closed the connection");
    answer.resize(had + size);
    boost::beast::error_code error;
    const size_t used = parser.put(boost::asio::buffer(answer), error);
    answer.erase(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(used));
    if (error && error != http::error::need_more) {
      co_return Failure(proxy, "does not answer as an HTTP proxy");
    }
    if (answer.size() > kMaxAnswerBytes) co_return Failure(proxy, "answers without end");
  }
  const unsigned code = parser.get().result_int();
  if (code / 100 != 2) {
    const auto reason = http::obsolete_reason(parser.get().result());
    co_return Failure(
        proxy, StrCat("refuses: ", code, " ", std::string_view(reason.data(), reason.size())));
  }
  // A server sends nothing before its client does.
  if (!answer.empty()) co_return Failure(proxy, "sends what nobody asked for");
  co_return absl::OkStatus();
}

StatusTask ReadAll(ByteStream& stream, const Proxy& proxy, std::span<char> bytes) {
  while (!bytes.empty()) {
    CO_ASSIGN_OR_RETURN(const size_t size, co_await stream.ReadSome(bytes));
    if (size == 0) co_return Failure(proxy, "closed the connection");
    bytes = bytes.subspan(size);
  }
  co_return absl::OkStatus();
}

enum SocksMethod : char { kNoAuthentication = 0, kUsernamePassword = 2 };

std::string_view SocksReason(unsigned char reply) {
  static constexpr std::string_view kReasons[] = {
      "",
      "general failure",
      "not allowed by its rules",
      "network unreachable",
      "host unreachable",
      "connection refused",
      "time to live expired",
      "command not supported",
      "kind of address not supported",
  };
  return reply < std::size(kReasons) ? kReasons[reply] : "unknown reason";
}

StatusTask Authenticate(ByteStream& stream, const Proxy& proxy) {
  const bool has_credentials = !proxy.username.empty() || !proxy.password.empty();
  std::string methods("\x05\x01\x00", 3);
  if (has_credentials) methods = std::string("\x05\x02\x00\x02", 4);
  CO_RETURN_IF_ERROR(co_await stream.Write(methods, nullptr));
  std::array<char, 2> answer;
  CO_RETURN_IF_ERROR(co_await ReadAll(stream, proxy, answer));
  if (answer[0] != 5) co_return Failure(proxy, "does not answer as a SOCKS 5 proxy");
  if (answer[1] == kNoAuthentication) co_return absl::OkStatus();
  if (answer[1] != kUsernamePassword || !has_credentials) {
    co_return Failure(proxy, "asks for another authentication");
  }
  std::string login = "\x01";
  login.push_back(static_cast<char>(proxy.username.size()));
  login += proxy.username;
  login.push_back(static_cast<char>(proxy.password.size()));
  login += proxy.password;
  CO_RETURN_IF_ERROR(co_await stream.Write(login, nullptr));
  CO_RETURN_IF_ERROR(co_await ReadAll(stream, proxy, answer));
  if (answer[1] != 0) co_return Failure(proxy, "refuses the user name or the password");
  co_return absl::OkStatus();
}

// The address in SOCKS' form: its kind, its bytes, the port.
std::string SocksAddress(const std::string& host, uint16_t port) {
  std::string bytes;
  boost::system::error_code not_literal;
  const ip::address address = ip::make_address(host, not_literal);
  if (not_literal) {
    bytes.push_back(3);
    bytes.push_back(static_cast<char>(host.size()));
    bytes += host;
  } else if (address.is_v4()) {
    const auto four = address.to_v4().to_bytes();
    bytes.push_back(1);
    bytes.append(four.begin(), four.end());
  } else {
    const auto six = address.to_v6().to_bytes();
    bytes.push_back(4);
    bytes.append(six.begin(), six.end());
  }
  bytes.push_back(static_cast<char>(port >> 8));
  bytes.push_back(static_cast<char>(port & 0xff));
  return bytes;
}

StatusTask OpenBySocks(ByteStream& stream, const Proxy& proxy, const std::string& host,
                       uint16_t port) {
  if (host.size() > 255) co_return Failure(proxy, "cannot be told so long a name");
  CO_RETURN_IF_ERROR(co_await Authenticate(stream, proxy));
  const std::string request = std::string("\x05\x01\x00", 3) + SocksAddress(host, port);
  CO_RETURN_IF_ERROR(co_await stream.Write(request, nullptr));
  // The answer begins with: version, reply, a zero, the kind of the address, and the first byte of
  // the address.
  std::array<char, 5> head;
  CO_RETURN_IF_ERROR(co_await ReadAll(stream, proxy, head));
  if (head[0] != 5) co_return Failure(proxy, "does not answer as a SOCKS 5 proxy");
  if (head[1] != 0) {
    co_return Failure(proxy, StrCat("refuses: ", SocksReason(static_cast<unsigned char>(head[1]))));
  }
  size_t rest = 0;  // of the address in the answer, and the port
  switch (head[3]) {
    case 1:
      rest = 3 + 2;
      break;
    case 3:
      rest = static_cast<unsigned char>(head[4]) + size_t{2};
      break;
    case 4:
      rest = 15 + 2;
      break;
    default:
      co_return Failure(proxy, "does not answer as a SOCKS 5 proxy");
  }
  std::vector<char> ignored(rest);
  co_return co_await ReadAll(stream, proxy, ignored);
}

}  // namespace

StatusTask OpenTunnel(ByteStream& stream, const Proxy& proxy, const std::string& host,
                      uint16_t port) {
  if (proxy.kind == Proxy::Kind::kSocks5) {
    co_return co_await OpenBySocks(stream, proxy, host, port);
  }
  co_return co_await OpenByConnect(stream, proxy, host, port);
}

}  // namespace steward::kube
