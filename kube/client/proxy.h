// The proxy between a client and its API server. Values and pure functions.
#ifndef KUBE_CLIENT_PROXY_H_
#define KUBE_CLIENT_PROXY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::kube {

struct Proxy {
  enum class Kind { kHttp, kHttps, kSocks5 };
  Kind kind = Kind::kHttp;
  std::string host;  // name or IP address, without brackets
  uint16_t port = 0;
  // If both are empty, the proxy asks for no credentials.
  std::string username;
  std::string password;

  bool operator==(const Proxy&) const = default;
};

// "http://proxy.example.com:3128", for messages: without the credentials.
std::string ToString(const Proxy& proxy);

// Reads "http://user:password@host:3128", also with https or socks5; parts may be percent-encoded.
// The message of kInvalidArgument omits the URL, because it may hold a password.
absl::StatusOr<Proxy> ParseProxyUrl(std::string_view url);

// The value of an environment variable; "" = not set.
using Environment = std::function<std::string(const char* name)>;
Environment ProcessEnvironment();

// The proxy that the environment sets for a server, by the rules of Go's programs: HTTPS_PROXY or
// https_proxy for TLS, else HTTP_PROXY or http_proxy. nullopt for this machine itself, for a host
// that NO_PROXY or no_proxy names (addresses, blocks of addresses, names with all below them, each
// with a port or without), and if the variable holds no URL.
std::optional<Proxy> ProxyOfEnvironment(bool tls, std::string_view host, uint16_t port,
                                        const Environment& environment);

// The Proxy-Authorization of a request: "Basic ...", or "" where the proxy has no credentials.
std::string ProxyAuthorization(const Proxy& proxy);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_PROXY_H_
