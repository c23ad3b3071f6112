#include "cmd/steward/grpc.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/local_ca.h"

namespace steward {
namespace {

constexpr absl::Duration kRetryPeriod = absl::Seconds(5);

absl::StatusOr<rpc::ServerOptions> ServerOptions(const GrpcOptions& options) {
  rpc::ServerOptions server;
  server.address = options.address.ToString();
  server.frontends = options.frontends;
  if (!options.tls_cert_file.empty()) {
    server.cert_file = options.tls_cert_file;
    server.key_file = options.tls_private_key_file;
    server.client_ca_file = options.client_ca_file;
    return server;
  }
  LocalCaOptions ca;
  ca.directory = options.cert_dir;
  ca.bind_address = options.address.ip;
  ca.admin = false;
  ca.clients = options.frontends;
  ca.now = Clock::Real().Now();
  ASSIGN_OR_RETURN(const LocalCertificates made, EnsureLocalCertificates(ca));
  server.cert_file = made.serving.cert_file;
  server.key_file = made.serving.key_file;
  server.client_ca_file = made.ca_file;
  return server;
}

}  // namespace

void LimitGrpcTls(const ServerTlsOptions& options) {
  // A server with a certificate cannot use cipher suites for pre-shared keys. If the list has
  // nothing else, there is no cipher for TLS 1.2. This version of gRPC has no other way to refuse
  // TLS 1.2.
  const std::string ciphers = options.tls13_only ? "PSK-AES128-GCM-SHA256" : options.tls12_ciphers;
  setenv("GRPC_SSL_CIPHER_SUITES", ciphers.c_str(), /*overwrite=*/0);
}

absl::StatusOr<std::unique_ptr<GrpcServing>> GrpcServing::Start(
    const GrpcOptions& options, GrpcServingDeps deps, std::vector<rpc::ServedService> services) {
  if (services.empty()) {
    return absl::InvalidArgumentError(
        "--grpc-bind-address: none of these reconcilers' families has a gRPC service");
  }
  ASSIGN_OR_RETURN(rpc::ServerOptions server_options, ServerOptions(options));
  ASSIGN_OR_RETURN(std::unique_ptr<rpc::Server> server,
                   rpc::Server::Start(std::move(server_options),
                                      {.client = deps.access_reviews,
                                       .clock = Clock::Real(),
                                       .registry = deps.registry,
                                       .heartbeats = deps.heartbeats,
                                       .audit_log = deps.audit_log},
                                      std::move(services)));
  log::Info("Serving gRPC", {{"address", options.address.ip}, {"port", server->port()}});
  return std::unique_ptr<GrpcServing>(new GrpcServing(std::move(server)));
}

absl::Status GrpcWhenReady::TryToStart() {
  ASSIGN_OR_RETURN(serving_, GrpcServing::Start(options_, deps_, services_));
  return absl::OkStatus();
}

absl::Status GrpcWhenReady::Begin() {
  absl::Status started = TryToStart();
  return absl::IsNotFound(started) ? absl::OkStatus() : started;
}

VoidTask GrpcWhenReady::Run() {
  std::string told;
  while (serving_ == nullptr) {
    const absl::Status started = TryToStart();
    if (started.ok()) co_return;
    if (told != ToStd(started.message())) {
      told = std::string(started.message());
      log::Warning("gRPC is not served yet", {{"err", started}});
    }
    co_await Clock::Real().Sleep(kRetryPeriod);
  }
}

VoidTask GrpcWhenReady::Stop() {
  if (serving_ != nullptr) co_await serving_->Stop();
}

}  // namespace steward
