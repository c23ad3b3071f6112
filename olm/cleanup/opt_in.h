// Confirmation of opt-ins: an opt-in counts only if an authorized user made it while the admission
// policy was in force (R-000-76). Pure functions.
#ifndef OLM_CLEANUP_OPT_IN_H_
#define OLM_CLEANUP_OPT_IN_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "olm/cleanup/facts.h"
#include "olm/csv_facts.h"

namespace steward::olm {

// After this time every API server enforces a new policy, with allowance for differing clocks.
inline constexpr absl::Duration kPolicySettles = absl::Seconds(60);
// After this time a policy is applied to every deletion. Shorter than kPolicySettles, as it
// confirms nothing: an earlier deletion is refused.
inline constexpr absl::Duration kDeletionsSettle = absl::Seconds(10);

// True when the label names the policy in force: an authorized user or the controllers set it,
// because the policy's UID could not be known before the policy existed. A possible copy has the
// label of its original, and is never confirmed.
bool IsConfirmed(const CsvFacts& csv, const PolicyFacts& policy);

// True when the policy is in force, and every API server enforces it.
bool IsSettled(const PolicyFacts& policy, absl::Time now);

// Proof that a ClusterServiceVersion existed without the finalizer while the policy was in force.
struct Sighting {
  std::string csv_uid;
  std::string policy_revision;
  bool operator==(const Sighting&) const = default;
};

// The sighting to remember of `csv`, which was read after `policy`; nullopt = none. `now` is the
// time when the policy was read.
std::optional<Sighting> Sight(const CsvFacts& csv, const PolicyFacts& policy, absl::Time now);

// True when the policy has judged the user who added the finalizer: the policy is in force, the
// object is no copy, and it was created after the policy had settled or has been seen without the
// finalizer since. `seen` may be null.
bool MayConfirm(const CsvFacts& csv, const PolicyFacts& policy, const Sighting* seen);

// An explanation of an unconfirmed opt-in, with a remedy.
std::string UnconfirmedMessage();

}  // namespace steward::olm

#endif  // OLM_CLEANUP_OPT_IN_H_
