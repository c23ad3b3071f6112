// The certificate authorities that the system trusts. Thread-safe.
#ifndef KUBE_CLIENT_SYSTEM_ROOTS_H_
#define KUBE_CLIENT_SYSTEM_ROOTS_H_

#include <string>
#include <vector>

namespace steward::kube {

// The files in which distributions keep the trusted authorities, in the order of the search.
const std::vector<std::string>& KnownRootFiles();

// Returns the first of `files` that exists. Returns "" if none does, or if none is needed because
// OpenSSL finds the authorities itself: in `own_folder`, or where SSL_CERT_FILE or SSL_CERT_DIR
// say. `own_folder` is the default of the system on which OpenSSL was built, so it may not exist on
// this one.
std::string FindRootFile(const std::string& own_folder, const std::vector<std::string>& files);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_SYSTEM_ROOTS_H_
