// The flags of TLS, named as those of Kubernetes' components. Values and pure functions.
#ifndef BASE_TLS_TLS_FLAGS_H_
#define BASE_TLS_TLS_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tls/server_context.h"

namespace CLI {
class App;
}  // namespace CLI

namespace steward {

// The flags as given.
struct TlsFlags {
  std::string min_version = "VersionTLS12";
  std::vector<std::string> cipher_suites;  // empty: all
};

// Adds --tls-min-version and --tls-cipher-suites. `flags` outlives the app's parsing.
void AddTlsFlags(CLI::App& app, TlsFlags& flags);
// Called when all flags have been read. As in Go, the cipher suites of TLS 1.3 keep their defaults
// if the flag names none of TLS 1.3. kInvalidArgument with one sentence.
absl::StatusOr<ServerTlsOptions> ParseTlsFlags(const TlsFlags& flags);

}  // namespace steward

#endif  // BASE_TLS_TLS_FLAGS_H_
