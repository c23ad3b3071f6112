// Writing of a kubeconfig for one server. Thread-safe, except that no two calls may write the same
// file at a time.
#ifndef KUBE_CLIENT_KUBECONFIG_WRITER_H_
#define KUBE_CLIENT_KUBECONFIG_WRITER_H_

#include <string>

#include "absl/status/status.h"

namespace steward::kube {

struct KubeconfigContents {
  std::string name;      // of the cluster, the user and the context, which is the current one
  std::string server;    // "https://127.0.0.1:8443"
  std::string ca_pem;    // certificates that sign the server's
  std::string cert_pem;  // the client's certificate and key
  std::string key_pem;
};

// Replaces the file at `path` in one step; only its owner may read it. The kubeconfig needs no
// other file.
//
// An existing file is replaced only if its only cluster is called `name`: such files often hold the
// access to other clusters. kFailedPrecondition otherwise; other errors name the path.
absl::Status WriteKubeconfig(const std::string& path, const KubeconfigContents& contents);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_KUBECONFIG_WRITER_H_
