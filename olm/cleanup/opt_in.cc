#include "olm/cleanup/opt_in.h"

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "olm/copy.h"

namespace steward::olm {

bool IsConfirmed(const CsvFacts& csv, const PolicyFacts& policy) {
  return policy.bound && !policy.proof.empty() && !csv.MayBeCopy() && csv.confirmed == policy.proof;
}

bool IsSettled(const PolicyFacts& policy, absl::Time now) {
  return policy.bound && now > policy.since + kPolicySettles;
}

std::optional<Sighting> Sight(const CsvFacts& csv, const PolicyFacts& policy, absl::Time now) {
  if (!IsSettled(policy, now) || csv.uid.empty()) return std::nullopt;
  if (csv.HasFinalizer(kCleanupFinalizer)) return std::nullopt;
  return Sighting{csv.uid, policy.revision};
}

bool MayConfirm(const CsvFacts& csv, const PolicyFacts& policy, const Sighting* seen) {
  if (!policy.bound || policy.proof.empty() || csv.MayBeCopy()) return false;
  if (!csv.HasFinalizer(kCleanupFinalizer)) return false;
  if (seen != nullptr && *seen == Sighting{csv.uid, policy.revision}) return true;
  const absl::StatusOr<absl::Time> created = kube::ParseRfc3339(csv.creation_timestamp);
  return created.ok() && *created > policy.since + kPolicySettles;
}

std::string UnconfirmedMessage() {
  return StrCat("nobody knows whether who added finalizer ", kCleanupFinalizer,
                " was allowed to; somebody who may opt in has to take it off and add it again");
}

}  // namespace steward::olm
