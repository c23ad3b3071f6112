#include "cmd/steward/console_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/http/message/response_fields.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/ip_address.h"
#include "base/text/str_cat.h"
#include "base/tls/tls_flags.h"

namespace steward {
namespace {

struct Given {
  ConsoleOptions options;
  TlsFlags tls;
};

void AddFlags(CLI::App& app, Given& given) {
  ConsoleOptions& options = given.options;
  FlagAdder flags(app);
  flags.Text("--files", options.files,
             "Folder of the built pages, with plugin/ and standalone/ in it; empty: "
             "/usr/share/steward/console if it exists, else console beside the program");
  flags.Text("--bind-address", options.bind_address,
             "IP address to listen on; empty: 127.0.0.1 with --http or --as-kubeconfig-user, else "
             "0.0.0.0");
  flags.Number("--secure-port", options.secure_port, 0, 65535,
               "Port to serve on; 0: one that is free");
  flags.Text("--tls-cert-file", options.tls_cert_file,
             "Serving certificate, PEM, with its chain; read again when it changes");
  flags.Text("--tls-private-key-file", options.tls_private_key_file,
             "Private key of --tls-cert-file, PEM");
  flags.Text("--cert-dir", options.cert_dir,
             "Where the serving certificate lies (apiserver.crt, apiserver.key) when "
             "--tls-cert-file is not given; made there, self-signed, when it is absent");
  AddTlsFlags(app, given.tls);
  flags.Switch(
      "--standalone", options.standalone,
      "Serve the pages by themselves, and pass requests to the API on to the kube-apiserver "
      "of --kubeconfig; without it, the plugin of the OpenShift console is served");
  flags.Text("--kubeconfig", options.kubeconfig,
             "kubeconfig that names the kube-apiserver for --standalone; its credentials are used "
             "with --as-kubeconfig-user alone");
  flags.Text("--context", options.context, "Context of --kubeconfig; empty: its current one");
  flags.Text("--token-header", options.token_header,
             "Header in which a proxy in front, which has authenticated the user, gives the user's "
             "token, such as X-Forwarded-Access-Token; empty: the page sends it");
  flags.Switch("--as-kubeconfig-user", options.as_kubeconfig_user,
               "On one's own machine: act with the credentials of --kubeconfig for whoever opens "
               "the printed address, which holds a key; over HTTP unless --tls-cert-file is given");
  flags.Switch("--http", options.http, "Serve HTTP instead of HTTPS, on a loopback address");
  flags.Verbosity(options.verbosity);
  flags.LoggingFormat(options.logging_format);
}

std::unique_ptr<CLI::App> NewApp(Given& given) {
  auto app = std::make_unique<CLI::App>(
      "Serves the web pages: a plugin of the OpenShift console, or the pages by themselves.",
      "steward console");
  app->get_formatter()->column_width(36);
  AddFlags(*app, given);
  return app;
}

absl::Status Wrong(std::string_view why) { return absl::InvalidArgumentError(ToAbsl(why)); }

absl::Status CheckMode(const ConsoleOptions& options) {
  if (options.standalone) {
    if (options.kubeconfig.empty()) {
      return Wrong("--standalone needs --kubeconfig, which names the kube-apiserver");
    }
    if (!options.token_header.empty() && options.as_kubeconfig_user) {
      return Wrong("--token-header and --as-kubeconfig-user exclude one another");
    }
    if (!options.token_header.empty() && !http::IsFieldName(options.token_header)) {
      return Wrong(StrCat("--token-header: \"", options.token_header, "\" is not a header's name"));
    }
    return absl::OkStatus();
  }
  const std::pair<const char*, bool> only_standalone[] = {
      {"--kubeconfig", !options.kubeconfig.empty()},
      {"--context", !options.context.empty()},
      {"--token-header", !options.token_header.empty()},
      {"--as-kubeconfig-user", options.as_kubeconfig_user},
  };
  for (const auto& [flag, is_given] : only_standalone) {
    if (is_given) return Wrong(StrCat(flag, " needs --standalone"));
  }
  return absl::OkStatus();
}

absl::Status CheckAddress(const ConsoleOptions& options) {
  if (!IsIpAddress(options.bind_address)) {
    return Wrong(StrCat("--bind-address: \"", options.bind_address, "\" is not an IP address"));
  }
  const char* only_here = options.as_kubeconfig_user ? "--as-kubeconfig-user"
                          : options.http             ? "--http"
                                                     : nullptr;
  if (only_here != nullptr && !IsLoopbackAddress(options.bind_address)) {
    return Wrong(StrCat(only_here, " is for loopback addresses alone, and --bind-address is ",
                        options.bind_address));
  }
  return absl::OkStatus();
}

absl::Status Finish(ConsoleOptions& options) {
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty()) {
    return Wrong("--tls-cert-file and --tls-private-key-file must be given together");
  }
  if (options.http && !options.tls_cert_file.empty()) {
    return Wrong("--http and --tls-cert-file exclude one another");
  }
  RETURN_IF_ERROR(CheckMode(options));
  if (options.as_kubeconfig_user && options.tls_cert_file.empty()) options.http = true;
  if (options.bind_address.empty()) {
    options.bind_address = options.http || options.as_kubeconfig_user ? "127.0.0.1" : "0.0.0.0";
  }
  return CheckAddress(options);
}

}  // namespace

console::Authentication ConsoleOptions::authentication() const {
  if (as_kubeconfig_user) return console::Authentication::kKubeconfig;
  return token_header.empty() ? console::Authentication::kToken
                              : console::Authentication::kTokenHeader;
}

std::string ConsoleOptions::Url(int port) const {
  std::string host = bind_address;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = StrCat("[", host, "]");
  return StrCat(http ? "http" : "https", "://", host, ":", port, "/");
}

absl::StatusOr<ConsoleOptions> ParseConsoleOptions(const std::vector<std::string>& args) {
  Given given;
  const std::unique_ptr<CLI::App> app = NewApp(given);
  try {
    app->parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    ConsoleOptions help;
    help.help = true;
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  ASSIGN_OR_RETURN(given.options.tls, ParseTlsFlags(given.tls));
  RETURN_IF_ERROR(Finish(given.options));
  return std::move(given.options);
}

std::string ConsoleHelpText() {
  Given given;
  return NewApp(given)->help();
}

std::string DefaultConsoleFiles(const std::string& installed, const std::string& program) {
  std::error_code error;
  if (std::filesystem::is_directory(installed, error)) return installed;
  return (std::filesystem::path(program).parent_path() / "console").string();
}

}  // namespace steward
