#include "cmd/steward/up_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/ip_address.h"
#include "base/text/str_cat.h"
#include "cmd/steward/reconciler_names.h"
#include "kube/audit/options.h"

namespace steward {
namespace {

using controllers::KnownReconciler;

// Returns the error, or "", by CLI11's convention.
std::string CheckIpAddress(const std::string& text) {
  return IsIpAddress(text) ? "" : StrCat("\"", text, "\" is not an IP address");
}

std::string IsNotEmpty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

// The options, and the flag that is read when all flags have been parsed.
struct Given {
  UpOptions options;
  std::string feature_gates;
};

void AddFlags(CLI::App& app, const std::vector<KnownReconciler>& known,
              const std::vector<FeatureGate>& gates, Given& given) {
  UpOptions& options = given.options;
  FlagAdder flags(app);
  flags
      .Text("--data-dir", options.data_dir,
            "Directory that everything is kept in; made when it is absent")
      ->check(IsNotEmpty);
  app.add_option("--load", options.load,
                 "File or folder of YAML or JSON manifests to load before being ready; may be "
                 "repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PATH");
  flags.Switch("--strict", options.strict,
               "Load nothing, and exit with an error, if any manifest cannot be used; without it "
               "such manifests are skipped");
  flags.Switch("--exit-after-load", options.exit_after_load,
               "Exit once everything is loaded and ready");
  flags.List("--reconcilers", options.reconcilers,
             StrCat("Reconcilers to run, any of: ", NamesOf(known)));
  for (const KnownReconciler& each : known) {
    if (each.needs_flags) each.add_flags(flags, options.reconciler_flags);
  }
  flags.Text("--feature-gates", given.feature_gates, FeatureGates(gates).Help());
  flags.Text("--bind-address", options.bind_address, "IP address to listen on")
      ->check(CheckIpAddress);
  flags.Number("--secure-port", options.secure_port, 0, 65535,
               "Port to serve HTTPS on; 0: one that is free");
  flags.Text("--kubeconfig", options.kubeconfig,
             "File to write an administrator's kubeconfig to; empty: kubeconfig in --data-dir");
  flags.Text("--grpc-bind-address", options.grpc.bind_address,
             "IP address and port to serve gRPC on, with certificates of the authority in "
             "--data-dir/pki; port 0: one that is free; 0: it is not served");
  audit::AddFlags(app, options.audit_log);
  flags.Verbosity(options.verbosity);
  flags.LoggingFormat(options.logging_format);
}

std::unique_ptr<CLI::App> NewApp(const std::vector<KnownReconciler>& known,
                                 const std::vector<FeatureGate>& gates, Given& given) {
  auto app = std::make_unique<CLI::App>(
      "Serves stored objects and the virtual resources made from them, without a cluster.",
      "steward up");
  app->get_formatter()->column_width(36);
  AddFlags(*app, known, gates, given);
  return app;
}

absl::Status CheckReconcilers(const UpOptions& options, const std::vector<KnownReconciler>& known) {
  RETURN_IF_ERROR(CheckReconcilerNames(options.reconcilers, known));
  const std::vector<std::string>& names = options.reconcilers;
  for (const KnownReconciler& each : known) {
    const bool runs = std::find(names.begin(), names.end(), each.options.name) != names.end();
    if (each.check_flags == nullptr) continue;
    RETURN_IF_ERROR(each.check_flags(options.reconciler_flags, runs));
  }
  return absl::OkStatus();
}

}  // namespace

std::string UpOptions::KubeconfigFile() const {
  return kubeconfig.empty() ? StrCat(data_dir, "/kubeconfig") : kubeconfig;
}

std::string UpOptions::ServerUrl(int port) const {
  std::string host = bind_address;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = StrCat("[", host, "]");
  return StrCat("https://", host, ":", port);
}

absl::StatusOr<UpOptions> ParseUpOptions(const std::vector<std::string>& args,
                                         const std::vector<KnownReconciler>& known,
                                         const std::vector<FeatureGate>& gates) {
  Given given;
  UpOptions& options = given.options;
  const std::unique_ptr<CLI::App> app = NewApp(known, gates, given);
  try {
    app->parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    UpOptions help;
    help.help = true;
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  options.grpc.cert_dir = StrCat(options.data_dir, "/pki");
  RETURN_IF_ERROR(FinishGrpcOptions(options.grpc));
  RETURN_IF_ERROR(CheckReconcilers(options, known));
  RETURN_IF_ERROR(audit::CheckTogether(options.audit_log));
  ASSIGN_OR_RETURN(options.feature_gates, ParseFeatureGates(gates, given.feature_gates));
  return options;
}

std::string UpHelpText(const std::vector<KnownReconciler>& known,
                       const std::vector<FeatureGate>& gates) {
  Given given;
  return NewApp(known, gates, given)->help();
}

}  // namespace steward
