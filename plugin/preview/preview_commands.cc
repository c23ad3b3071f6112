#include "plugin/preview/preview_commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/lint.h"
#include "plugin/bundle/requirements.h"
#include "plugin/command/arguments.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/preview/asked_preview.h"
#include "plugin/preview/preview_table.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

absl::Status Explain(const absl::Status& error) {
  if (kube::IsForbidden(error)) return Refused(ToStd(error.message()));
  if (kube::IsNotServed(error) || kube::IsUnsupported(error)) {
    return absl::NotFoundError("this cluster does not serve previews (planpreviews)");
  }
  if (kube::IsTooLarge(error)) {
    return Refused(StrCat("this is too large for one preview: ", ToStd(error.message()),
                          ". Make the InstallPlan without --approve, and ask about that: kubectl "
                          "steward preview plan"));
  }
  return error;
}

// Asks, shows the answer, and judges it.
StatusTask Preview(Session& session, json::object spec) {
  absl::StatusOr<AskedPreview> asked =
      co_await AskPreview(session.client, session.ns, std::move(spec));
  if (!asked.ok()) co_return Explain(asked.status());
  PreviewTableOptions options;
  options.wide = session.wide;
  ShowPreview(*asked, options, session.terminal);
  const bool clear = asked->IsClear();
  session.document["preview"] = std::move(asked->object);
  if (clear) co_return absl::OkStatus();
  co_return Forewarned("something would fail, or nobody can tell");
}

class PlanCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("PLAN", name_, "The InstallPlan")->required();
  }
  StatusTask Run(Session& session) override {
    json::object spec = {{"installPlan", {{"name", name_}}}};
    return Preview(session, std::move(spec));
  }

 private:
  std::string name_;
};

class BundleCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", path_, "The bundle's folder, with manifests/ and metadata/")->required();
  }
  StatusTask Run(Session& session) override;

 private:
  std::string path_;
};

StatusTask BundleCommand::Run(Session& session) {
  CO_ASSIGN_OR_RETURN(const BundleFolder folder, ReadBundleFolder(path_));
  CO_RETURN_IF_ERROR(WhyNotInstalled(folder));
  const absl::Status previewed = co_await Preview(session, folder.PreviewSpec());
  if (ExitOf(previewed) != Exit::kDone && ExitOf(previewed) != Exit::kForewarned) {
    co_return previewed;
  }
  const absl::StatusOr<std::vector<std::string>> unmet =
      co_await UnmetRequirements(session, folder);
  CO_RETURN_IF_ERROR(unmet.status());
  ShowUnmet(session, *unmet);
  if (unmet->empty()) co_return previewed;
  co_return Forewarned("the bundle needs what is not there");
}

class UninstallCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    AddCsvArgument(app, name_, "The ClusterServiceVersion of the operator")->required();
    FlagAdder flags(app);
    flags.Switch("--cleanup", cleanup_, "As if you opted in to cleanup");
    flags.Switch("--keep", keep_, "As if nobody had opted in to cleanup");
    app.get_option("--keep")->excludes("--cleanup");
  }
  StatusTask Run(Session& session) override {
    json::object uninstall = {{"clusterServiceVersion", name_}};
    if (cleanup_ || keep_) uninstall["cleanup"] = cleanup_;
    json::object spec = {{"uninstall", std::move(uninstall)}};
    return Preview(session, std::move(spec));
  }

 private:
  std::string name_;
  bool cleanup_ = false;
  bool keep_ = false;
};

class CopiedCsvsCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("CHOICE", choice_, "on or off")->required()->check(CLI::IsMember({"on", "off"}));
  }
  StatusTask Run(Session& session) override {
    json::object spec = {{"copiedCSVs", {{"enabled", choice_ == "on"}}}};
    return Preview(session, std::move(spec));
  }

 private:
  std::string choice_;
};

template <typename C>
KnownCommand Known(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .report = "PreviewReport",
          .forms = {"json", "yaml", "wide"},
          .make = [] { return std::make_unique<C>(); }};
}

}  // namespace

KnownCommand KnownPreviewPlan() {
  return Known<PlanCommand>("plan", "Say what would become of the steps of an InstallPlan");
}

KnownCommand KnownPreviewBundle() {
  return Known<BundleCommand>("bundle", "Say what installing a bundle would do, as you");
}

KnownCommand KnownPreviewUninstall() {
  return Known<UninstallCommand>(
      "uninstall", "Say what uninstalling an operator would do to its custom resources");
}

KnownCommand KnownPreviewCopiedCsvs() {
  return Known<CopiedCsvsCommand>("copied-csvs",
                                  "Say which copies turning them on or off would make or delete");
}

}  // namespace steward::plugin
