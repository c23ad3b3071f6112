#include "cmd/steward/up.h"

#include <prometheus/registry.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "apiserver/stored/stored_resources.h"
#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/flags/feature_gates.h"
#include "base/flags/flag_values.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate.h"
#include "base/tls/local_ca.h"
#include "cmd/steward/cluster_worlds.h"
#include "cmd/steward/controller_set.h"
#include "cmd/steward/controllers_link.h"
#include "cmd/steward/controllers_options.h"
#include "cmd/steward/grpc.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/grpc_services.h"
#include "cmd/steward/listen_address.h"
#include "cmd/steward/reconcilers.h"
#include "cmd/steward/subcommand.h"
#include "cmd/steward/unreadable_events.h"
#include "cmd/steward/until_signal.h"
#include "cmd/steward/up_options.h"
#include "cmd/steward/version.h"
#include "cmd/steward/virtual_api.h"
#include "controllers/cleanup/cleanup_flags.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "controllers/runtime/events/posted_events.h"
#include "controllers/runtime/known_reconciler.h"
#include "kube/audit/log.h"
#include "kube/audit/options.h"
#include "kube/client/kubeconfig_writer.h"
#include "kube/meta/status.h"
#include "storage/embedded/embedded_client.h"
#include "storage/embedded/lifecycle/lifecycle.h"
#include "storage/embedded/loader/manifest_loader.h"
#include "storage/embedded/local_reviews.h"
#include "storage/embedded/operations/write_operations.h"
#include "storage/embedded/store/caught_up.h"
#include "storage/embedded/store/follow_catalog.h"
#include "storage/embedded/store/store.h"

namespace steward {
namespace asio = boost::asio;
namespace {

absl::StatusOr<std::unique_ptr<storage::Store>> OpenStore(const UpOptions& options) {
  storage::StoreOptions store_options;
  store_options.directory = options.data_dir;
  absl::StatusOr<std::unique_ptr<storage::Store>> store =
      storage::Store::Open(std::move(store_options), Clock::Real());
  if (!absl::IsDataLoss(store.status())) return store;
  return absl::DataLossError(StrCat("the data directory ", options.data_dir,
                                    " is damaged: ", ToStd(store.status().message())));
}

absl::StatusOr<LocalCertificates> Certificates(const UpOptions& options) {
  LocalCaOptions ca;
  ca.directory = StrCat(options.data_dir, "/pki");
  ca.bind_address = options.bind_address;
  ca.names = {options.grpc.address.ip};
  ca.clients = options.grpc.frontends;
  ca.now = Clock::Real().Now();
  return EnsureLocalCertificates(ca);
}

// True if this process runs the reconciler that makes copies. (`steward up` serves the gRPC
// services of all families, whether their reconcilers run or not.)
bool MakesCopies(const UpOptions& up) {
  return std::find(up.reconcilers.begin(), up.reconcilers.end(), "copied-csvs") !=
         up.reconcilers.end();
}

// The options of the controllers in a cluster without OLM. No election is needed, because only this
// process uses its store.
ControllersOptions ReconcilersOf(const UpOptions& up) {
  ControllersOptions options;
  options.reconcilers = up.reconcilers;
  options.reconciler_flags = up.reconciler_flags;
  options.feature_gates = up.feature_gates;
  options.leader_elect = false;
  // Protection is not needed, because every client is an administrator here, and no operator runs.
  auto& cleanup = options.reconciler_flags.Of<controllers::CleanupFlags>();
  cleanup.allow_unprotected_opt_in = true;
  cleanup.collector_finalizers_stay = true;
  cleanup.without_deployments = true;
  cleanup.csvs_built_in = true;
  return options;
}

// The known reconcilers without their checks for OLM: this process has no OLM, and no Deployments
// to look for it.
std::vector<controllers::KnownReconciler> WithoutOlm() {
  std::vector<controllers::KnownReconciler> known = KnownReconcilers();
  for (controllers::KnownReconciler& each : known) each.conflicts_with.clear();
  return known;
}

// The answer before everything is loaded, because another answer would show only a part.
absl::Status StillLoading() {
  return kube::ToStatus(kube::ServiceUnavailable("manifests are still being loaded", 1));
}

// Options by which only client certificates of the local authority are accepted.
server::Options ServerOptions(const UpOptions& options, const LocalCertificates& certificates) {
  server::Options server_options;
  server_options.bind_address = options.bind_address;
  server_options.secure_port = options.secure_port;
  server_options.tls_cert_file = certificates.serving.cert_file;
  server_options.tls_private_key_file = certificates.serving.key_file;
  server_options.client_ca_file = certificates.ca_file;
  server_options.authentication_skip_lookup = true;
  server_options.anonymous_auth = false;
  // As the kube-apiserver's limit, because objects are stored here.
  server_options.max_body_bytes = 3 << 20;
  return server_options;
}

// The address at which this process reaches its own gRPC server.
std::string LocalTarget(ListenAddress address, int port) {
  if (address.ip == "0.0.0.0" || address.ip == "::") address.ip = "127.0.0.1";
  address.port = static_cast<uint16_t>(port);
  return address.ToString();
}

absl::Status WriteKubeconfig(const UpOptions& options, const LocalCertificates& certificates,
                             int port) {
  kube::KubeconfigContents contents;
  contents.name = "steward";
  contents.server = options.ServerUrl(port);
  contents.ca_pem = certificates.ca_pem;
  contents.cert_pem = certificates.admin.cert_pem;
  contents.key_pem = certificates.admin.key_pem;
  return kube::WriteKubeconfig(options.KubeconfigFile(), contents);
}

// All parts in one process. The thread that runs `control` runs the clients of the store, the only
// writer of Worlds and the controllers.
class Up {
 public:
  Up(UpOptions options, std::unique_ptr<storage::Store> store, LocalCertificates certificates)
      : options_(std::move(options)),
        certificates_(std::move(certificates)),
        store_(std::move(store)) {}

