// Confirmed opt-ins: one counts only if it was made by somebody who may, while the admission policy
// said who that is (R-000-76). Pure functions.
#ifndef OLM_CLEANUP_OPT_IN_H_
#define OLM_CLEANUP_OPT_IN_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/facts.h"

namespace steward::olm {

// After this long every API server has taken a policy up, however far their clocks are apart.
inline constexpr absl::Duration kPolicySettles = absl::Seconds(60);
// After this long a policy is asked about every deletion. Shorter, as nothing is confirmed by it:
// what was deleted sooner is refused.
inline constexpr absl::Duration kDeletionsSettle = absl::Seconds(10);

// Its label names the policy that is in force: it was set by somebody who may opt in, or by the
// controllers. Nobody could know the policy's UID before it existed. What may be a copy has the
// label of its original, and is never confirmed.
bool IsConfirmed(const CsvFacts& csv, const PolicyFacts& policy);

// It is in force, and every API server knows.
bool IsSettled(const PolicyFacts& policy, absl::Time now);

// A ClusterServiceVersion that was there without the finalizer while the policy was in force.
struct Sighting {
  std::string csv_uid;
  std::string policy_revision;
  bool operator==(const Sighting&) const = default;
};

// What to remember of `csv`, which was read after `policy`; nullopt = nothing. `now` is the time of
// the policy's reading.
std::optional<Sighting> Sight(const CsvFacts& csv, const PolicyFacts& policy, absl::Time now);

// Whether whoever added the finalizer was asked by the policy: it is in force; and the object was
// created when it had settled, or seen without the finalizer since; and is no copy. `seen` may be
// null.
bool MayConfirm(const CsvFacts& csv, const PolicyFacts& policy, const Sighting* seen);

// What an unconfirmed opt-in is, and what to do about it.
std::string UnconfirmedMessage();

}  // namespace steward::olm

#endif  // OLM_CLEANUP_OPT_IN_H_
