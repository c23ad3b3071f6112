#include "apiserver/server/server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/filters/authentication/authentication.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "apiserver/filters/authentication/authentication_files.h"
#include "apiserver/filters/authentication/authentication_metrics.h"
#include "apiserver/filters/authentication/extension_authentication_source.h"
#include "apiserver/filters/authentication/front_proxy.h"
#include "apiserver/filters/authentication/token_authenticator.h"
#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/filters/chain.h"
#include "apiserver/filters/max_in_flight.h"
#include "apiserver/filters/read_body.h"
#include "apiserver/filters/request_metrics.h"
#include "apiserver/filters/reviews/review_metrics.h"
#include "apiserver/filters/reviews/reviewer.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/server.h"
#include "apiserver/rest/handler.h"
#include "apiserver/reviews/self_reviews.h"
#include "apiserver/server/connection_metrics.h"
#include "apiserver/server/debug_flags.h"
#include "apiserver/server/health.h"
#include "apiserver/server/profiling.h"
#include "apiserver/server/serving_certificate.h"
#include "apiserver/server/watch_groups.h"
#include "base/async/task_group.h"
#include "base/clock/heartbeats.h"
#include "base/fairness/pool_metrics.h"
#include "base/log/log.h"
#include "base/metrics/serving_expiry.h"
#include "base/process/descriptor_limit.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"
#include "base/tls/server_certificate.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::server {
namespace asio = boost::asio;
namespace {

std::vector<filters::KnownResource> ForMetrics(const std::vector<rest::Resource>& resources) {
  std::vector<filters::KnownResource> known;
  for (const rest::Resource& resource : resources) {
    const kube::GroupVersionResource gvr = resource.descriptor.gvr();
    filters::KnownResource& entry =
        known.emplace_back(filters::KnownResource{gvr.group, gvr.version, gvr.resource, {}});
    for (const rest::Subresource& sub : resource.subresources) {
      entry.subresources.push_back(sub.name);
    }
  }
  return known;
}

filters::AuthenticationFlags ForAuthentication(const Options& options) {
  filters::AuthenticationFlags flags;
  flags.client_ca_file = options.client_ca_file;
  flags.request_header_ca_file = options.requestheader_client_ca_file;
  flags.allowed_names = options.requestheader_allowed_names;
  flags.username_headers = options.requestheader_username_headers;
  flags.group_headers = options.requestheader_group_headers;
  flags.extra_prefixes = options.requestheader_extra_headers_prefix;
  flags.uid_headers = options.requestheader_uid_headers;
  return flags;
}

filters::InFlightLimits ForInFlight(const Options& options) {
  filters::InFlightLimits limits;
  limits.read_only = options.max_requests_inflight;
  limits.mutating = options.max_mutating_requests_inflight;
  limits.watches.all = static_cast<size_t>(options.max_watches);
  limits.watches.per_user = static_cast<size_t>(options.max_watches_per_user);
  limits.request_timeout = options.request_timeout;
  return limits;
}

filters::BodyLimits ForBodies(const Options& options,
                              const std::vector<rest::Resource>& resources) {
  filters::BodyLimits limits;
  limits.max_bytes = options.max_body_bytes;
  for (const rest::Resource& resource : resources) {
    if (resource.max_create_bytes == 0) continue;
    limits.creates[{resource.descriptor.gvk.group, resource.descriptor.plural}] =
        resource.max_create_bytes;
  }
  return limits;
}

std::string ErrorBody(int code, std::string_view reason, std::string_view message) {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = message;
  return kube::ToJson(status) + "\n";
}

// The requested number, if the process may have as many descriptors, plus some for displaced
// connections and for its other work.
size_t MaxConnections(int wanted) {
  constexpr size_t kOtherDescriptors = 64 + 256;
  const size_t descriptors = RaiseDescriptorLimit();
  const size_t possible = descriptors - std::min(kOtherDescriptors, descriptors / 2);
  const size_t connections = std::min(static_cast<size_t>(wanted), possible);
  log::Info("Limits", {{"connections", connections}, {"descriptors", descriptors}});
  return connections;
}

// Serves health, metrics and the verbosity by their paths, and passes all others on to `next`.
http::Handler Route(http::Handler health, http::Handler metrics, http::Handler next) {
  return [health = std::move(health), metrics = std::move(metrics), verbosity = VerbosityHandler(),
          next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    if (IsHealthPath(request.path)) return health(request, writer);
    if (request.path == "/metrics") return metrics(request, writer);
    if (request.path == kVerbosityPath) return verbosity(request, writer);
    return next(request, writer);
  };
}

// A handler that can be replaced. Each request ends on the handler on which it began. Thread-safe.
class SwappableHandler {
 public:
  void Set(http::Handler handler) {
    auto next = std::make_shared<const http::Handler>(std::move(handler));
    MutexLock lock(&mutex_);
    current_.swap(next);
  }

