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

// The time after which every API server enforces a new policy, with an allowance for differing
// clocks.
inline constexpr absl::Duration kPolicySettles = absl::Seconds(60);
// The time after which a policy is applied to every deletion. May be shorter than kPolicySettles,
// because it confirms no opt-in: a deletion before that time is just refused.
inline constexpr absl::Duration kDeletionsSettle = absl::Seconds(10);

// True when kConfirmedLabel names the policy in force. Then an authorized user or the controllers
// set the label, because nobody could know the policy's UID before the policy existed. False for a
// possible copy, because OLM gives it the label of its original.
bool IsConfirmed(const CsvFacts& csv, const PolicyFacts& policy);

// True when the policy is in force, and every API server enforces it.
bool IsSettled(const PolicyFacts& policy, absl::Time now);

// Proof that a ClusterServiceVersion existed without the finalizer while the policy was in force.
struct Sighting {
  std::string csv_uid;
  std::string policy_revision;
  bool operator==(const Sighting&) const = default;
};

// The sighting of `csv` to remember; nullopt = none. REQUIRES: `csv` was read after `policy`. `now`
// is the time when the policy was read.
std::optional<Sighting> Sight(const CsvFacts& csv, const PolicyFacts& policy, absl::Time now);

// True when the policy has judged the user who added the finalizer: the policy is in force, the
// object is no copy, and it was created after the policy had settled or has been seen without the
// finalizer since. `seen` may be null.
bool MayConfirm(const CsvFacts& csv, const PolicyFacts& policy, const Sighting* seen);

// An explanation of an unconfirmed opt-in, with a remedy.
std::string UnconfirmedMessage();

}  // namespace steward::olm

#endif  // OLM_CLEANUP_OPT_IN_H_
