#include "cmd/steward/inspect.h"

#include <prometheus/registry.h>
#include <stdlib.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "apiserver/stored/stored_resources.h"
#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/lines/descriptor_sink.h"
#include "base/lines/line_sink.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "base/tls/local_ca.h"
#include "cmd/steward/cluster_worlds.h"
#include "cmd/steward/foreground_program.h"
#include "cmd/steward/inspect_options.h"
#include "cmd/steward/inspected_resources.h"
#include "cmd/steward/subcommand.h"
#include "cmd/steward/version.h"
#include "cmd/steward/virtual_api.h"
#include "kube/client/kubeconfig_writer.h"
#include "storage/embedded/dump/dump_files.h"
#include "storage/embedded/dump/dump_loader.h"
#include "storage/embedded/dump/dump_reviews.h"
#include "storage/embedded/dump/dump_summary.h"
#include "storage/embedded/embedded_client.h"
#include "storage/embedded/store/caught_up.h"
#include "storage/embedded/store/store.h"

namespace steward {
namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace {

constexpr char kAddress[] = "127.0.0.1";
constexpr char kUser[] = "inspector";

// A folder that only this user can read, and that is deleted with this object.
class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Make() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "steward-inspect-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      return absl::ErrnoToStatus(error ? error.value() : errno,
                                 StrCat("no temporary folder can be made: ", pattern));
    }
    return TemporaryFolder(std::move(pattern));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Passes on warnings and errors only, because standard error is for the summary and the command.
class WarningsSink : public LineSink {
 public:
  absl::Status Write(std::string_view lines) override {
    std::string kept;
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n') + 1);
      if (line.empty()) break;
      if (!line.starts_with('I')) kept += line;
      lines.remove_prefix(line.size());
    }
    return kept.empty() ? absl::OkStatus() : errors_.Write(kept);
  }

 private:
  DescriptorSink errors_{STDERR_FILENO};
};

std::unique_ptr<LineSink> LogSink(int verbosity) {
  if (verbosity > 0) return std::make_unique<DescriptorSink>(STDERR_FILENO);
  return std::make_unique<WarningsSink>();
}

absl::StatusOr<LocalCertificates> Certificates(const std::string& folder) {
  LocalCaOptions ca;
  ca.directory = StrCat(folder, "/pki");
  ca.bind_address = kAddress;
  ca.admin = false;
  ca.clients = {kUser};
  ca.now = Clock::Real().Now();
  return EnsureLocalCertificates(ca);
}

absl::StatusOr<std::unique_ptr<storage::Store>> OpenStore(const std::string& folder) {
  storage::StoreOptions options;
  options.directory = StrCat(folder, "/store");
  options.durable = false;
  return storage::Store::Open(std::move(options), Clock::Real());
}

// The only known user is the holder of the kubeconfig, who may read.
server::Options ServerOptions(int port, const LocalCertificates& certificates) {
  server::Options options;
  options.bind_address = kAddress;
  options.secure_port = port;
  options.tls_cert_file = certificates.serving.cert_file;
  options.tls_private_key_file = certificates.serving.key_file;
  options.client_ca_file = certificates.ca_file;
  options.authentication_skip_lookup = true;
  options.anonymous_auth = false;
  // The answers of the reviews never change, so they may be kept for long.
  options.authorization_webhook_cache_authorized_ttl = absl::Hours(1);
  options.authorization_webhook_cache_unauthorized_ttl = absl::Hours(1);
  return options;
}

std::vector<std::string> EnvironmentWith(const std::string& kubeconfig) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  environment.push_back(StrCat("KUBECONFIG=", kubeconfig));
  return environment;
}

// All parts in one process. The thread that runs `control` runs the clients of the store and the
// only writer of Worlds.
class Inspect {
 public:
  Inspect(const InspectOptions& options, asio::io_context& control, ForegroundProgram& program,
          std::unique_ptr<storage::DumpFiles> files, const std::string& folder,
          std::unique_ptr<storage::Store> store, LocalCertificates certificates)
      : options_(options),
        control_(control),
        program_(program),
        files_(std::move(files)),
        folder_(folder),
        certificates_(std::move(certificates)),
        store_(std::move(store)) {}

  absl::Status Run(int& code);

 private:
  StatusTask Load();
  absl::Status StartServer();
  absl::Status WriteKubeconfig() const;
  absl::Status StartCommand();
  std::string KubeconfigFile() const;
  VoidTask Begin();
  VoidTask UntilEnd();

  const InspectOptions& options_;
  asio::io_context& control_;
  ForegroundProgram& program_;
  std::unique_ptr<storage::DumpFiles> files_;
  const std::string folder_;
  const LocalCertificates certificates_;
  const std::unique_ptr<storage::Store> store_;
  prometheus::Registry registry_;
  const log::Background logging_{log::Format::kText, LogSink(options_.verbosity), registry_};
  storage::EmbeddedClient client_{
      *store_, Clock::Real(), Random::Real(), {.server_version = BuildVersion().git_version}};
  storage::DumpReviews reviews_;
  NotLive not_live_;
  ClusterWorlds worlds_{client_, Clock::Real(), Random::Real(), registry_, OperatorSources()};
  ClusterWorlds plans_{client_, Clock::Real(), Random::Real(), registry_, PlanSources()};
  http::IoThreads threads_;
  std::unique_ptr<server::ApiServer> server_;  // null: not started
  TaskGroup tasks_{control_.get_executor()};
  StopSignal ended_;
  int code_ = 0;
  absl::Status outcome_;
};

