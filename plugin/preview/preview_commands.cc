#include "plugin/preview/preview_commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "olm/preview/preview.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/lint.h"
#include "plugin/command/arguments.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/preview/asked_preview.h"
#include "plugin/preview/preview_diff.h"
#include "plugin/preview/preview_table.h"
#include "plugin/preview/subscribed_plan.h"
#include "plugin/preview/uninstall_steps.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

absl::Status Explain(const absl::Status& error) {
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

// Shows the answer (`diff`: as a diff), and returns Forewarned unless it is clear.
absl::Status Show(Session& session, AskedPreview asked, bool diff = false) {
  if (diff) {
    ShowDiff(asked.said, session.terminal);
    ShowSummary(asked.said, session.terminal);
  } else {
    PreviewTableOptions options;
    options.wide = session.wide;
    ShowPreview(asked.said, options, session.terminal);
  }
  const bool clear = IsClear(asked.said);
  const olm::PlanCondition& condition = asked.said.condition;
  const std::string why = condition.executable || condition.reason.empty()
                              ? "something would fail, or nobody can tell"
                              : StrCat("it would not happen as shown: ", condition.reason);
  session.document["preview"] = std::move(asked.object);
  return clear ? absl::OkStatus() : Forewarned(why);
}

// Asks for the preview, shows it, and returns Forewarned unless it is clear.
StatusTask Preview(Session& session, json::object spec, bool diff = false) {
  absl::StatusOr<AskedPreview> asked =
      co_await AskPreview(session.client, session.ns, std::move(spec));
  if (!asked.ok()) co_return Explain(asked.status());
  co_return Show(session, *std::move(asked), diff);
}

void AddDiffFlag(CLI::App& app, bool& diff) {
  FlagAdder(app).Switch("--diff", diff, "Show what is created and changed as kubectl diff does");
}

class PlanCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("PLAN", name_, "The InstallPlan")->required();
    AddDiffFlag(app, diff_);
  }
  StatusTask Run(Session& session) override {
    json::object spec = {{"installPlan", {{"name", name_}}}};
    return Preview(session, std::move(spec), diff_);
  }

 private:
  std::string name_;
  bool diff_ = false;
};

class SubscriptionCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("SUBSCRIPTION", name_, "The Subscription")->required();
    AddDiffFlag(app, diff_);
  }
  StatusTask Run(Session& session) override;

 private:
  std::string name_;
  bool diff_ = false;
};

StatusTask SubscriptionCommand::Run(Session& session) {
  CO_ASSIGN_OR_RETURN(const std::string plan, co_await FindSubscribedPlan(session, name_));
  if (plan.empty()) co_return absl::OkStatus();
  json::object spec = {{"installPlan", {{"name", plan}}}};
  co_return co_await Preview(session, std::move(spec), diff_);
}

class BundleCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", path_, "The bundle's folder, with manifests/ and metadata/")->required();
    AddDiffFlag(app, diff_);
  }
  StatusTask Run(Session& session) override;

 private:
  std::string path_;
  bool diff_ = false;
};

StatusTask BundleCommand::Run(Session& session) {
  CO_ASSIGN_OR_RETURN(const BundleFolder folder, ReadBundleFolder(path_));
  CO_RETURN_IF_ERROR(WhyNotInstalled(folder));
  co_return co_await Preview(session, folder.PreviewSpec(), diff_);
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
    absl::StatusOr<AskedPreview> asked =
        co_await AskPreview(session.client, session.ns, std::move(spec));
    if (!asked.ok()) co_return Explain(asked.status());
    kube::NamespacedName csv = {session.ns, name_};
    co_await AddWhatGoesAlong(session.client, std::move(csv), *asked);
    co_return Show(session, *std::move(asked));
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
KnownCommand Known(std::string name, std::string description, Example example) {
  return {.name = std::move(name),
          .description = std::move(description),
          .report = "PreviewReport",
          .examples = {std::move(example)},
          .make = [] { return std::make_unique<C>(); }};
}

}  // namespace

KnownCommand KnownPreviewPlan() {
  return Known<PlanCommand>(
      "plan", "Say what would become of the steps of an InstallPlan",
      {"Before a plan is approved", "preview plan install-abcde -n operators"});
}

KnownCommand KnownPreviewSubscription() {
  return Known<SubscriptionCommand>(
      "subscription", "Say what would become of the InstallPlan that a Subscription waits for",
      {"Before an update is approved", "preview subscription widgets -n operators"});
}

KnownCommand KnownPreviewBundle() {
  return Known<BundleCommand>("bundle", "Say what installing a bundle would do, as you",
                              {"Before it is installed", "preview bundle ./bundle -n operators"});
}

KnownCommand KnownPreviewUninstall() {
  return Known<UninstallCommand>(
      "uninstall", "Say what uninstalling an operator would delete, and what it would leave",
      {"Before it is uninstalled", "preview uninstall widgets.v1.2.3 -n operators"});
}

KnownCommand KnownPreviewCopiedCsvs() {
  return Known<CopiedCsvsCommand>("copied-csvs",
                                  "Say which copies turning them on or off would make or delete",
                                  {"Before copies are turned off", "preview copied-csvs off"});
}

}  // namespace steward::plugin
