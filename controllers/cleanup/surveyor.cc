#include "controllers/cleanup/surveyor.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/cleanup/pass_reporter.h"
#include "controllers/cleanup/reporting/report.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/status.h"
#include "olm/cleanup/verdict.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

VoidTask Surveyor::Survey(CleanupPass& pass) {
  const bool ended = pass.csv().rights_released.has_value();
  const bool unknown = pass.verdict.kind == olm::CleanupVerdictKind::kUnknown;
  if (!ended && (unknown || (pass.verdict.allowed() && !pass.step.recorded))) co_return;
  if (pass.step.may_have_sent) co_await ListPending(pass);
  pass.holds = co_await holds_.Look(pass.csv().key);
  if (!pass.holds.ok()) co_return;
  if (olm::NeedsPending(pass.csv(), pass.step) && pass.report.waits()) {
    const absl::Status held = co_await holds_.Hold(pass.csv(), *pass.holds);
    if (!held.ok()) {
      log::Warning("Rights could not be held", {{"csv", pass.csv().key.name}, {"err", held}});
    }
  }
  pass.report.rights.emplace();
  std::optional<olm::CleanupCondition> said = olm::RightsCondition(
      pass.csv(), olm::HasCondition(ConditionsOf(pass.guards.csv), olm::kRightsHeld),
      pass.holds->facts());
  if (said.has_value()) pass.report.rights->push_back(*std::move(said));
}

VoidTask Surveyor::ListPending(CleanupPass& pass) {
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  const olm::Read<olm::TargetSet> drain = olm::DrainTargets(inputs);
  if (!drain.ok()) {
    pass.listing = absl::UnavailableError(StrCat("targets: ", drain.why()));
    co_return;
  }
  std::vector<olm::CrdPlan> plans = olm::PlanCleanup(inputs, pass.verdict.targets, *drain);
  pass.listing = co_await ListOperands(client_, std::move(plans));
  if (!pass.listing.ok()) co_return;
  Count(*pass.listing, pass.report);
  if (pass.memory.stall.NoteListing(pass.listing->pending(), clock_.Monotonic())) {
    pass.memory.looks = 0;
  }
  if (!pass.report.waits()) co_return;
  pass.memory.reported =
      co_await reporter_.AskOperator(inputs.csv->key, std::move(pass.memory.reported));
  pass.report.reported = pass.memory.reported;
}

}  // namespace steward::controllers
