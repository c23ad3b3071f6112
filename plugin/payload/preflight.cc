#include "plugin/payload/preflight.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/array.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/payload/removal.h"
#include "payload/payload_flags.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "payload/record_store.h"
#include "payload/rights.h"
#include "plugin/payload/payload_source.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

// Names the update or installation that the plan would begin.
std::string BeginningOf(const payload::PassPlan& plan, const std::string& from) {
  if (from.empty()) return StrCat("the first payload, ", plan.version, ",");
  return StrCat("the update from ", from, " to ", plan.version);
}

// Says whether the plan may begin, and why not.
absl::Status Conclude(Session& session, const payload::PassPlan& plan, const std::string& from,
                      const std::vector<std::string>& missing, bool forced) {
  std::vector<std::string> reasons;
  std::vector<std::string> warnings;
  for (const std::string& each : plan.preconditions) {
    session.terminal.Line(StrCat(forced ? "warning: " : "refused: ", each),
                          forced ? Style::kWarning : Style::kBad);
    (forced ? warnings : reasons).push_back(each);
  }
  // No flag overrides missing rights.
  for (const std::string& each : missing) {
    reasons.push_back(StrCat("a right is missing: ", each));
    session.terminal.Line(StrCat("refused: ", reasons.back()), Style::kBad);
  }
  session.document["from"] = from;
  session.document["to"] = plan.version;
  session.document["reasons"] = json::array(reasons.begin(), reasons.end());
  session.document["warnings"] = json::array(warnings.begin(), warnings.end());
  const std::string beginning = BeginningOf(plan, from);
  if (!reasons.empty()) {
    return absl::FailedPreconditionError(
        StrCat(beginning, " may not begin, for ",
               CountText(static_cast<int64_t>(reasons.size()), "reason")));
  }
  if (plan.begins) {
    session.terminal.Line(StrCat("It is allowed: ", beginning, " may begin"), Style::kGood);
  } else if (plan.state == olm::PayloadState::kReconciling) {
    session.terminal.Line(StrCat("The cluster has the payload ", plan.version, " already"));
  } else {
    session.terminal.Line(StrCat("The payload ", plan.version, " has begun already"));
  }
  return absl::OkStatus();
}

class PreflightCommand : public PayloadCommand {
 public:
  void AddFlags(CLI::App& app) override {
    PayloadCommand::AddFlags(app);
    FlagAdder adder(app);
    payload::AddForceFlag(adder, flags(), "--force");
  }

 protected:
  StatusTask Work(Session& session, const payload::PassDeps& deps, const payload::Release& release,
                  const payload::PayloadOptions& options) override {
    CO_RETURN_IF_ERROR(co_await deps.record.Load());
    CO_ASSIGN_OR_RETURN(const payload::PassPlan plan,
                        co_await payload::MakePassPlan(deps, release, options));
    CO_RETURN_IF_ERROR(RefuseFaults(session, plan.faults));
    std::vector<std::string> missing;
    if (plan.state != olm::PayloadState::kReconciling) {
      const bool deletes = plan.state == olm::PayloadState::kUpdating;
      CO_ASSIGN_OR_RETURN(missing, co_await payload::FindMissingRights(deps.client, deps.mapper,
                                                                       plan.included, deletes));
    }
    co_return Conclude(session, plan, deps.record.record().version, missing, options.force);
  }
};

}  // namespace

KnownCommand KnownPayloadPreflight() {
  return {
      .name = "preflight",
      .description = "Say whether the update to a payload may begin",
      .report = "PayloadPreflight",
      .examples = {{"Ask whether an update may begin", "payload preflight ./release-manifests"}},
      .make = [] { return std::make_unique<PreflightCommand>(); }};
}

}  // namespace steward::plugin
