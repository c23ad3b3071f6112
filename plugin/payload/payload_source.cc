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
#include "kube/client/rest_mapper.h"
#include "payload/record_store.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;

void PayloadCommand::AddFlags(CLI::App& app) {
  AddDirArgument(app, folder_);
  FlagAdder adder(app);
  payload::AddClusterFlags(adder, flags_);
  payload::AddPassFlags(adder, flags_);
}

StatusTask PayloadCommand::Run(Session& session) {
  const payload::PayloadOptions options = flags_.Options();
  CO_ASSIGN_OR_RETURN(const payload::Release release, ReadFolder(folder_, options));
  kube::RestMapper mapper(session.client, session.clock);
  payload::RecordStore record(session.client, options.record_namespace);
  const payload::PassDeps deps = {session.client, mapper, session.clock, record};
  co_return co_await Work(session, deps, release, options);
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
