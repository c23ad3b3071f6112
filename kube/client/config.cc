#include "kube/client/config.h"

#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

constexpr size_t kMaxFileBytes = 16 << 20;

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == ':' || c == '%';
}

absl::Status BadUrl(std::string_view url, std::string_view why) {
  return absl::InvalidArgumentError(StrCat("server \"", url, "\": ", why));
}

// Splits "[v6]:port" or "host:port"; the port may be absent.
absl::Status SplitAuthority(std::string_view url, std::string_view authority, std::string& host,
                            uint16_t& port) {
  std::string_view port_text;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return BadUrl(url, "the bracket of the address is open");
    host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
    if (!authority.empty() && !authority.starts_with(':')) return BadUrl(url, "no valid port");
    port_text = authority;
  } else {
    const size_t colon = authority.find(':');
    host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port_text = authority.substr(colon);
    if (host.find('%') != std::string::npos) return BadUrl(url, "no valid host");
  }
  if (host.empty()) return BadUrl(url, "no host");
  for (const char c : host) {
    if (!IsHostCharacter(c)) return BadUrl(url, "no valid host");
  }
  if (port_text.empty()) return absl::OkStatus();
  port_text.remove_prefix(1);
  uint32_t number = 0;
  if (!absl::SimpleAtoi(ToAbsl(port_text), &number) || number == 0 || number > 65535) {
    return BadUrl(url, "no valid port");
  }
  port = static_cast<uint16_t>(number);
  return absl::OkStatus();
}

// A server without TLS behind an HTTP proxy: requests go to the proxy as plain HTTP, and the proxy
// sends them on.
bool IsToldToProxy(const ClientConfig& config) {
  return !config.tls && config.proxy && config.proxy->kind != Proxy::Kind::kSocks5;
}

}  // namespace

absl::Status SetServerUrl(std::string_view url, ClientConfig& config) {
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    config.tls = true;
    config.port = 443;
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    config.tls = false;
    config.port = 80;
  } else {
    return BadUrl(url, "must begin with https:// or http://");
  }
  const size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return BadUrl(url, "credentials do not belong into the URL");
  }
  RETURN_IF_ERROR(SplitAuthority(url, authority, config.host, config.port));
  std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  for (const char c : path) {
    if (c <= ' ' || c >= 0x7f || c == '?' || c == '#') return BadUrl(url, "no valid path");
  }
  config.path_prefix = path;
  return absl::OkStatus();
}

bool HasStaticCredentials(const ClientConfig& config) {
  return !config.cert_pem.empty() || !config.token.empty() || !config.token_file.empty() ||
         !config.username.empty() || !config.password.empty();
}

ClientConfig WithoutCredentials(ClientConfig config) {
  for (std::string* credential : {&config.cert_pem, &config.key_pem, &config.token,
                                  &config.token_file, &config.username, &config.password}) {
    credential->clear();
  }
  config.exec.reset();
  config.acting.reset();
  return config;
}

std::string HostField(const ClientConfig& config) {
  const bool is_v6 = config.host.find(':') != std::string::npos;
  const bool default_port = config.port == (config.tls ? 443 : 80);
  return StrCat(is_v6 ? "[" : "", config.host, is_v6 ? "]" : "",
                default_port ? "" : StrCat(":", config.port));
}

std::string RequestPrefix(const ClientConfig& config) {
  return IsToldToProxy(config) ? StrCat("http://", HostField(config), config.path_prefix)
                               : config.path_prefix;
}

std::string FixedFields(const ClientConfig& config) {
  std::string fields = StrCat("Host: ", HostField(config), "\r\n");
  const std::string authorization = IsToldToProxy(config) ? ProxyAuthorization(*config.proxy) : "";
  if (!authorization.empty()) StrAppend(&fields, "Proxy-Authorization: ", authorization, "\r\n");
  return fields;
}

absl::Status CheckToken(std::string_view token) {
  if (token.empty()) return absl::InvalidArgumentError("the token is empty");
  for (const char c : token) {
    if (c <= ' ' || c >= 0x7f) {
      return absl::InvalidArgumentError("the token has characters that no token may have");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(StrCat("cannot open ", path));
  std::string bytes;
  char block[64 << 10];
  while (file.read(block, sizeof(block)) || file.gcount() > 0) {
    bytes.append(block, static_cast<size_t>(file.gcount()));
    if (bytes.size() > kMaxFileBytes) {
      return absl::InvalidArgumentError(StrCat(path, " is larger than ", kMaxFileBytes, " bytes"));
    }
  }
  if (file.bad()) return absl::UnavailableError(StrCat("cannot read ", path));
  return bytes;
}

absl::StatusOr<ClientConfig> InClusterConfig(const std::string& folder,
                                             const Environment& environment) {
  const std::string name = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (name.empty() || port.empty()) {
    return absl::FailedPreconditionError(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; "
        "name a kubeconfig with --kubeconfig");
  }
  const bool is_v6 = name.find(':') != std::string::npos;
  ClientConfig config;
  RETURN_IF_ERROR(SetServerUrl(
      StrCat("https://", is_v6 ? "[" : "", name, is_v6 ? "]" : "", ":", port), config));
  config.token_file = StrCat(folder, "/token");
  ASSIGN_OR_RETURN(config.ca_pem, ReadFile(StrCat(folder, "/ca.crt")));
  // Checks that the token file exists. It is read later and repeatedly, but a file that is missing
  // now will not appear.
  RETURN_IF_ERROR(ReadFile(config.token_file).status());
  config.ns = environment("POD_NAMESPACE");
  if (config.ns.empty()) {
    absl::StatusOr<std::string> ns = ReadFile(StrCat(folder, "/namespace"));
    if (ns.ok()) config.ns = std::string(absl::StripAsciiWhitespace(*ns));
  }
  config.proxy = ProxyOfEnvironment(config.tls, config.host, config.port, environment);
  return config;
}

}  // namespace steward::kube
