#include "plugin/payload/lint.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/payload/hints.h"
#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"
#include "payload/payload_folder.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

class LintCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", folder_,
                   "Folder of the payload: manifests/ and release-manifests/, or the files")
        ->required();
    FlagAdder flags(app);
    flags.Switch("--strict", strict_, "Hints are errors, too");
    flags.Text("--cluster-profile", choices_.profile,
               "Profile of the clusters for which the hints are");
    flags.Text("--feature-set", choices_.feature_set, "Their feature set; else Default");
  }

  StatusTask Run(Session& session) override {
    const absl::StatusOr<payload::Release> release = payload::ReadPayloadFolder(folder_);
    if (!release.ok()) co_return Misused(ToStd(release.status().message()));
    const olm::Payload& payload = release->payload;
    const std::vector<olm::PayloadFault> hints = olm::HintsOf(payload.manifests, choices_);
    json::array findings;
    for (const olm::PayloadFault& fault : payload.faults) {
      Show(session, fault, "error", findings);
    }
    for (const olm::PayloadFault& hint : hints) Show(session, hint, "hint", findings);
    session.document["findings"] = std::move(findings);
    const auto deleted = std::count_if(payload.manifests.begin(), payload.manifests.end(),
                                       [](const auto& each) { return each.deletes; });
    session.document["manifests"] = payload.manifests.size();
    session.document["deleted"] = deleted;
    const size_t errors = payload.faults.size() + (strict_ ? hints.size() : 0);
    if (errors > 0) {
      co_return absl::InvalidArgumentError(StrCat("the payload has ",
                                                  CountText(static_cast<int64_t>(errors), "error"),
                                                  ": nothing of it would be applied or deleted"));
    }
    session.terminal.Line(
        StrCat("The payload is in order: ",
               CountText(static_cast<int64_t>(payload.manifests.size()), "manifest"), ", ", deleted,
               deleted == 1 ? " of which deletes its object" : " of which delete their objects"));
    co_return absl::OkStatus();
  }

 private:
  void Show(Session& session, const olm::PayloadFault& fault, const std::string& severity,
            json::array& findings) const {
    const bool fails = strict_ || severity == "error";
    session.terminal.Line(StrCat(fault.where, ": ", severity, ": ", fault.what),
                          fails ? Style::kBad : Style::kWarning);
    findings.push_back(
        json::object{{"where", fault.where}, {"severity", severity}, {"message", fault.what}});
  }

  std::string folder_;
  bool strict_ = false;
  olm::ClusterChoices choices_;
};

}  // namespace

KnownCommand KnownPayloadLint() {
  return {.name = "lint",
          .description = "Say what is wrong with a payload, or probably not meant",
          .report = "PayloadLint",
          .needs_cluster = false,
          .make = [] { return std::make_unique<LintCommand>(); }};
}

}  // namespace steward::plugin