  absl::Status Run();

 private:
  absl::Status StartGrpc();
  absl::Status StartServer();
  void StartTasks();
  std::vector<rest::Resource> Resources(const storage::Catalog& catalog);
  void Serve(const storage::Catalog& catalog);
  VoidTask RunControllers();
  VoidTask StopControllers();
  VoidTask GetReady();
  VoidTask UntilEnd();
  StatusTask Load();

  const UpOptions options_;
  const LocalCertificates certificates_;
  const std::unique_ptr<storage::Store> store_;
  asio::io_context control_{1};
  asio::signal_set signals_{control_, SIGINT, SIGTERM};
  prometheus::Registry registry_;
  const log::Background logging_{log::FormatOf(options_.logging_format), registry_};
  storage::EmbeddedClient client_{
      *store_, Clock::Real(), Random::Real(), {.server_version = BuildVersion().git_version}};
  storage::LocalReviews reviews_;
  storage::Lifecycle lifecycle_{*store_, Clock::Real(),
                                storage::FreshContexts(Clock::Real(), Random::Real())};
  ClusterWorlds worlds_{client_, Clock::Real(), Random::Real(), registry_, OperatorSources()};
  ClusterWorlds plans_{client_, Clock::Real(), Random::Real(), registry_, PlanSources()};
  const std::vector<controllers::KnownReconciler> known_ = WithoutOlm();
  ControllerSet controllers_{ReconcilersOf(options_),
                             {.known = known_,
                              .executor = control_.get_executor(),
                              .clock = Clock::Real(),
                              .random = Random::Real(),
                              .watches = client_,
                              .reads = client_,
                              .writes = client_,
                              .worlds = worlds_.store(),
                              .registry = registry_,
                              .instance = "up"}};
  controllers::PostedEvents events_{control_.get_executor(), controllers_.events()};
  std::unique_ptr<audit::Log> audit_log_;  // null: nothing is recorded
  StopSignal stop_controllers_;
  StopSignal controllers_ended_;
  std::unique_ptr<GrpcServing> grpc_;              // null: gRPC is off
  ControllersLinks upstream_;                      // set by StartGrpc
  std::vector<rest::Resource> virtual_resources_;  // set by StartServer
  http::IoThreads threads_;
  std::unique_ptr<server::ApiServer> server_;
  TaskGroup tasks_{control_.get_executor()};
  std::atomic<bool> loaded_{false};
  bool ended_ = false;  // set if the process ends without a signal
  absl::Status outcome_;
};

std::vector<rest::Resource> Up::Resources(const storage::Catalog& catalog) {
  std::vector<rest::Resource> resources =
      stored::StoredResources(client_, catalog.types(), Clock::Real());
  resources.insert(resources.end(), virtual_resources_.begin(), virtual_resources_.end());
  return resources;
}

void Up::Serve(const storage::Catalog& catalog) {
  const absl::Status status = server_->SetResources(Resources(catalog));
  if (!status.ok()) log::Error("Definitions that cannot be served", {{"err", status}});
}

absl::Status Up::StartGrpc() {
  GrpcOptions grpc = options_.grpc;
  if (grpc.address.off()) {
    upstream_ = NoLinksToControllers("gRPC is off (--grpc-bind-address)");
    return absl::OkStatus();
  }
  grpc.tls_cert_file = certificates_.serving.cert_file;
  grpc.tls_private_key_file = certificates_.serving.key_file;
  grpc.client_ca_file = certificates_.ca_file;
  const FlagValues flags = ReconcilersOf(options_).reconciler_flags;
  ASSIGN_OR_RETURN(
      grpc_,
      GrpcServing::Start(
          grpc, {.access_reviews = reviews_, .registry = registry_, .audit_log = audit_log_.get()},
          MakeGrpcServices(FamiliesWithGrpc(), {.cluster = client_,
                                                .worlds = worlds_.store(),
                                                .events = events_,
                                                .flags = flags,
                                                .random = Random::Real(),
                                                .serves_views = true,
                                                .makes_copies = MakesCopies(options_),
                                                .plans = &plans_.store(),
                                                .bundle_requesters = &client_,
                                                .impersonates_requesters = false,
                                                .optional_manifests = options_.feature_gates.IsOn(
                                                    controllers::kOptionalManifestsGate)})));
  const CertificateFiles& frontend = certificates_.clients.at(grpc.frontends.front());
  const server::ControllersEndpoint here = {.address = LocalTarget(grpc.address, grpc_->port()),
                                            .ca_file = certificates_.ca_file,
                                            .client_cert_file = frontend.cert_file,
                                            .client_key_file = frontend.key_file};
  server::Options link;
  link.controllers = here;
  link.plan_controllers = here;
  link.copied_csv_controllers = here;
  ASSIGN_OR_RETURN(upstream_, LinkToControllers(link));
  return absl::OkStatus();
}

absl::Status Up::StartServer() {
  virtual_resources_ = VirtualResources(
      {.worlds = worlds_,
       .plans = plans_,
       .clock = Clock::Real(),
       .pending_operands = *upstream_.pending,
       .previews = *upstream_.previews,
       .optional_manifests = options_.feature_gates.IsOn(controllers::kOptionalManifestsGate)});
  ASSIGN_OR_RETURN(
      server_,
      server::ApiServer::Create(
          ServerOptions(options_, certificates_), Resources(*store_->catalog()), BuildVersion(),
          {.threads = threads_,
           .clock = Clock::Real(),
           .random = Random::Real(),
           .registry = registry_,
           .cluster = client_,
           .token_reviews = reviews_,
           .access_reviews = reviews_,
           .self_reviews = true,
           .synced =
               [this] { return loaded_ ? absl::OkStatus() : absl::UnavailableError("loading"); },
           .available = [this] { return loaded_ ? absl::OkStatus() : StillLoading(); },
           .audit_log = audit_log_.get()}));
  const absl::Status status = server_->Start();
  if (!status.ok()) server_.reset();
  return status;
}

void Up::StartTasks() {
  tasks_.Spawn("lifecycle", lifecycle_.Run());
  tasks_.Spawn("maintain the store", store_->Maintain());
  tasks_.Spawn("follow the catalog",
               storage::FollowCatalog(*store_, [this](const auto& catalog) { Serve(catalog); }));
  worlds_.SetReportUnreadable(UnreadableEvents(controllers_.events()));
  worlds_.Start(tasks_);
  plans_.Start(tasks_);
  tasks_.Spawn("controllers", RunControllers());
  tasks_.Spawn("get ready", GetReady());
}

VoidTask Up::RunControllers() {
  co_await controllers_.Run(stop_controllers_);
  controllers_ended_.Set();
}

VoidTask Up::StopControllers() {
  stop_controllers_.Set();
  co_await controllers_ended_.Wait();
}

StatusTask Up::Load() {
  storage::LoadOptions load;
  load.paths = options_.load;
  load.strict = options_.strict;
  load.namespaces = {"default"};
  CO_ASSIGN_OR_RETURN(const storage::LoadResult result,
                      co_await storage::LoadManifests(client_, store_->catalog(), load));
  log::Info("Loaded", {{"created", result.created},
                       {"updated", result.updated},
                       {"unchanged", result.unchanged},
                       {"skipped", result.skipped}});
  CO_RETURN_IF_ERROR(co_await storage::WaitUntilCaughtUp(*store_, worlds_.store()));
  co_return co_await storage::WaitUntilCaughtUp(*store_, plans_.store());
}

VoidTask Up::GetReady() {
  outcome_ = co_await Load();
  if (outcome_.ok()) {
    loaded_ = true;
    std::printf("ready: kubectl --kubeconfig %s get installedoperators -A\n",
                options_.KubeconfigFile().c_str());
    std::fflush(stdout);
  }
  if (!outcome_.ok() || options_.exit_after_load) {
    ended_ = true;
    signals_.cancel();
  }
}

VoidTask Up::UntilEnd() {
  // The process may have ended before this wait begins.
  if (!ended_) co_await UntilSignal(signals_);
}

absl::Status Up::Run() {
  ASSIGN_OR_RETURN(audit_log_, audit::Open(options_.audit_log, Clock::Real(), registry_));
  outcome_ = StartGrpc();
  if (outcome_.ok()) outcome_ = StartServer();
  if (outcome_.ok()) outcome_ = WriteKubeconfig(options_, certificates_, server_->port());
  if (outcome_.ok()) {
    StartTasks();
    RunOn(control_, UntilEnd());
  }
  // Stop the server first, so that its last requests find everything else still running.
  if (server_ != nullptr) RunOn(control_, server_->Stop());
  if (grpc_ != nullptr) RunOn(control_, grpc_->Stop());
  if (tasks_.size() > 0) RunOn(control_, StopControllers());
  RunOn(control_, tasks_.Stop());
  return outcome_;
}

absl::Status Run(const UpOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<storage::Store> store, OpenStore(options));
  ASSIGN_OR_RETURN(LocalCertificates certificates, Certificates(options));
  return Up(options, std::move(store), std::move(certificates)).Run();
}

}  // namespace

int RunUp(const std::vector<std::string>& args) {
  const std::vector<FeatureGate> gates = KnownFeatureGates();
  return RunSubcommand(
      "up", ParseUpOptions(args, KnownReconcilers(), gates),
      [&] { return UpHelpText(KnownReconcilers(), gates); }, Run);
}

}  // namespace steward
