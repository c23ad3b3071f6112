#include "plugin/command/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/flags/flag_adder.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::plugin {
namespace {

// True for a kind as kubectl accepts it: "csv", "csvs",
// "clusterserviceversion.operators.coreos.com", ...
bool NamesCsvs(std::string_view kind) {
  constexpr std::string_view kGroup = ".operators.coreos.com";
  if (kind.ends_with(kGroup)) kind.remove_suffix(kGroup.size());
  return kind == "csv" || kind == "csvs" || kind == "clusterserviceversion" ||
         kind == "clusterserviceversions";
}

// Reduces "csv/NAME" to the name. Returns "", or the error as CLI11's checks do.
std::string ReadName(std::string& text) {
  const size_t slash = text.find('/');
  if (slash != std::string::npos && NamesCsvs(std::string_view(text).substr(0, slash))) {
    text.erase(0, slash + 1);
  }
  return kube::IsDns1123Subdomain(text) ? "" : StrCat("\"", text, "\" is no object's name");
}

CLI::Validator NameReader() {
  CLI::Validator reader("");
  reader.operation(ReadName).non_modifying(false);
  return reader;
}

}  // namespace

CLI::Option* AddCsvArgument(CLI::App& app, std::string& name, const char* help) {
  return app.add_option("CSV", name, help)->transform(NameReader())->type_name("");
}

CLI::Option* AddCsvArguments(CLI::App& app, std::vector<std::string>& names, const char* help) {
  return app.add_option("CSV", names, help)->transform(NameReader())->type_name("");
}

void AddDryRunFlag(CLI::App& app, bool& dry_run, const char* help) {
  app.add_option_function<std::string>(
         "--dry-run",
         [&dry_run](const std::string& value) {
           if (value != "true" && value != "client" && value != "server" && value != "none" &&
               value != "false") {
             throw CLI::ValidationError("--dry-run", "it is none, client or server");
           }
           dry_run = value != "none" && value != "false";
         },
         help)
      ->expected(0)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("");
}

void AddAllNamespacesFlag(CLI::App& app, bool& all, const char* help) {
  FlagAdder(app).Switch("-A,--all-namespaces", all, help);
}

void AddWaitingFlags(CLI::App& app, bool& wait, absl::Duration& timeout) {
  FlagAdder flags(app);
  flags.Switch("--wait", wait, "Wait until it is over");
  flags.Duration("--timeout", timeout, "How long to wait at most; 0s: as long as it takes");
}

}  // namespace steward::plugin
