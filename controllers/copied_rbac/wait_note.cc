#include "controllers/copied_rbac/wait_note.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "kube/meta/time.h"

namespace steward::controllers {
namespace {

// How far another process's clock may be ahead. No leader wrote a time that is later than this, so
// such a note ends the wait.
constexpr absl::Duration kClockSkew = absl::Seconds(5);

}  // namespace

absl::Duration WaitedFor(const olm::StoredRbac& copy, absl::Time now) {
  if (copy.unwanted_since.empty()) return absl::ZeroDuration();
  const absl::StatusOr<absl::Time> since = kube::ParseRfc3339(copy.unwanted_since);
  if (!since.ok() || *since > now + kClockSkew) return absl::InfiniteDuration();
  return std::max(now - *since, absl::ZeroDuration());
}

}  // namespace steward::controllers