std::string Inspect::KubeconfigFile() const {
  return options_.kubeconfig.empty() ? StrCat(folder_, "/kubeconfig") : options_.kubeconfig;
}

absl::Status Inspect::WriteKubeconfig() const {
  const CertificateFiles& user = certificates_.clients.at(kUser);
  kube::KubeconfigContents contents;
  contents.name = "dump";
  contents.server = StrCat("https://", kAddress, ":", server_->port());
  contents.ca_pem = certificates_.ca_pem;
  ASSIGN_OR_RETURN(contents.cert_pem, ReadSmallFile(user.cert_file));
  ASSIGN_OR_RETURN(contents.key_pem, ReadSmallFile(user.key_file));
  return kube::WriteKubeconfig(KubeconfigFile(), contents);
}

StatusTask Inspect::Load() {
  CO_ASSIGN_OR_RETURN(const storage::DumpSummary summary,
                      co_await storage::LoadDump(*store_, std::move(files_)));
  if (summary.files == 0) {
    code_ = 2;
    co_return absl::InvalidArgumentError(
        StrCat(options_.path, " is no dump: there is no .yaml, .yml or .json file in it"));
  }
  std::fputs(summary.ToText(options_.path, static_cast<size_t>(options_.show)).c_str(), stderr);
  worlds_.Start(tasks_);
  plans_.Start(tasks_);
  CO_RETURN_IF_ERROR(co_await storage::WaitUntilCaughtUp(*store_, worlds_.store()));
  co_return co_await storage::WaitUntilCaughtUp(*store_, plans_.store());
}

absl::Status Inspect::StartServer() {
  std::vector<rest::Resource> resources =
      stored::StoredResources(client_, store_->catalog()->types(), Clock::Real());
  resources = ToBeReadOnly(std::move(resources));
  for (rest::Resource& resource : VirtualResources({.worlds = worlds_,
                                  .plans = plans_,
                                  .clock = Clock::Real(),
                                  .pending_operands = not_live_,
                                  .previews = not_live_})) {
    resources.push_back(std::move(resource));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<server::ApiServer> server,
                   server::ApiServer::Create(ServerOptions(options_.secure_port, certificates_),
                                             std::move(resources), BuildVersion(),
                                             {.threads = threads_,
                                              .clock = Clock::Real(),
                                              .random = Random::Real(),
                                              .registry = registry_,
                                              .cluster = client_,
                                              .token_reviews = reviews_,
                                              .access_reviews = reviews_,
                                              .self_reviews = true,
                                              .synced = [] { return absl::OkStatus(); }}));
  RETURN_IF_ERROR(server->Start());
  server_ = std::move(server);
  return absl::OkStatus();
}

absl::Status Inspect::StartCommand() {
  if (options_.command.empty()) {
    std::printf("KUBECONFIG=%s\nready: kubectl --kubeconfig %s get installedoperators -A\n",
                KubeconfigFile().c_str(), KubeconfigFile().c_str());
    std::fflush(stdout);
    return absl::OkStatus();
  }
  absl::Status started = program_.Start(options_.command, EnvironmentWith(KubeconfigFile()));
  // The exit codes are those of a shell.
  if (!started.ok()) code_ = absl::IsNotFound(started) ? 127 : 126;
  return started;
}

VoidTask Inspect::Begin() {
  outcome_ = co_await Load();
  if (outcome_.ok()) outcome_ = StartServer();
  if (outcome_.ok()) outcome_ = WriteKubeconfig();
  if (outcome_.ok()) outcome_ = StartCommand();
  if (!outcome_.ok()) ended_.Set();
}

VoidTask Inspect::UntilEnd() {
  const absl::StatusOr<int> code = co_await program_.WaitForEnd();
  code_ = code.value_or(1);
  // A user ends the server by a signal, so a signal is no error.
  const bool served = options_.command.empty() && server_ != nullptr;
  if (served) code_ = 0;
  ended_.Set();
}

absl::Status Inspect::Run(int& code) {
  tasks_.Spawn("wait for the end", UntilEnd());
  tasks_.Spawn("load and serve", Begin());
  RunOn(control_, ended_.Wait());
  if (server_ != nullptr) RunOn(control_, server_->Stop());
  RunOn(control_, tasks_.Stop());
  code = code_;
  return outcome_;
}

absl::Status Run(const InspectOptions& options, int& code) {
  asio::io_context control{1};
  ASSIGN_OR_RETURN(const std::unique_ptr<ForegroundProgram> program,
                   ForegroundProgram::Create(control.get_executor()));
  absl::StatusOr<std::unique_ptr<storage::DumpFiles>> files =
      storage::DumpFiles::Open(options.path);
  if (!files.ok()) {
    code = 2;
    return files.status();
  }
  ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  ASSIGN_OR_RETURN(std::unique_ptr<storage::Store> store, OpenStore(folder.path()));
  ASSIGN_OR_RETURN(LocalCertificates certificates, Certificates(folder.path()));
  return Inspect(options, control, *program, *std::move(files), folder.path(), std::move(store),
                 std::move(certificates))
      .Run(code);
}

}  // namespace

int RunInspect(const std::vector<std::string>& args) {
  int code = 0;
  const int failed =
      RunSubcommand("inspect", ParseInspectOptions(args), InspectHelpText,
                    [&code](const InspectOptions& options) { return Run(options, code); });
  return code != 0 ? code : failed;
}

}  // namespace steward
