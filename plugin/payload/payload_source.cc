#include "plugin/payload/payload_source.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>

#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;

void PayloadSource::AddTo(CLI::App& app) {
  AddDirArgument(app, folder);
  FlagAdder adder(app);
  payload::AddClusterFlags(adder, flags);
  payload::AddPassFlags(adder, flags);
}

void AddDirArgument(CLI::App& app, std::string& folder) {
  app.add_option("DIR", folder,
                 "Folder of the payload: manifests/ and release-manifests/, or the files")
      ->required();
}

absl::StatusOr<payload::Release> ReadFolder(const std::string& folder,
                                            const payload::PayloadOptions& options) {
  absl::StatusOr<payload::Release> release =
      payload::ReadPayloadFolder(folder, payload::TemplateFieldsOf(options));
  if (!release.ok()) return Misused(ToStd(release.status().message()));
  return release;
}

absl::Status RefuseFaults(Session& session, const std::vector<olm::PayloadFault>& faults) {
  if (faults.empty()) return absl::OkStatus();
  ShowFindings(session, faults, "error", Style::kBad);
  return Unusable(faults.size());
}

void ShowFindings(Session& session, const std::vector<olm::PayloadFault>& findings,
                  std::string_view severity, Style style) {
  json::array& list = session.document.emplace("findings", json::array()).first->value().as_array();
  for (const olm::PayloadFault& each : findings) {
    session.terminal.Line(StrCat(each.where, ": ", severity, ": ", each.what), style);
    list.push_back(
        json::object{{"where", each.where}, {"severity", severity}, {"message", each.what}});
  }
}

absl::Status Unusable(size_t faults) {
  return absl::InvalidArgumentError(StrCat("the payload has ",
                                           CountText(static_cast<int64_t>(faults), "error"),
                                           ": nothing of it is applied or deleted"));
}

}  // namespace steward::plugin
