#include "plugin/payload/lint.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/payload/contradictions.h"
#include "olm/payload/hints.h"
#include "olm/payload/payload.h"
#include "payload/payload_flags.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "plugin/payload/payload_source.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

constexpr char kAnyVersion[] = "0.0.0";

class LintCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    AddDirArgument(app, folder_);
    FlagAdder adder(app);
    adder.Switch("--strict", strict_, "Hints are errors, too");
    payload::AddVersionFlag(adder, flags_);
    payload::AddClusterFlags(adder, flags_);
  }

  absl::Status Check(const CommonFlags&) const override { return flags_.Check(); }

  StatusTask Run(Session& session) override {
    payload::PayloadOptions options = flags_.Options();
    CO_ASSIGN_OR_RETURN(const payload::Release release, ReadFolder(folder_, options));
    const bool has_version = !payload::VersionOf(release, options).empty();
    // A payload that is not released yet needs no version.
    if (!has_version) options.version = kAnyVersion;
    std::vector<olm::PayloadFault> faults = payload::FaultsOf(release, options);
    const std::vector<olm::PayloadManifest>& manifests = release.payload.manifests;
    const std::vector<olm::PayloadFault> more =
        olm::ContradictionsAnywhere(manifests, options.choices);
    faults.insert(faults.end(), more.begin(), more.end());
    std::vector<olm::PayloadFault> hints = olm::HintsOf(manifests, options.choices);
    if (!has_version) {
      hints.push_back({"release-metadata",
                       "there is no such file: whoever previews or applies the payload has to say "
                       "--payload-version, as can be done here"});
    }
    ShowFindings(session, faults, "error", Style::kBad);
    ShowFindings(session, hints, "hint", strict_ ? Style::kBad : Style::kWarning);
    const auto deleted = std::count_if(manifests.begin(), manifests.end(),
                                       [](const auto& each) { return each.deletes; });
    session.document["manifests"] = manifests.size();
    session.document["deleted"] = deleted;
    const size_t errors = faults.size() + (strict_ ? hints.size() : 0);
    if (errors > 0) co_return Unusable(errors);
    session.terminal.Line(StrCat(
        "The payload is in order: ", CountText(static_cast<int64_t>(manifests.size()), "manifest"),
        ", ", deleted,
        deleted == 1 ? " of which deletes its object" : " of which delete their objects"));
    co_return absl::OkStatus();
  }

 private:
  std::string folder_;
  bool strict_ = false;
  payload::PayloadFlags flags_;
};

}  // namespace

KnownCommand KnownPayloadLint() {
  return {.name = "lint",
          .description = "Say what is wrong with a payload, or probably not meant",
          .report = "PayloadLint",
          .examples = {{"Check a release's manifests", "payload lint ./release-manifests"}},
          .needs_cluster = false,
          .make = [] { return std::make_unique<LintCommand>(); }};
}

}  // namespace steward::plugin