  VoidTask Serve(http::Request& request, http::ResponseWriter& writer) {
    const std::shared_ptr<const http::Handler> handler = Get();
    co_await (*handler)(request, writer);
  }

 private:
  std::shared_ptr<const http::Handler> Get() {
    MutexLock lock(&mutex_);
    return current_;
  }

  Mutex mutex_;
  std::shared_ptr<const http::Handler> current_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

struct ApiServer::Impl {
  Impl(Options o, discovery::VersionInfo v, ApiServerDeps d)
      : options(std::move(o)),
        version(std::move(v)),
        deps(std::move(d)),
        request_metrics(deps.registry, {}),
        pool_metrics(deps.registry),
        connection_metrics(deps.registry),
        authentication_metrics(deps.registry, filters::ReviewMetrics::Kind::kAuthentication),
        authorization_metrics(deps.registry, filters::ReviewMetrics::Kind::kAuthorization),
        token_reviewer(deps.token_reviews, deps.clock, deps.random, authentication_metrics,
                       pool_metrics, "token-reviews"),
        access_reviewer(deps.access_reviews, deps.clock, deps.random, authorization_metrics,
                        pool_metrics, "access-reviews"),
        authentication_files(ForAuthentication(options), authentication_configs, deps.clock),
        authentication_source(deps.cluster, authentication_configs, deps.clock, deps.random),
        tokens(token_reviewer, deps.clock, options.authentication_token_webhook_cache_ttl),
        attempts(deps.registry),
        authenticator(authentication_configs, tokens, deps.clock, options.anonymous_auth,
                      &attempts),
        authorizer(access_reviewer, deps.clock,
                   {.allowed_ttl = options.authorization_webhook_cache_authorized_ttl,
                    .denied_ttl = options.authorization_webhook_cache_unauthorized_ttl}),
        heartbeats(deps.clock),
        background(deps.threads.executor(0)) {
    for (size_t i = 0; i < deps.threads.size(); ++i) {
      pulses.push_back(std::make_unique<TaskGroup>(deps.threads.executor(i)));
    }
  }

  std::vector<HealthCheck> HealthChecks();
  absl::Status SetResources(std::vector<rest::Resource> resources);
  http::Handler BuildHandler();
  http::ServerOptions ForHttp();
  void StartBackground();

  const Options options;
  const discovery::VersionInfo version;
  const ApiServerDeps deps;
  std::atomic<bool> shutting_down{false};
  WatchGroups watches;

