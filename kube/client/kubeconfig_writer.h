// Writing a kubeconfig for one server.
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

// Replaces the file at `path` in one step; only its owner may read it. It needs no other file.
//
// A file that is there already is replaced only if its one cluster is called `name`: people keep
// the way to their other clusters in such files. kFailedPrecondition otherwise; other errors name
// the path.
absl::Status WriteKubeconfig(const std::string& path, const KubeconfigContents& contents);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_KUBECONFIG_WRITER_H_
