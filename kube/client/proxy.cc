#include "kube/client/proxy.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/url/parse.hpp>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace ip = boost::asio::ip;

std::string_view Scheme(Proxy::Kind kind) {
  switch (kind) {
    case Proxy::Kind::kHttp:
      return "http";
    case Proxy::Kind::kHttps:
      return "https";
    case Proxy::Kind::kSocks5:
      return "socks5";
  }
  return "";
}

uint16_t DefaultPort(Proxy::Kind kind) {
  switch (kind) {
    case Proxy::Kind::kHttp:
      return 80;
    case Proxy::Kind::kHttps:
      return 443;
    case Proxy::Kind::kSocks5:
      return 1080;
  }
  return 0;
}

std::optional<Proxy::Kind> KindOf(std::string_view scheme) {
  for (const auto kind : {Proxy::Kind::kHttp, Proxy::Kind::kHttps, Proxy::Kind::kSocks5}) {
    if (scheme == Scheme(kind)) return kind;
  }
  return std::nullopt;
}

std::optional<ip::address> AddressOf(std::string_view text) {
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  if (error) return std::nullopt;
  return address;
}

bool IsIn(const ip::address& address, std::string_view block) {
  boost::system::error_code error;
  const ip::network_v4 four = ip::make_network_v4(std::string(block), error);
  if (!error) {
    return address.is_v4() &&
           ip::network_v4(address.to_v4(), four.prefix_length()).canonical() == four.canonical();
  }
  const ip::network_v6 six = ip::make_network_v6(std::string(block), error);
  return !error && address.is_v6() &&
         ip::network_v6(address.to_v6(), six.prefix_length()).canonical() == six.canonical();
}

// "host:port" or "[host]:port" in its parts; without a port, all is the host.
std::pair<std::string_view, std::string_view> SplitPort(std::string_view entry) {
  const size_t colon = entry.rfind(':');
  if (colon == std::string_view::npos) return {entry, ""};
  std::string_view host = entry.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    return {host.substr(1, host.size() - 2), entry.substr(colon + 1)};
  }
  if (host.find(':') != std::string_view::npos) return {entry, ""};  // an IPv6 address
  return {host, entry.substr(colon + 1)};
}

// A server in the form that is compared with entries of NO_PROXY.
struct Server {
  std::string host;  // in lower case
  std::string port;
  std::optional<ip::address> address;
};

bool Names(std::string_view entry, const Server& server) {
  if (entry == "*") return true;
  if (entry.find('/') != std::string_view::npos) {
    return server.address && IsIn(*server.address, entry);
  }
  auto [host, port] = SplitPort(entry);
  if (host.empty() || (!port.empty() && port != server.port)) return false;
  if (const auto address = AddressOf(host)) return server.address == address;
  if (host.starts_with("*.")) host.remove_prefix(1);
  if (host.starts_with('.')) return server.host.ends_with(host);
  return server.host == host || server.host.ends_with(StrCat(".", host));
}

bool IsThisMachine(const Server& server) {
  return server.host == "localhost" || (server.address && server.address->is_loopback());
}

std::string FirstSet(const Environment& environment, const char* upper, const char* lower) {
  std::string value = environment(upper);
  return value.empty() ? environment(lower) : value;
}

}  // namespace

std::string ToString(const Proxy& proxy) {
  const bool is_v6 = proxy.host.find(':') != std::string::npos;
  return StrCat(Scheme(proxy.kind), "://", is_v6 ? "[" : "", proxy.host, is_v6 ? "]" : "", ":",
                proxy.port);
}

absl::StatusOr<Proxy> ParseProxyUrl(std::string_view url) {
  const auto parsed = boost::urls::parse_uri({url.data(), url.size()});
  if (!parsed) return absl::InvalidArgumentError("the proxy is not named by a URL");
  const auto kind = KindOf(
      absl::AsciiStrToLower(absl::string_view(parsed->scheme().data(), parsed->scheme().size())));
  if (!kind) return absl::InvalidArgumentError("the proxy's URL is none of http, https, socks5");
  Proxy proxy;
  proxy.kind = *kind;
  proxy.host = parsed->host_address();
  // The URL library reads an invalid port as part of the path.
  if (!parsed->encoded_path().empty() && !parsed->encoded_path().starts_with('/')) {
    return absl::InvalidArgumentError("the proxy's URL has no valid port");
  }
  const auto place = parsed->encoded_host_and_port();
  const std::string_view port = SplitPort({place.data(), place.size()}).second;
  uint32_t number = DefaultPort(*kind);
  if (!port.empty() &&
      (!absl::SimpleAtoi(ToAbsl(port), &number) || number == 0 || number > UINT16_MAX)) {
    return absl::InvalidArgumentError("the proxy's URL has no valid port");
  }
  proxy.port = static_cast<uint16_t>(number);
  if (proxy.host.empty()) return absl::InvalidArgumentError("the proxy's URL has no host");
  proxy.username = parsed->user();
  proxy.password = parsed->password();
  if (*kind == Proxy::Kind::kSocks5 &&
      (proxy.username.size() > 255 || proxy.password.size() > 255)) {
    return absl::InvalidArgumentError("the proxy's credentials are longer than SOCKS allows");
  }
  return proxy;
}

Environment ProcessEnvironment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

std::optional<Proxy> ProxyOfEnvironment(bool tls, std::string_view host, uint16_t port,
                                        const Environment& environment) {
  const std::string url = tls ? FirstSet(environment, "HTTPS_PROXY", "https_proxy")
                              : FirstSet(environment, "HTTP_PROXY", "http_proxy");
  if (url.empty()) return std::nullopt;
  absl::StatusOr<Proxy> proxy = ParseProxyUrl(url);
  if (!proxy.ok()) proxy = ParseProxyUrl(StrCat("http://", url));
  if (!proxy.ok()) return std::nullopt;
  const Server server{absl::AsciiStrToLower(ToAbsl(host)), StrCat(port), AddressOf(host)};
  if (IsThisMachine(server)) return std::nullopt;
  const std::string exceptions = FirstSet(environment, "NO_PROXY", "no_proxy");
  for (const absl::string_view each : absl::StrSplit(exceptions, ',')) {
    const std::string entry = absl::AsciiStrToLower(absl::StripAsciiWhitespace(each));
    if (!entry.empty() && Names(entry, server)) return std::nullopt;
  }
  return *std::move(proxy);
}

std::string ProxyAuthorization(const Proxy& proxy) {
  if (proxy.username.empty() && proxy.password.empty()) return "";
  return StrCat("Basic ", absl::Base64Escape(StrCat(proxy.username, ":", proxy.password)));
}

}  // namespace steward::kube
