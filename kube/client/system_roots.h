// The certificate authorities that the system trusts. Thread-safe.
#ifndef KUBE_CLIENT_SYSTEM_ROOTS_H_
#define KUBE_CLIENT_SYSTEM_ROOTS_H_

#include <string>
#include <vector>

namespace steward::kube {

// The files in which distributions keep them, in the order in which they are looked for.
const std::vector<std::string>& KnownRootFiles();

// Returns the first of these files that is there, "" where none is needed or found: OpenSSL looks
// in a place of its own (`own_folder`), or where SSL_CERT_FILE or SSL_CERT_DIR say. Its own is that
// of the system where it was built, which may be another than that where it runs.
std::string FindRootFile(const std::string& own_folder, const std::vector<std::string>& files);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_SYSTEM_ROOTS_H_
