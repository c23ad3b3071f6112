#include "plugin/cleanup/uninstall_command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags/flag_adder.h"
#include "base/json/json_access.h"
#include "plugin/cleanup/preview.h"
#include "plugin/cleanup/uninstall.h"
#include "plugin/cluster/object_names.h"
#include "plugin/command/arguments.h"

namespace steward::plugin {
namespace {

std::string CheckNotEmpty(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

class UninstallCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override;
  StatusTask Run(Session& session) override;

 private:
  UninstallOptions options_;
  bool cleanup_ = false;
  bool keep_ = false;
  bool no_save_ = false;
};

void UninstallCommand::AddFlags(CLI::App& app) {
  AddCsvArgument(app, options_.csv.name, "The ClusterServiceVersion of the operator")->required();
  FlagAdder flags(app);
  flags.Switch("--cleanup", cleanup_,
               "Opt in to cleanup: the operator's custom resources are deleted before it goes");
  flags.Switch("--keep", keep_, "Keep its custom resources, also if somebody has opted in");
  app.get_option("--keep")->excludes("--cleanup");
  flags
      .Text("--save", options_.folder,
            "New folder to save custom resources to before they are deleted; else "
            "steward-saved/NAMESPACE/CSV-UID")
      ->check(CheckNotEmpty);
  flags.Switch("--no-save", no_save_, "Do not save what is deleted");
  app.get_option("--no-save")->excludes("--save");
  AddDryRunFlag(app, options_.dry_run, "Show what would be done, and whether it may be");
  flags.Switch("--ignore-not-found", options_.ignore_not_found,
               "It is no error if there is no such operator");
  AddWaitingFlags(app, options_.wait, options_.timeout);
}

StatusTask UninstallCommand::Run(Session& session) {
  options_.csv.ns = session.ns;
  if (cleanup_) options_.policy = OperandPolicy::kDelete;
  if (keep_) options_.policy = OperandPolicy::kKeep;
  options_.save = !no_save_;
  return Uninstall(session, options_);
}

// The objects that this run has deleted, as kubectl delete prints them.
std::vector<std::string> DeletedNames(const boost::json::object& document) {
  std::vector<std::string> names;
  if (const boost::json::array* related = ArrayAt(document, "deletedRelated")) {
    for (const boost::json::value& each : *related) {
      // The form is "Subscription ops/widgets".
      const std::string_view text = View(each.get_string());
      const size_t space = text.find(' ');
      names.push_back(OlmObjectName(text.substr(0, space), text.substr(text.rfind('/') + 1)));
    }
  }
  const boost::json::object* csv = ObjectAt(document, "clusterServiceVersion");
  if (csv != nullptr && BoolAt(document, "deletionRequested")) {
    names.push_back(OlmObjectName("ClusterServiceVersion", StringAt(*csv, "name")));
  }
  return names;
}

}  // namespace

KnownCommand KnownUninstall() {
  return {.name = "uninstall",
          .description = "Uninstall an operator; with --cleanup its custom resources, too",
          .report = "UninstallReport",
          .examples = {{"Show what an uninstallation would delete and keep",
                        "uninstall widgets.v1.2.3 -n operators --cleanup --dry-run"},
                       {"Uninstall an operator, and have its custom resources deleted before",
                        "uninstall widgets.v1.2.3 -n operators --cleanup"}},
          .asks = true,
          .names = DeletedNames,
          .make = [] { return std::make_unique<UninstallCommand>(); }};
}

}  // namespace steward::plugin
