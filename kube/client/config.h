// The address of an API server and the client's credentials there. Values and thread-safe
// functions.
#ifndef KUBE_CLIENT_CONFIG_H_
#define KUBE_CLIENT_CONFIG_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/client/exec_plugin.h"
#include "kube/client/proxy.h"
#include "kube/meta/user_info.h"

namespace steward::kube {

struct ClientConfig {
  bool tls = true;   // false: plain http, for loopback servers such as `kubectl proxy`
  std::string host;  // name or IP address, without brackets
  uint16_t port = 443;
  std::string path_prefix;  // "" or "/prefix" without a slash at the end

  std::string ca_pem;           // certificates that sign the server's; "" = the system's
  std::string tls_server_name;  // verified instead of `host` when not empty
  bool insecure_skip_tls_verify = false;

  // Client certificate chain, leaf first, and key; both or neither.
  std::string cert_pem;
  std::string key_pem;

  std::string token;
  std::string token_file;  // wins over `token`; read again as it is rotated
  std::string username;    // basic authentication
  std::string password;
  std::optional<ExecPlugin> exec;  // run if none of the above is set

  std::optional<UserInfo> acting;  // the user that each request acts as (impersonation)
  std::optional<Proxy> proxy;      // on the way to the server; nullopt = none

  std::string ns;  // the kubeconfig context's namespace, "" when it names none
};

// True if there is a certificate, a token, a token file, or a name with a password.
bool HasStaticCredentials(const ClientConfig& config);
// Returns `config` with the server and the way to it, but without credentials and impersonation.
ClientConfig WithoutCredentials(ClientConfig config);

// Returns the bytes of a whole file.
using FileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;
// Reads from the filesystem, at most 16 MiB; kInvalidArgument beyond.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// The configuration of a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT of the
// environment, token and ca.crt in `folder`; the namespace is POD_NAMESPACE, else the account's.
// The proxy is the environment's. kFailedPrecondition when the process is not in a pod.
absl::StatusOr<ClientConfig> InClusterConfig(
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount",
    const Environment& environment = ProcessEnvironment());

// Sets the server of `config` from "https://host:port/prefix".
absl::Status SetServerUrl(std::string_view url, ClientConfig& config);

// The server as the Host field of requests names it: "host", "host:6443", "[::1]:6443".
std::string HostField(const ClientConfig& config);
// The prefix of each request's target: the server's path prefix. For a plain HTTP server behind an
// HTTP proxy, "http://host" stands before it, as such a proxy needs the whole URL.
std::string RequestPrefix(const ClientConfig& config);
// The header lines, with line ends, that are the same in each request: Host, and
// Proxy-Authorization where the proxy sees plain requests and asks for credentials.
std::string FixedFields(const ClientConfig& config);

// OK when `token` can be sent in a header: not empty, printable ASCII without blanks.
absl::Status CheckToken(std::string_view token);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_CONFIG_H_