  filters::RequestMetrics request_metrics;
  PoolMetrics pool_metrics;
  ConnectionMetrics connection_metrics;
  filters::ReviewMetrics authentication_metrics;
  filters::ReviewMetrics authorization_metrics;
  filters::Reviewer token_reviewer;
  filters::Reviewer access_reviewer;
  filters::AuthenticationConfigStore authentication_configs;
  filters::AuthenticationFiles authentication_files;
  filters::ExtensionAuthenticationSource authentication_source;
  filters::TokenAuthenticator tokens;
  filters::AuthenticationMetrics attempts;
  filters::Authenticator authenticator;
  filters::AlwaysAllowed always_allowed;
  filters::ReviewAuthorizer authorizer;
  std::unique_ptr<ServerCertificate> certificate;
  filters::BodyLimits body_limits;
  SwappableHandler api;
  http::Handler handler;  // the chain, which ends in `api`
  Heartbeats heartbeats;
  std::vector<std::unique_ptr<TaskGroup>> pulses;  // one on each thread
  TaskGroup background;                            // on the first thread
  std::unique_ptr<http::Server> server;
};

std::vector<HealthCheck> ApiServer::Impl::HealthChecks() {
  const auto only_ready = [](std::string name, std::function<absl::Status()> check) {
    HealthCheck result;
    result.name = std::move(name);
    result.check = std::move(check);
    result.in_healthz = false;
    result.in_livez = false;
    return result;
  };
  std::vector<HealthCheck> checks;
  checks.push_back(PingCheck());
  HealthCheck& threads = checks.emplace_back();
  threads.name = "threads";
  threads.check = [this] { return heartbeats.Check(); };
  checks.push_back(only_ready("informer-sync", deps.synced));
  if (!options.authentication_skip_lookup && !options.authentication_tolerate_lookup_failure) {
    checks.push_back(only_ready("authentication-config", [this] {
      if (authentication_source.has_synced()) return absl::OkStatus();
      return absl::UnavailableError(
          "ConfigMap kube-system/extension-apiserver-authentication was not read yet");
    }));
  }
  checks.push_back(only_ready("shutdown", [this] {
    return shutting_down.load() ? absl::UnavailableError("process is shutting down")
                                : absl::OkStatus();
  }));
  return checks;
}

absl::Status ApiServer::Impl::SetResources(std::vector<rest::Resource> resources) {
  if (deps.self_reviews) {
    for (rest::Resource& resource : reviews::SelfReviews(always_allowed, authorizer)) {
      resources.push_back(std::move(resource));
    }
  }
  std::vector<filters::KnownResource> known = ForMetrics(resources);
  ASSIGN_OR_RETURN(
      http::Handler next,
      discovery::WithDiscovery(
          resources, version, deps.clock,
          rest::MakeResourceHandler(
              resources, {.random = deps.random,
                          .min_request_timeout = absl::Seconds(options.min_request_timeout),
                          .stop = [this] { return watches.Next(); },
                          .available = deps.available})));
  request_metrics.SetKnownResources(known);
  api.Set(std::move(next));
  return absl::OkStatus();
}

http::Handler ApiServer::Impl::BuildHandler() {
  // Updates the connection metrics when they are requested.
  http::Handler metrics = [this, next = filters::MetricsHandler(deps.registry)](
                              http::Request& request, http::ResponseWriter& writer) {
    connection_metrics.Observe(server->stats());
    return next(request, writer);
  };
  http::Handler routes = Route(HealthHandler(HealthChecks()), std::move(metrics),
                               [this](http::Request& request, http::ResponseWriter& writer) {
                                 return api.Serve(request, writer);
                               });
  if (options.profiling) {
    routes = WithProfiling(std::move(routes), CpuProfiler::Gperftools(), deps.clock);
  }
  return filters::BuildHandlerChain(std::move(routes), {.clock = deps.clock,
                                                        .random = deps.random,
                                                        .metrics = request_metrics,
                                                        .authenticator = authenticator,
                                                        .always_allowed = always_allowed,
                                                        .authorizer = authorizer,
                                                        .pool_metrics = pool_metrics,
                                                        .in_flight = ForInFlight(options),
                                                        .audit_log = deps.audit_log,
                                                        .body = body_limits});
}

http::ServerOptions ApiServer::Impl::ForHttp() {
  http::ServerOptions http_options;
  http_options.bind_address = options.bind_address;
  http_options.port = static_cast<uint16_t>(options.secure_port);
  http::Limits& limits = http_options.limits;
  limits.max_concurrent_streams = static_cast<uint32_t>(options.http2_max_streams_per_connection);
  limits.max_request_memory = static_cast<size_t>(options.max_request_memory_mib) << 20;
  // A connection may hold a few bodies at a time.
  limits.max_connection_memory = std::max(limits.max_connection_memory, 8 * options.max_body_bytes);
  limits.max_connections = MaxConnections(options.max_connections);
  limits.max_connections_per_source = static_cast<size_t>(options.max_connections_per_source);
  http_options.is_front_proxy = [this](const http::PeerCertificates& peer) {
    return filters::VerifyFrontProxy(*authentication_configs.Get(), peer, deps.clock.Now()).ok();
  };
  http_options.tls = [this] { return certificate->context(); };
  http_options.error_body = ErrorBody;
  return http_options;
}

void ApiServer::Impl::StartBackground() {
  background.Spawn("serving certificate",
                   KeepServingCertificateFresh(options, *certificate, deps.clock,
                                               ServingExpiry(deps.registry, "api")));
  background.Spawn("authentication files", authentication_files.Poll());
  if (!options.authentication_skip_lookup) {
    if (!options.authentication_tolerate_lookup_failure) authentication_configs.AwaitCluster();
    background.Spawn("authentication settings", authentication_source.Run());
  }
}

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::~ApiServer() = default;

absl::StatusOr<std::unique_ptr<ApiServer>> ApiServer::Create(Options options,
                                                             std::vector<rest::Resource> resources,
                                                             discovery::VersionInfo version,
                                                             ApiServerDeps deps) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(version), std::move(deps));
  ASSIGN_OR_RETURN(impl->certificate, LoadServingCertificate(impl->options, impl->deps.clock));
  RETURN_IF_ERROR(impl->authentication_files.Load());
  ASSIGN_OR_RETURN(impl->always_allowed,
                   filters::AlwaysAllowed::Create(impl->options.authorization_always_allow_paths));
  impl->body_limits = ForBodies(impl->options, resources);
  RETURN_IF_ERROR(impl->SetResources(std::move(resources)));
  impl->handler = impl->BuildHandler();
  impl->server =
      std::make_unique<http::Server>(impl->ForHttp(), impl->deps.threads, impl->deps.clock);
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(impl)));
}

