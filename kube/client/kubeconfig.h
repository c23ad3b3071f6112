// Reading of kubeconfig files. Thread-safe functions.
#ifndef KUBE_CLIENT_KUBECONFIG_H_
#define KUBE_CLIENT_KUBECONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/client/config.h"

namespace steward::kube {

// Reads the kubeconfig at `path`, YAML or JSON, as kubectl does; `context` "" = its
// current-context. Names of files in it are relative to the kubeconfig's folder; the files are read
// now, except the token file. Exec and auth-provider plugins, proxy-url and impersonation are
// refused with a sentence that names an alternative. insecure-skip-tls-verify is honoured, with a
// warning in the log; together with a certificate authority it is refused, as kubectl does.
absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path, std::string_view context = "");

// Reads several as one: of contexts, clusters, users and current-contexts with one name the first
// counts. REQUIRES: `paths` is not empty.
absl::StatusOr<ClientConfig> LoadKubeconfigs(const std::vector<std::string>& paths,
                                             std::string_view context = "");

// The kubeconfigs that kubectl would use: the file that a flag names; else those of the
// colon-separated list `variable` (KUBECONFIG) that exist; else config in .kube in `home`, if it
// exists. Empty when there is none.
std::vector<std::string> KubeconfigPaths(const std::string& flag, std::string_view variable,
                                         std::string_view home);

// Parses a kubeconfig's text; `folder` "" = the working directory.
absl::StatusOr<ClientConfig> ParseKubeconfig(std::string_view text, std::string_view folder,
                                             std::string_view context, const FileReader& read_file);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_KUBECONFIG_H_
