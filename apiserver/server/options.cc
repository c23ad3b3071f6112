#include "apiserver/server/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/tls_flags.h"
#include "kube/audit/options.h"

namespace steward::server {
namespace {

// The options, and the flags that are checked when all have been read.
struct Given {
  Options options;
  std::string feature_gates;
  TlsFlags tls;
};

// Binds flags to the members of one Given.
class Flags : private FlagAdder {
 public:
  Flags(CLI::App& app, const std::vector<FeatureGate>& gates, Given& given)
      : FlagAdder(app),
        app_(app),
        gates_(FeatureGates(gates).Help()),
        given_(given),
        options_(given.options) {}

  void AddAll() {
    AddCluster();
    AddServing();
    AddAuthentication();
    AddAuthorization();
    AddLimits();
    AddControllers();
    Text("--feature-gates", given_.feature_gates, gates_);
    audit::AddFlags(app_, options_.audit_log);
  }

 private:
  void AddCluster();
  void AddServing();
  void AddAuthentication();
  void AddAuthorization();
  void AddLimits();
  void AddControllers();
  // Adds the flags of a family other than cleanup.
  void AddFamily(const std::string& prefix, std::string_view family, ControllersEndpoint& endpoint);

  CLI::App& app_;
  const std::string gates_;
  Given& given_;
  Options& options_;
};

void Flags::AddCluster() {
  Text("--kubeconfig", options_.kubeconfig,
       "kubeconfig of the cluster to serve; empty: the cluster this process runs in");
  Verbosity(options_.verbosity);
  LoggingFormat(options_.logging_format);
}

void Flags::AddServing() {
  Text("--bind-address", options_.bind_address, "IP address to listen on");
  Number("--secure-port", options_.secure_port, 0, 65535,
         "Port to serve HTTPS on; 0: one that is free");
  Text("--tls-cert-file", options_.tls_cert_file,
       "Serving certificate, PEM, with its chain; read again when it changes");
  Text("--tls-private-key-file", options_.tls_private_key_file,
       "Private key of --tls-cert-file, PEM");
  Text("--cert-dir", options_.cert_dir,
       "Where the serving certificate lies (apiserver.crt, apiserver.key) when --tls-cert-file is "
       "not given; made there, self-signed, when it is absent");
  AddTlsFlags(app_, given_.tls);
  Switch("--profiling", options_.profiling,
         "Serve CPU profiles and heap statistics at /debug/pprof/profile and /debug/pprof/heap, to "
         "those who may get these nonResourceURLs");
}

void Flags::AddAuthentication() {
  Text("--authentication-kubeconfig", options_.authentication_kubeconfig,
       "kubeconfig with the right to create tokenreviews; empty: --kubeconfig");
  Switch("--authentication-skip-lookup", options_.authentication_skip_lookup,
         "Do not read ConfigMap kube-system/extension-apiserver-authentication");
  Switch("--authentication-tolerate-lookup-failure",
         options_.authentication_tolerate_lookup_failure,
         "Become ready before that ConfigMap was read; until then nobody who comes through the "
         "kube-apiserver can be authenticated");
  Duration("--authentication-token-webhook-cache-ttl",
           options_.authentication_token_webhook_cache_ttl,
           "How long to keep the answer to a TokenReview");
  Switch("--anonymous-auth", options_.anonymous_auth,
         "Treat requests without credentials as system:anonymous; false: answer them with 401");
  Text("--client-ca-file", options_.client_ca_file,
       "CAs of client certificates, PEM; empty: as the ConfigMap says");
  Text("--requestheader-client-ca-file", options_.requestheader_client_ca_file,
       "CAs of front proxies' client certificates, PEM; empty: this and the other --requestheader "
       "settings are as the ConfigMap says");
  List("--requestheader-allowed-names", options_.requestheader_allowed_names,
       "Common names of front proxies' certificates; empty: any");
  List("--requestheader-username-headers", options_.requestheader_username_headers,
       "Headers with the user's name");
  List("--requestheader-group-headers", options_.requestheader_group_headers,
       "Headers with the user's groups");
  List("--requestheader-extra-headers-prefix", options_.requestheader_extra_headers_prefix,
       "Prefixes of headers with more about the user");
  List("--requestheader-uid-headers", options_.requestheader_uid_headers,
       "Headers with the user's UID");
}

void Flags::AddAuthorization() {
  Text("--authorization-kubeconfig", options_.authorization_kubeconfig,
       "kubeconfig with the right to create subjectaccessreviews; empty: --kubeconfig");
  Duration("--authorization-webhook-cache-authorized-ttl",
           options_.authorization_webhook_cache_authorized_ttl,
           "How long to keep an answer that allows");
  Duration("--authorization-webhook-cache-unauthorized-ttl",
           options_.authorization_webhook_cache_unauthorized_ttl,
           "How long to keep an answer that denies");
  List("--authorization-always-allow-paths", options_.authorization_always_allow_paths,
       "Paths served to everybody; a trailing * matches everything below");
}

void Flags::AddLimits() {
  Number("--max-requests-inflight", options_.max_requests_inflight, 0, 1'000'000,
         "Reads of users worked on at a time, watches counted until they have begun; 0: no limit");
  Number("--max-mutating-requests-inflight", options_.max_mutating_requests_inflight, 0, 1'000'000,
         "Other requests worked on at a time; 0: no limit");
  Number("--max-watches", options_.max_watches, 0, 1'000'000, "Watches at a time; 0: no limit");
  Number("--max-watches-per-user", options_.max_watches_per_user, 0, 1'000'000,
         "Watches of one user at a time; 0: no limit");
  Duration("--request-timeout", options_.request_timeout,
           "How long a request may take, watches not counted");
  Number("--min-request-timeout", options_.min_request_timeout, 1, 86400,
         "Seconds a watch lasts at least, unless it asks for less");
  Number("--http2-max-streams-per-connection", options_.http2_max_streams_per_connection, 1,
         1'000'000, "Requests at a time on one HTTP/2 connection");
  Number("--max-connections", options_.max_connections, 16, 1'000'000,
         "Connections at a time; an eighth is a reserve for front proxies. No more than the "
         "process may have descriptors");
  Number("--max-connections-per-source", options_.max_connections_per_source, 1, 1'000'000,
         "Connections at a time from one address, front proxies' not counted");
  Number("--max-request-memory", options_.max_request_memory_mib, 16, 65536,
         "MiB that requests, and responses that wait for their clients, may hold");
  Duration("--shutdown-delay-duration", options_.shutdown_delay_duration,
           "How long to serve on after SIGTERM, while /readyz fails and clients are led elsewhere");
}

void Flags::AddControllers() {
  Text("--controllers-address", options_.controllers.address,
       "host:port of the controllers' gRPC server, for what needs a live look; empty: such "
       "questions are answered with 503");
  Text("--controllers-ca-file", options_.controllers.ca_file,
       "CA of the controllers' certificate, PEM; read again when it changes, as the next two");
  Text("--controllers-client-cert-file", options_.controllers.client_cert_file,
       "Certificate to show to the controllers, PEM; its common name is to be one of their "
       "--grpc-frontends");
  Text("--controllers-client-key-file", options_.controllers.client_key_file,
       "Private key of --controllers-client-cert-file, PEM");
  AddFamily("plan", "install-plans", options_.plan_controllers);
  AddFamily("copied-csv", "copies", options_.copied_csv_controllers);
}

void Flags::AddFamily(const std::string& prefix, std::string_view family,
                      ControllersEndpoint& endpoint) {
  const std::string flag = StrCat("--", prefix, "-controllers-");
  const auto add = [&](const char* name, std::string& value, const std::string& help) {
    Text(StrCat(flag, name).c_str(), value, help);
  };
  const auto add_file = [&](const char* name, std::string& file) {
    add(name, file, StrCat("As --controllers-", name, ", for ", flag, "address; empty: that file"));
  };
  add("address", endpoint.address,
      StrCat("host:port of the gRPC server of the family ", family,
             "; empty: questions to it are answered with 503"));
  add_file("ca-file", endpoint.ca_file);
  add_file("client-cert-file", endpoint.client_cert_file);
  add_file("client-key-file", endpoint.client_key_file);
}

std::unique_ptr<CLI::App> NewApp(const std::vector<FeatureGate>& gates, Given& given) {
  auto app = std::make_unique<CLI::App>("Serves virtual resources to a Kubernetes cluster.",
                                        "steward apiserver");
  app->get_formatter()->column_width(56);
  Flags(*app, gates, given).AddAll();
  return app;
}

// Files that are not given are those of `others`.
void FillFiles(const ControllersEndpoint& others, ControllersEndpoint& endpoint) {
  if (endpoint.ca_file.empty()) endpoint.ca_file = others.ca_file;
  if (endpoint.client_cert_file.empty() && endpoint.client_key_file.empty()) {
    endpoint.client_cert_file = others.client_cert_file;
    endpoint.client_key_file = others.client_key_file;
  }
}

absl::Status CheckFiles(std::string_view prefix, const ControllersEndpoint& endpoint) {
  const bool complete = !endpoint.ca_file.empty() && !endpoint.client_cert_file.empty() &&
                        !endpoint.client_key_file.empty();
  if (endpoint.address.empty() || complete) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("--", prefix, "controllers-address needs --controllers-ca-file, ",
             "--controllers-client-cert-file and --controllers-client-key-file, or its own"));
}

absl::Status CheckTogether(const Options& options) {
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty()) {
    return absl::InvalidArgumentError(
        "--tls-cert-file and --tls-private-key-file must be given together");
  }
  RETURN_IF_ERROR(CheckFiles("", options.controllers));
  RETURN_IF_ERROR(CheckFiles("plan-", options.plan_controllers));
  RETURN_IF_ERROR(CheckFiles("copied-csv-", options.copied_csv_controllers));
  if (options.request_timeout == absl::ZeroDuration()) {
    return absl::InvalidArgumentError("--request-timeout: must be longer than 0");
  }
  return audit::CheckTogether(options.audit_log);
}

}  // namespace

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& args,
                                     const std::vector<FeatureGate>& gates) {
  Given given;
  const std::unique_ptr<CLI::App> app = NewApp(gates, given);
  try {
    app->parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    Options help;
    help.help = true;
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  Options& options = given.options;
  ASSIGN_OR_RETURN(options.tls, ParseTlsFlags(given.tls));
  FillFiles(options.controllers, options.plan_controllers);
  FillFiles(options.controllers, options.copied_csv_controllers);
  RETURN_IF_ERROR(CheckTogether(options));
  ASSIGN_OR_RETURN(options.feature_gates, ParseFeatureGates(gates, given.feature_gates));
  return std::move(options);
}

std::string HelpText(const std::vector<FeatureGate>& gates) {
  Given given;
  return NewApp(gates, given)->help();
}

}  // namespace steward::server
