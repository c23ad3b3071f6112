#include "controllers/cleanup/opt_ins/opt_in_confirmer.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "olm/cleanup/read.h"

namespace steward::controllers {

OptInConfirmer::OptInConfirmer(kube::Client& client, CsvLister& csvs, CsvWriter& writer,
                               CleanupMetrics& metrics, Clock& clock, const GuardOptions& options)
    : csvs_(csvs),
      writer_(writer),
      metrics_(metrics),
      clock_(clock),
      wanted_(!options.allow_unprotected),
      protection_(client, options.width) {}

Task<bool> OptInConfirmer::Confirm(olm::CsvFacts csv) {
  if (!wanted_) co_return false;
  const olm::Read<olm::ProtectionFacts> protection = co_await protection_.Look();
  if (!protection.ok()) co_return absl::UnavailableError(protection.why());
  co_return co_await ConfirmBy(protection->opt_in, std::move(csv));
}

Task<bool> OptInConfirmer::ConfirmBy(olm::PolicyFacts policy, olm::CsvFacts csv) {
  // Without a policy nothing is cleaned up anyway.
  if (!wanted_ || !policy.bound) co_return false;
  const OptInState state = opt_ins_.Judge(csv, policy);
  metrics_.SetUnconfirmedOptIns(opt_ins_.unconfirmed());
  if (state != OptInState::kMayBeConfirmed) co_return false;
  CO_RETURN_IF_ERROR((co_await writer_.Label(csv, olm::kConfirmedLabel, policy.proof)).status());
  co_return true;
}

VoidTask OptInConfirmer::NoteWithout(kube::NamespacedName csv) {
  if (!wanted_) co_return;
  // Read the policy first, so that it was in force before the object is read.
  const olm::Read<olm::ProtectionFacts> protection = co_await protection_.Look();
  const absl::Time now = clock_.Now();
  if (!protection.ok()) co_return;
  const absl::StatusOr<std::optional<olm::CsvFacts>> facts = co_await csvs_.Find(std::move(csv));
  if (facts.ok() && facts->has_value()) opt_ins_.Note(**facts, protection->opt_in, now);
}

Task<std::set<kube::NamespacedName>> OptInConfirmer::NoteAll() {
  std::set<kube::NamespacedName> opted_in;
  if (!wanted_) co_return std::move(opted_in);
  const olm::Read<olm::ProtectionFacts> protection = co_await protection_.Look();
  const absl::Time now = clock_.Now();
  if (!protection.ok()) co_return absl::UnavailableError(protection.why());
  if (!opt_ins_.WantsAll(protection->opt_in, now)) co_return std::move(opted_in);
  CO_ASSIGN_OR_RETURN(const CsvListing listing, co_await csvs_.List(CopyReading::kIgnored));
  for (const olm::CsvFacts& csv : listing.csvs) {
    opt_ins_.Note(csv, protection->opt_in, now);
    if (csv.OptedIn()) opted_in.insert(csv.key);
  }
  opt_ins_.NotedAll(protection->opt_in);
  co_return std::move(opted_in);
}

void OptInConfirmer::Forget(const kube::NamespacedName& csv) {
  opt_ins_.Forget(csv);
  metrics_.SetUnconfirmedOptIns(opt_ins_.unconfirmed());
}

}  // namespace steward::controllers
