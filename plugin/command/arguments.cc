#include "plugin/command/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/flags/flag_adder.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::plugin {
namespace {

std::string CheckName(const std::string& text) {
  return kube::IsDns1123Subdomain(text) ? "" : StrCat("\"", text, "\" is no object's name");
}

}  // namespace

CLI::Option* AddCsvArgument(CLI::App& app, std::string& name, const char* help) {
  return app.add_option("CSV", name, help)->check(CheckName)->type_name("");
}

void AddWaitingFlags(CLI::App& app, bool& wait, absl::Duration& timeout) {
  FlagAdder flags(app);
  flags.Switch("--wait", wait, "Wait until it is over");
  flags.Duration("--timeout", timeout, "How long to wait at most; 0s: as long as it takes");
}

}  // namespace steward::plugin
