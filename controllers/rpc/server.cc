#include "controllers/rpc/server.h"

#include <grpc/impl/codegen/grpc_types.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
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
#include "base/tls/certificate.h"
#include "base/tls/files.h"
#include "base/tls/server_context.h"
#include "base/tls/subject.h"
#include "controllers/rpc/service.h"

namespace steward::controllers {
namespace {

constexpr char kServiceName[] = "steward.cleanup.v1.CleanupService";
constexpr int kKeepaliveMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// Clients may not ask for signs of life more often.
constexpr int kMinPingMs = 10'000;
constexpr int kMaxHeaderBytes = 16 << 10;
// Connections end now and then, so that clients spread over replicas; calls have as long to end.
constexpr int kMaxConnectionAgeMs = 30 * 60'000;
constexpr absl::Duration kPatience = absl::Hours(1);

// gRPC itself says nothing about files that it cannot use.
absl::Status CheckFiles(const RpcServerOptions& options) {
  PemKeyPair pair;
  ASSIGN_OR_RETURN(pair.cert_pem, ReadSmallFile(options.cert_file));
  ASSIGN_OR_RETURN(pair.key_pem, ReadSmallFile(options.key_file));
  if (const absl::Status usable = MakeServerContext(pair, {}).status(); !usable.ok()) {
    return absl::InvalidArgumentError(StrCat(options.cert_file, ": ", ToStd(usable.message())));
  }
  ASSIGN_OR_RETURN(const std::string authorities, ReadSmallFile(options.client_ca_file));
  if (const absl::Status usable = SubjectOfPem(authorities).status(); !usable.ok()) {
    return absl::InvalidArgumentError(
        StrCat(options.client_ca_file, ": ", ToStd(usable.message())));
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::ServerCredentials> Credentials(const RpcServerOptions& options) {
  namespace tls = grpc::experimental;
  tls::TlsServerCredentialsOptions credentials(
      std::make_shared<tls::FileWatcherCertificateProvider>(
          options.key_file, options.cert_file, options.client_ca_file, options.reload_seconds));
  credentials.watch_root_certs();
  credentials.watch_identity_key_cert_pairs();
  credentials.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return tls::TlsServerCredentials(credentials);
}

void SetLimits(const RpcServerOptions& options, grpc::ServerBuilder& builder) {
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
  // A port that another process has is an error, and not to be shared.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

CleanupServiceOptions ServiceOptions(const RpcServerOptions& options) {
  CleanupServiceOptions service;
  service.frontends = options.frontends;
  service.max_calls = options.max_calls;
  service.max_watches = options.max_watches;
  service.call_timeout = options.call_timeout;
  return service;
}

// Blocks until every call has ended.
boost::asio::awaitable<bool> ShutDown(grpc::Server& server, absl::Duration grace) {
  server.Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
  co_return true;
}

}  // namespace

struct RpcServer::Impl {
  Impl(RpcServerOptions with, RpcServerDeps deps)
      : options(std::move(with)),
        worlds(deps.worlds),
        access(deps.client, deps.clock, options.access),
        calls({deps.clock, deps.worlds, std::move(deps.outlooks), deps.inspector, access},
              options.calls),
        service(thread.executor(), calls, deps.clock, deps.registry, deps.audit_log,
                ServiceOptions(options)),
        tasks(thread.executor()) {}

  absl::Status Listen();
  void SetServing(bool serving);
  VoidTask BecomeHealthy();
  boost::asio::awaitable<bool> End();

  const RpcServerOptions options;
  storage::WorldStore& worlds;
  OwnThread thread;
  Access access;
  CleanupCalls calls;
  CleanupService service;
  TaskGroup tasks;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

absl::Status RpcServer::Impl::Listen() {
  static const bool prepared = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  (void)prepared;
  grpc::ServerBuilder builder;
  SetLimits(options, builder);
  builder.AddListeningPort(options.address, Credentials(options), &port);
  builder.RegisterService(&service);
  server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(StrCat("cannot listen on ", options.address));
  }
  SetServing(worlds.Current()->synced());
  return absl::OkStatus();
}

void RpcServer::Impl::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = server->GetHealthCheckService();
  health->SetServingStatus(serving);
  health->SetServingStatus(kServiceName, serving);
}

VoidTask RpcServer::Impl::BecomeHealthy() {
  while (!worlds.Current()->synced()) {
    co_await worlds.WaitUntil([](const storage::World& world) { return world.synced(); },
                              kPatience);
  }
  SetServing(true);
}

boost::asio::awaitable<bool> RpcServer::Impl::End() {
  co_await tasks.Stop();
  server->GetHealthCheckService()->Shutdown();
  co_await service.EndWatches();
  // The tasks of calls run on while gRPC waits for their ends.
  OwnThread waiting;
  co_await OnExecutor(waiting.executor(), ShutDown(*server, options.stop_grace));
  co_await service.Stop();
  co_return true;
}

RpcServer::RpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RpcServer::~RpcServer() {
  impl_->server.reset();
  impl_->thread.Stop();
}

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(RpcServerOptions options,
                                                            RpcServerDeps deps) {
  RETURN_IF_ERROR(CheckFiles(options));
  Heartbeats* const heartbeats = deps.heartbeats;
  auto impl = std::make_unique<Impl>(std::move(options), std::move(deps));
  RETURN_IF_ERROR(impl->Listen());
  Impl* begun = impl.get();
  boost::asio::post(impl->thread.executor(), [begun, heartbeats] {
    begun->tasks.Spawn("become healthy", begun->BecomeHealthy());
    if (heartbeats != nullptr) begun->tasks.Spawn("heartbeat", heartbeats->Beat("gRPC"));
  });
  return std::unique_ptr<RpcServer>(new RpcServer(std::move(impl)));
}

int RpcServer::port() const { return impl_->port; }

VoidTask RpcServer::Stop() { co_await OnExecutor(impl_->thread.executor(), impl_->End()); }

}  // namespace steward::controllers
