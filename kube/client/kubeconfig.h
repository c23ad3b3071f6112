// Reading of kubeconfig files by client-go's rules. Thread-safe functions.
#ifndef KUBE_CLIENT_KUBECONFIG_H_
#define KUBE_CLIENT_KUBECONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/client/config.h"
#include "kube/client/proxy.h"

namespace steward::kube {

// The flags that override kubeconfigs; "" and empty = nothing.
struct KubeconfigOverrides {
  std::string context;  // the context to use, and the entries to use in place of its own
  std::string cluster;
  std::string user;

  std::string server;
  // A file. If it or insecure_skip_tls_verify is set, the two replace the cluster's two.
  std::string certificate_authority;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;

  std::string token;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
};

struct KubeconfigOptions {
  KubeconfigOverrides overrides;
  FileReader read_file = ReadFile;
  Environment environment = ProcessEnvironment();
};

// Reads the kubeconfigs at `paths`, YAML or JSON, as one: the first current-context wins, and so
// does the first context, cluster or user of a name. Names of files in them are relative to their
// folder; the files are read now, except the token file. kInvalidArgument for what kubectl refuses,
// and for auth-provider plugins, with a sentence that names an alternative. As with kubectl,
// credentials are not for servers without TLS. Without proxy-url the proxy is the environment's.
absl::StatusOr<ClientConfig> LoadKubeconfigs(const std::vector<std::string>& paths,
                                             const KubeconfigOptions& options = {});
// Reads one kubeconfig, for servers: insecure-skip-tls-verify is logged. `context` "" = its
// current-context.
absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path, std::string_view context = "");

// Parses a kubeconfig's text; `folder` "" = the working directory.
absl::StatusOr<ClientConfig> ParseKubeconfig(std::string_view text, std::string_view folder,
                                             const KubeconfigOptions& options);

// The kubeconfigs that kubectl would use: the file that a flag names; else those of the
// colon-separated list KUBECONFIG that exist; else config in .kube in HOME, if it exists. Empty
// when there is none.
std::vector<std::string> KubeconfigPaths(const std::string& flag, const Environment& environment);

// The names of what kubeconfigs have, in their order, each once.
struct KubeconfigNames {
  std::vector<std::string> contexts;
  std::vector<std::string> clusters;
  std::vector<std::string> users;
};
absl::StatusOr<KubeconfigNames> ReadKubeconfigNames(const std::vector<std::string>& paths);

// The cluster of a person at a terminal, as kubectl finds it: by kubeconfigs (`flag` as above),
// else by `overrides` that name a server, else that of the pod. kFailedPrecondition where there is
// none.
absl::StatusOr<ClientConfig> FindCluster(const std::string& flag, const KubeconfigOptions& options);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_KUBECONFIG_H_
