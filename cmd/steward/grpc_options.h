// The flags of the commands that serve gRPC. Values and pure functions.
#ifndef CMD_STEWARD_GRPC_OPTIONS_H_
#define CMD_STEWARD_GRPC_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cmd/steward/listen_address.h"

namespace CLI {
class App;
}  // namespace CLI

namespace steward {

struct GrpcOptions {
  std::string bind_address;  // as on the command line
  ListenAddress address;     // from bind_address
  // Either all three are given, or none: then certificates are made in cert_dir.
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string cert_dir;
  std::vector<std::string> frontends = {"steward-apiserver"};
};

// `options` has the defaults, and outlives the app's parsing.
void AddGrpcFlags(CLI::App& app, GrpcOptions& options);
// Called when all flags have been read: sets `address`. kInvalidArgument with one sentence.
absl::Status FinishGrpcOptions(GrpcOptions& options);

}  // namespace steward

#endif  // CMD_STEWARD_GRPC_OPTIONS_H_