absl::Status ApiServer::Start() {
  // Serves first, because discovery and health need nothing from the cluster.
  RETURN_IF_ERROR(impl_->server->Start(impl_->handler));
  asio::post(impl_->deps.threads.executor(0), [impl = impl_.get()] { impl->StartBackground(); });
  for (size_t i = 0; i < impl_->pulses.size(); ++i) {
    asio::post(impl_->deps.threads.executor(i), [impl = impl_.get(), i] {
      std::string name = StrCat("io thread ", i);
      impl->pulses[i]->Spawn(name, impl->heartbeats.Beat(name));
    });
  }
  return absl::OkStatus();
}

absl::Status ApiServer::SetResources(std::vector<rest::Resource> resources) {
  return impl_->SetResources(std::move(resources));
}

uint16_t ApiServer::port() const { return impl_->server->port(); }

const http::Handler& ApiServer::handler() const { return impl_->handler; }

VoidTask ApiServer::Stop() {
  impl_->shutting_down.store(true);
  co_await impl_->watches.End(impl_->deps.clock, impl_->options.shutdown_delay_duration);
  co_await impl_->server->Stop(impl_->options.request_timeout);
  co_await asio::co_spawn(impl_->deps.threads.executor(0), impl_->background.Stop(),
                          asio::use_awaitable);
  for (size_t i = 0; i < impl_->pulses.size(); ++i) {
    co_await asio::co_spawn(impl_->deps.threads.executor(i), impl_->pulses[i]->Stop(),
                            asio::use_awaitable);
  }
}

Heartbeats& ApiServer::heartbeats() { return impl_->heartbeats; }

}  // namespace steward::server
