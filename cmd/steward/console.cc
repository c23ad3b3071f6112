#include "cmd/steward/console.h"

#include <openssl/rand.h>
#include <prometheus/registry.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/server.h"
#include "apiserver/server/options.h"
#include "apiserver/server/serving_certificate.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/metrics/serving_expiry.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/server_certificate.h"
#include "cmd/steward/console_options.h"
#include "cmd/steward/subcommand.h"
#include "cmd/steward/until_signal.h"
#include "cmd/steward/version.h"
#include "console/server/access.h"
#include "console/server/api_proxy.h"
#include "console/server/console_handler.h"
#include "console/server/file_index.h"
#include "console/server/upstream.h"
#include "kube/client/kubeconfig.h"
#include "kube/meta/status.h"

namespace steward {
namespace asio = boost::asio;
namespace {

constexpr char kInstalledFiles[] = "/usr/share/steward/console";
constexpr int kKeyBytes = 32;
// Requests other than watches have ended by then.
constexpr absl::Duration kStopGrace = absl::Seconds(5);

std::string ErrorBody(int code, std::string_view reason, std::string_view message) {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = message;
  return kube::ToJson(status) + "\n";
}

// Sets limits for a server of files: its requests are short, and all may come from one peer, the
// OpenShift console.
void NarrowToFiles(http::ServerOptions& options) {
  options.limits.max_connections = 2000;
  options.limits.max_request_memory = size_t{64} << 20;
  options.limits.max_connection_memory = size_t{1} << 20;
  options.limits.max_target_bytes = 8 << 10;
}

absl::StatusOr<std::string> NewKey() {
  unsigned char bytes[kKeyBytes];
  if (RAND_bytes(bytes, kKeyBytes) != 1) return absl::InternalError("no random key can be made");
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes), sizeof bytes));
}

absl::StatusOr<std::shared_ptr<const console::FileIndex>> LoadFiles(const ConsoleOptions& options) {
  std::error_code unknown;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  const std::string folder =
      options.files.empty() ? DefaultConsoleFiles(kInstalledFiles, program) : options.files;
  ASSIGN_OR_RETURN(
      console::FileIndex index,
      options.standalone
          ? console::FileIndex::Load(StrCat(folder, "/standalone"), "index.html")
          : console::FileIndex::Load(StrCat(folder, "/plugin"), "plugin-manifest.json"));
  log::Info("Files", {{"folder", folder}, {"count", index.size()}});
  return std::make_shared<const console::FileIndex>(std::move(index));
}

// Those options of an API server that concern the certificate.
server::Options CertificateOptions(const ConsoleOptions& options) {
  server::Options certificate;
  certificate.bind_address = options.bind_address;
  certificate.tls_cert_file = options.tls_cert_file;
  certificate.tls_private_key_file = options.tls_private_key_file;
  certificate.cert_dir = options.cert_dir;
  certificate.tls = options.tls;
  return certificate;
}

// The server. It runs on one thread, as do the connections to the kube-apiserver. The thread that
// runs `control` waits for the signal and keeps the certificate fresh.
class Console {
 public:
  explicit Console(ConsoleOptions options) : options_(std::move(options)) {}

  absl::Status Run();

 private:
  absl::Status StartServer();
  absl::StatusOr<http::Handler> MakeHandler();
  static VoidTask Drop(std::unique_ptr<console::Upstream> upstream);
  VoidTask DropUpstream();

  const ConsoleOptions options_;
  const server::Options certificate_options_ = CertificateOptions(options_);
  asio::io_context control_{1};
  asio::signal_set signals_{control_, SIGINT, SIGTERM};
  prometheus::Registry registry_;
  const log::Background logging_{log::FormatOf(options_.logging_format), registry_};
  std::string key_;                                 // "" = each user sends a token of their own
  std::unique_ptr<ServerCertificate> certificate_;  // null: plain HTTP
  http::IoThreads threads_{1};
  std::unique_ptr<console::Upstream> upstream_;  // null: only the plugin's files are served
  std::unique_ptr<http::Server> server_;
  TaskGroup tasks_{control_.get_executor()};
};

absl::StatusOr<http::Handler> Console::MakeHandler() {
  ASSIGN_OR_RETURN(const auto files, LoadFiles(options_));
  if (!options_.standalone) return console::PluginHandler(files);
  ASSIGN_OR_RETURN(kube::ClientConfig config,
                   kube::LoadKubeconfig(options_.kubeconfig, options_.context));
  console::ApiProxyOptions proxy;
  proxy.access.authentication = options_.authentication();
  proxy.access.token_header = options_.token_header;
  if (options_.as_kubeconfig_user) {
    ASSIGN_OR_RETURN(key_, NewKey());
    proxy.access.key = key_;
  } else {
    config = kube::WithoutCredentials(std::move(config));
  }
  ASSIGN_OR_RETURN(upstream_, console::Upstream::Create(config, threads_.executor(0), Clock::Real(),
                                                        console::ConnectionsFor(proxy)));
  return console::StandaloneHandler(
      {.files = files,
       .api = console::ForwardToApi(std::move(proxy), *upstream_, Clock::Real()),
       .authentication = options_.authentication(),
       .version = BuildVersion().git_version});
}

absl::Status Console::StartServer() {
  ASSIGN_OR_RETURN(http::Handler handler, MakeHandler());
  http::ServerOptions options;
  options.bind_address = options_.bind_address;
  options.port = static_cast<uint16_t>(options_.secure_port);
  options.error_body = ErrorBody;
  if (!options_.standalone) NarrowToFiles(options);
  if (!options_.http) {
    ASSIGN_OR_RETURN(certificate_,
                     server::LoadServingCertificate(certificate_options_, Clock::Real()));
    options.tls = [this] { return certificate_->context(); };
  }
  auto server = std::make_unique<http::Server>(std::move(options), threads_);
  RETURN_IF_ERROR(server->Start(std::move(handler)));
  server_ = std::move(server);
  return absl::OkStatus();
}

VoidTask Console::Drop(std::unique_ptr<console::Upstream> upstream) {
  upstream.reset();
  co_return;
}

VoidTask Console::DropUpstream() {
  co_await asio::co_spawn(threads_.executor(0), Drop(std::move(upstream_)), asio::use_awaitable);
}

absl::Status Console::Run() {
  const absl::Status started = StartServer();
  if (started.ok()) {
    if (certificate_ != nullptr) {
      tasks_.Spawn("serving certificate", server::KeepServingCertificateFresh(
                                              certificate_options_, *certificate_, Clock::Real(),
                                              ServingExpiry(registry_, "console")));
    }
    std::printf("console: %s%s\n", options_.Url(server_->port()).c_str(),
                key_.empty() ? "" : StrCat("#key=", key_).c_str());
    std::fflush(stdout);
    RunOn(control_, UntilSignal(signals_));
    RunOn(control_, server_->Stop(kStopGrace));
  }
  RunOn(control_, tasks_.Stop());
  RunOn(control_, DropUpstream());
  log::Info("Stopped");
  return started;
}

absl::Status Run(const ConsoleOptions& options) { return Console(options).Run(); }

}  // namespace

int RunConsole(const std::vector<std::string>& args) {
  return RunSubcommand("console", ParseConsoleOptions(args), ConsoleHelpText, Run);
}

}  // namespace steward
