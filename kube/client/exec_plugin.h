// Exec credential plugins: programs that say who the user is (client.authentication.k8s.io, KEP
// 541). Values and thread-safe functions.
#ifndef KUBE_CLIENT_EXEC_PLUGIN_H_
#define KUBE_CLIENT_EXEC_PLUGIN_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace steward::kube {

// A plugin as a kubeconfig names it.
struct ExecPlugin {
  // interactiveMode: whether it may ask the user on standard input.
  enum class Input { kNever, kIfAvailable, kAlways };

  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string command;      // a path, or a name that is looked up in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // beside this process's own
  std::string install_hint;  // for people, where there is no such program
  Input input = Input::kIfAvailable;
  std::string cluster;  // JSON about the server for the plugin (provideClusterInfo); "" = nothing

  bool operator==(const ExecPlugin&) const = default;
};

// A plugin's answer. At least the token or the certificate is there, with its key.
struct ExecCredential {
  std::string token;
  std::string cert_pem;
  std::string key_pem;
  std::optional<absl::Time> expiry;  // nullopt: valid until the server refuses it

  bool operator==(const ExecCredential&) const = default;
};

// The text of KUBERNETES_EXEC_INFO, an ExecCredential of the plugin's version.
std::string ExecInfo(const ExecPlugin& plugin, bool interactive);

// Reads a plugin's output. kInvalidArgument with a reason that does not quote `output`, as it may
// hold secrets.
absl::StatusOr<ExecCredential> ParseExecCredential(std::string_view output,
                                                   std::string_view api_version);

struct ExecPluginOptions {
  // The plugin is ended when it takes longer. People who log in take their time.
  absl::Duration limit = absl::Minutes(1);
  // True: the plugin's standard error, such as links to log in with, is shown at once.
  bool shows_errors = false;
};

// Runs the plugin; blocks. kUnauthenticated with one sentence: what failed, and what it wrote last
// to standard error, never its output or its environment.
absl::StatusOr<ExecCredential> RunExecPlugin(const ExecPlugin& plugin,
                                             const ExecPluginOptions& options);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_EXEC_PLUGIN_H_
