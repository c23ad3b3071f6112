#include "cmd/steward/grpc_options.h"

#include "base/flags/flag_adder.h"
#include "base/status/macros.h"

namespace steward {

void AddGrpcFlags(CLI::App& app, GrpcOptions& options) {
  FlagAdder flags(app);
  flags.Text("--grpc-bind-address", options.bind_address,
             "IP address and port to serve gRPC on, over TLS to clients with a certificate; :9443: "
             "on all addresses; 0: it is not served");
  flags.Text("--cert-dir", options.cert_dir,
             "Where certificates for gRPC are made when none are given: an authority (ca.crt), the "
             "server's for this machine, and one for each frontend");
  flags.Text("--grpc-tls-cert-file", options.tls_cert_file,
             "Serving certificate for gRPC, PEM, with its chain; read again when it changes, as "
             "the next two");
  flags.Text("--grpc-tls-private-key-file", options.tls_private_key_file,
             "Private key of --grpc-tls-cert-file, PEM");
  flags.Text("--grpc-client-ca-file", options.client_ca_file,
             "CAs of gRPC clients' certificates, PEM: the common name is the user, the "
             "organizations are the groups");
  flags.List("--grpc-frontends", options.frontends,
             "Common names of gRPC clients that may ask on behalf of others");
}

absl::Status FinishGrpcOptions(GrpcOptions& options) {
  ASSIGN_OR_RETURN(options.address,
                   ParseListenAddress("--grpc-bind-address", options.bind_address));
  const bool none = options.tls_cert_file.empty() && options.tls_private_key_file.empty() &&
                    options.client_ca_file.empty();
  const bool all = !options.tls_cert_file.empty() && !options.tls_private_key_file.empty() &&
                   !options.client_ca_file.empty();
  if (!none && !all) {
    return absl::InvalidArgumentError(
        "--grpc-tls-cert-file, --grpc-tls-private-key-file and --grpc-client-ca-file must be given "
        "together");
  }
  if (none && !options.address.off() && options.cert_dir.empty()) {
    return absl::InvalidArgumentError("--cert-dir: must not be empty without --grpc-tls-cert-file");
  }
  return absl::OkStatus();
}

}  // namespace steward
