#include "controllers/rpc/server.h"

#include <grpc/impl/codegen/grpc_types.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "base/async/on_executor.h"
#include "base/async/own_thread.h"
#include "base/async/task_group.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/pem_files.h"
#include "controllers/rpc/bridge/bridge.h"

namespace steward::rpc {
namespace {

// The name that stands for the health of all services together.
constexpr char kAllServices[] = "";
constexpr int kKeepaliveMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// The shortest interval at which clients may ping.
constexpr int kMinPingMs = 10'000;
constexpr int kMaxHeaderBytes = 16 << 10;
// Connections end at this age, so that clients spread over replicas. Their calls then have the same
// time to end.
constexpr int kMaxConnectionAgeMs = 30 * 60'000;

std::shared_ptr<grpc::ServerCredentials> Credentials(const ServerOptions& options) {
  namespace tls = grpc::experimental;
  tls::TlsServerCredentialsOptions credentials(
      std::make_shared<tls::FileWatcherCertificateProvider>(
          options.key_file, options.cert_file, options.client_ca_file, options.reload_seconds));
  credentials.watch_root_certs();
  credentials.watch_identity_key_cert_pairs();
  credentials.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return tls::TlsServerCredentials(credentials);
}

void SetLimits(const ServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  builder.SetMaxSendMessageSize(options.max_message_bytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_streams_per_connection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxHeaderBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinPingMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, kMaxConnectionAgeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, kMaxConnectionAgeMs);
  builder.AddChannelArgument(
      GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
      static_cast<int>(absl::ToInt64Milliseconds(options.handshake_timeout)));
  builder.SetResourceQuota(grpc::ResourceQuota("rpc server").Resize(options.max_memory_bytes));
  // A port that another process uses must cause an error, and must not be shared.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

BridgeOptions OptionsOfBridge(const ServerOptions& options) {
  BridgeOptions bridge;
  bridge.frontends = options.frontends;
  bridge.max_calls = options.max_calls;
  bridge.max_watches = options.max_watches;
  bridge.call_timeout = options.call_timeout;
  return bridge;
}

// Blocks until every call has ended.
boost::asio::awaitable<bool> ShutDown(grpc::Server& server, absl::Duration grace) {
  server.Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
  co_return true;
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions with, ServerDeps deps, std::vector<ServedService> list)
      : options(std::move(with)),
        services(std::move(list)),
        access(deps.client, deps.clock, options.access),
        bridge(thread.executor(),
               {.access = access,
                .clock = deps.clock,
                .registry = deps.registry,
                .audit_log = deps.audit_log},
               OptionsOfBridge(options)),
        tasks(thread.executor()),
        unready(services.size()) {
    for (const ServedService& service : services) made.push_back(service.make(bridge));
  }

  absl::Status Listen();
  VoidTask BecomeHealthy(const ServedService& service);
  boost::asio::awaitable<bool> End();

  const ServerOptions options;
  const std::vector<ServedService> services;
  OwnThread thread;
  Access access;
  Bridge bridge;
  std::vector<std::unique_ptr<grpc::Service>> made;
  TaskGroup tasks;
  size_t unready;  // number of services; used only on the server's thread
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

absl::Status Server::Impl::Listen() {
  static const bool prepared = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  (void)prepared;
  grpc::ServerBuilder builder;
  SetLimits(options, builder);
  builder.AddListeningPort(options.address, Credentials(options), &port);
  for (const auto& service : made) builder.RegisterService(service.get());
  server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(StrCat("cannot listen on ", options.address));
  }
  grpc::HealthCheckServiceInterface* health = server->GetHealthCheckService();
  health->SetServingStatus(kAllServices, services.empty());
  for (const ServedService& service : services) health->SetServingStatus(service.name, false);
  return absl::OkStatus();
}

VoidTask Server::Impl::BecomeHealthy(const ServedService& service) {
  co_await service.until_ready();
  grpc::HealthCheckServiceInterface* health = server->GetHealthCheckService();
  health->SetServingStatus(service.name, true);
  if (--unready == 0) health->SetServingStatus(kAllServices, true);
}

boost::asio::awaitable<bool> Server::Impl::End() {
  co_await tasks.Stop();
  server->GetHealthCheckService()->Shutdown();
  co_await bridge.EndWatches();
  // The tasks of calls go on while gRPC waits for their ends.
  OwnThread waiting;
  co_await OnExecutor(waiting.executor(), ShutDown(*server, options.stop_grace));
  co_await bridge.Stop();
  co_return true;
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  impl_->server.reset();
  impl_->thread.Stop();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options, ServerDeps deps,
                                                      std::vector<ServedService> services) {
  RETURN_IF_ERROR(CheckPemFiles({.cert_file = options.cert_file,
                                 .key_file = options.key_file,
                                 .ca_file = options.client_ca_file}));
  Heartbeats* const heartbeats = deps.heartbeats;
  auto impl = std::make_unique<Impl>(std::move(options), deps, std::move(services));
  RETURN_IF_ERROR(impl->Listen());
  Impl* begun = impl.get();
  boost::asio::post(impl->thread.executor(), [begun, heartbeats] {
    for (const ServedService& service : begun->services) {
      begun->tasks.Spawn("become healthy", begun->BecomeHealthy(service));
      if (service.run) begun->tasks.Spawn(service.name, service.run());
    }
    if (heartbeats != nullptr) begun->tasks.Spawn("heartbeat", heartbeats->Beat("gRPC"));
  });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

int Server::port() const { return impl_->port; }

VoidTask Server::Stop() { co_await OnExecutor(impl_->thread.executor(), impl_->End()); }

}  // namespace steward::rpc
