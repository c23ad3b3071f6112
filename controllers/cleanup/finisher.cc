#include "controllers/cleanup/finisher.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/utf8.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/reporting/report.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/status.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"
#include "olm/copy.h"

namespace steward::controllers {

Task<bool> Finisher::ReleaseRights(CleanupPass& pass) {
  const bool first = !pass.csv().rights_released.has_value();
  if (first) {
    std::string why = pass.verdict.allowed() ? std::string(olm::kCompleted)
                                             : StrCat("Refused: ", Describe(pass.verdict.blockers));
    CO_ASSIGN_OR_RETURN(
        const bool written,
        co_await writer_.Annotate(pass.csv(), olm::kRightsReleasedAnnotation,
                                  std::string(CutUtf8(why, olm::kMaxConditionMessage))));
    if (!written) co_return true;  // the object changed: look again at once
  }
  CO_RETURN_IF_ERROR(co_await holds_.Release(*pass.holds));
  co_return first;
}

Task<bool> Finisher::Finish(CleanupPass& pass) {
  if (!pass.verdict.allowed()) {
    CO_ASSIGN_OR_RETURN(const bool marked, co_await co_owners_.Mark(pass.guards.inputs));
    if (!marked) co_return false;
  }
  std::vector<std::string_view> gone = {olm::kCleanupFinalizer};
  CO_ASSIGN_OR_RETURN(const bool removed,
                      co_await writer_.RemoveFinalizers(pass.csv(), std::move(gone)));
  if (removed) Tell(pass);
  co_return removed;
}

Task<bool> Finisher::Abort(const olm::CsvFacts& csv) {
  olm::CleanupInputs inputs;
  inputs.csv = olm::Read<olm::CsvFacts>::Ok(csv);
  absl::StatusOr<bool> done = co_await co_owners_.Mark(inputs);
  if (done.ok() && *done) {
    std::vector<std::string_view> gone = {olm::kCleanupFinalizer};
    done = co_await writer_.RemoveFinalizers(csv, std::move(gone));
  }
  if (!done.ok()) {
    reporter_.Event(csv, EventType::kWarning, olm::kCleanupStalled,
                    StrCat("the finalizer could not be removed: ", Describe(done.status())));
  } else if (*done) {
    // Release the rights only now. If they went earlier and cleanup were enabled again meanwhile,
    // no operator could finish the operands that it deletes.
    co_await LetGoOf(csv.key);
    reporter_.Event(csv, EventType::kNormal, "CleanupAborted",
                    "spec.cleanup.enabled is not true: custom resources are left as they are");
    reporter_.Finished("aborted");
  }
  co_return done;
}

VoidTask Finisher::LetGoOf(kube::NamespacedName csv) {
  const absl::StatusOr<HoldState> state = co_await holds_.Look(csv);
  absl::Status released = state.status();
  if (state.ok()) released = co_await holds_.Release(*state);
  if (released.ok()) co_return;
  log::Warning("An operator's rights are still held", {{"csv", csv.name}, {"err", released}});
}

void Finisher::Tell(const CleanupPass& pass) {
  const olm::CsvFacts& csv = pass.csv();
  const std::string left = pass.listing.ok()         ? DescribeLeft(*pass.listing)
                           : pass.step.may_have_sent ? StrCat("what is left is not known: ",
                                                              Describe(pass.listing.status()))
                                                     : "";
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  const std::optional<olm::CleanupRecord> record = olm::RecordOf(inputs);
  if (pass.verdict.allowed() || (csv.rights_released == olm::kCompleted && record.has_value())) {
    const olm::TargetSet targets = olm::EffectiveTargets(inputs);
    reporter_.Event(csv, left.empty() ? EventType::kNormal : EventType::kWarning,
                    "CleanupCompleted",
                    StrCat(DescribeEnd(pass.memory.stall.deleted(), pass.memory.wrote_record,
                                       olm::PlanCleanup(inputs, targets, targets),
                                       record.has_value() ? record->targets : targets, targets),
                           left.empty() ? "" : "; ", left));
    reporter_.Finished("completed");
    return;
  }
  const bool abandoned = pass.step.nobody_can_finish && !left.empty();
  const std::string why =
      StrCat("custom resources are left as they are: ", Describe(pass.verdict.blockers),
             left.empty() ? "" : "; ", left);
  // No event can be recorded in a namespace that is being deleted.
  if (abandoned) log::Warning("A cleanup was given up", {{"csv", csv.key.name}, {"why", why}});
  reporter_.Event(csv, EventType::kWarning, olm::kCleanupRefused, why);
  reporter_.Finished(abandoned ? "abandoned" : "refused");
}

}  // namespace steward::controllers
