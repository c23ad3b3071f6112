#include "controllers/cleanup/rights/hold_pass.h"

#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/copy.h"

namespace steward::controllers {

Task<ReconcileResult> HoldPass::Run(olm::CsvFacts csv, kube::RawObject raw) {
  if (!olm::WantsHolds(csv)) {
    if (!csv.HasFinalizer(olm::kCleanupFinalizer)) co_await opt_ins_.NoteWithout(csv.key);
    // Clear the conditions of an earlier opt-in, so that they do not apply to a later one.
    if (raw.json.find(olm::kRightsHeld) == std::string_view::npos &&
        raw.json.find(olm::kOptInUnconfirmed) == std::string_view::npos) {
      co_return ReconcileResult::Done();
    }
    co_return co_await Tell(csv, raw, {});
  }
  CO_ASSIGN_OR_RETURN(const HoldState state, co_await holds_.Look(csv.key));
  // Read the object after the rights, as NextHoldAction requires.
  absl::StatusOr<kube::RawObject> now = co_await client_.Get(kCsvs, csv.key);
  if (kube::IsNotFound(now.status(), csv.key.name)) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(now.status());
  CO_ASSIGN_OR_RETURN(csv, olm::DecodeCsvFacts(now->json, terms_));
  if (csv.deleting()) co_return ReconcileResult::Requeue();
  CO_RETURN_IF_ERROR(co_await holds_.Hold(csv, state));
  CO_ASSIGN_OR_RETURN(const bool changed, co_await opt_ins_.Confirm(csv));
  if (changed) co_return ReconcileResult::Requeue();
  // List again, so that the report shows the present state.
  CO_ASSIGN_OR_RETURN(const HoldState after, co_await holds_.Look(csv.key));
  co_return co_await Tell(csv, *now, after.facts());
}

Task<ReconcileResult> HoldPass::Tell(olm::CsvFacts csv, kube::RawObject raw,
                                     std::vector<olm::ObjectFacts> held) {
  CO_ASSIGN_OR_RETURN(const boost::json::value object, ParseJson(raw.json));
  CO_ASSIGN_OR_RETURN(
      const bool told,
      co_await reporter_.TellRights(csv, object, std::move(held), opt_ins_.IsUnconfirmed(csv.key)));
  co_return told ? ReconcileResult::Done() : ReconcileResult::After(absl::Seconds(1));
}

}  // namespace steward::controllers
