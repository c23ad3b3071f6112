#include "cmd/steward/up_options.h"

#include <arpa/inet.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "absl/status/status.h"
#include "base/flags/go_arguments.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

// In CLI11's convention: what is wrong, or "".
std::string IsIpAddress(const std::string& text) {
  in6_addr ignored;
  const bool is = inet_pton(AF_INET, text.c_str(), &ignored) == 1 ||
                  inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
  return is ? "" : StrCat("\"", text, "\" is not an IP address");
}

std::string IsNotEmpty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

void AddFlags(CLI::App& app, UpOptions& options) {
  const auto text = [&app](const char* name, std::string& value, const char* help) {
    return app.add_option(name, value, help)->capture_default_str()->type_name("STRING");
  };
  text("--data-dir", options.data_dir,
       "Directory that everything is kept in; made when it is absent")
      ->check(IsNotEmpty);
  app.add_option("--load", options.load,
                 "File or folder of YAML or JSON manifests to load before being ready; may be "
                 "repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PATH");
  app.add_flag("--strict", options.strict,
               "Load nothing, and end, if any manifest cannot be used; else such are skipped "
               "[false]");
  app.add_flag("--exit-after-load", options.exit_after_load,
               "End once everything is loaded and ready [false]");
  text("--bind-address", options.bind_address, "IP address to listen on")->check(IsIpAddress);
  app.add_option("--secure-port", options.secure_port,
                 "Port to serve HTTPS on; 0: one that is free")
      ->capture_default_str()
      ->type_name("INT")
      ->check(CLI::Range(0, 65535));
  text("--kubeconfig", options.kubeconfig,
       "File to write an administrator's kubeconfig to; empty: kubeconfig in --data-dir");
  app.add_option("-v,--v", options.verbosity, "How much to log: 0 to 10")
      ->capture_default_str()
      ->type_name("INT")
      ->check(CLI::Range(0, 10));
}

std::unique_ptr<CLI::App> NewApp(UpOptions& options) {
  auto app = std::make_unique<CLI::App>(
      "Serves stored objects and the virtual resources made from them, without a cluster.",
      "steward up");
  app->get_formatter()->column_width(36);
  AddFlags(*app, options);
  return app;
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

absl::StatusOr<UpOptions> ParseUpOptions(const std::vector<std::string>& args) {
  UpOptions options;
  const std::unique_ptr<CLI::App> app = NewApp(options);
  try {
    app->parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    UpOptions help;
    help.help = true;
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return options;
}

std::string UpHelpText() {
  UpOptions options;
  return NewApp(options)->help();
}

}  // namespace steward
