#include "cmd/steward/grpc.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/local_ca.h"
#include "controllers/cleanup/cleanup_reconciler.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/cleanup/service.h"

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

GrpcServing::GrpcServing(const controllers::GuardOptions& guards, GrpcServingDeps deps)
    : deps_(deps),
      inspector_(deps.cluster, Clock::Real(), controllers::CsvsOf(deps.worlds, guards.terms),
                 guards, deps.events) {}

absl::StatusOr<std::unique_ptr<GrpcServing>> GrpcServing::Start(
    const GrpcOptions& options, const controllers::GuardOptions& guards, GrpcServingDeps deps) {
  ASSIGN_OR_RETURN(rpc::ServerOptions server, ServerOptions(options));
  std::unique_ptr<GrpcServing> serving(new GrpcServing(guards, deps));
  GrpcServing* self = serving.get();
  std::vector<rpc::ServedService> services;
  services.push_back(rpc::ServeCleanup(
      {.clock = Clock::Real(),
       .worlds = deps.worlds,
       .outlooks = [self](const storage::WorldPtr& world) { return self->outlooks_.Of(world); },
       .inspector = self->inspector_}));
  ASSIGN_OR_RETURN(serving->server_, rpc::Server::Start(std::move(server),
                                                        {.client = deps.access_reviews,
                                                         .clock = Clock::Real(),
                                                         .registry = deps.registry,
                                                         .heartbeats = deps.heartbeats,
                                                         .audit_log = deps.audit_log},
                                                        std::move(services)));
  log::Info("Serving gRPC", {{"address", options.address.ip}, {"port", serving->port()}});
  return serving;
}

absl::Status GrpcWhenReady::Begin() {
  absl::StatusOr<std::unique_ptr<GrpcServing>> started =
      GrpcServing::Start(options_, guards_, deps_);
  if (started.ok()) {
    serving_ = *std::move(started);
    return absl::OkStatus();
  }
  return absl::IsNotFound(started.status()) ? absl::OkStatus() : started.status();
}

VoidTask GrpcWhenReady::Run() {
  std::string told;
  while (serving_ == nullptr) {
    absl::StatusOr<std::unique_ptr<GrpcServing>> started =
        GrpcServing::Start(options_, guards_, deps_);
    if (started.ok()) {
      serving_ = *std::move(started);
      co_return;
    }
    if (told != ToStd(started.status().message())) {
      told = std::string(started.status().message());
      log::Warning("gRPC is not served yet", {{"err", started.status()}});
    }
    co_await Clock::Real().Sleep(kRetryPeriod);
  }
}

VoidTask GrpcWhenReady::Stop() {
  if (serving_ != nullptr) co_await serving_->Stop();
}

}  // namespace steward
