#include "olm/payload/update_precondition.h"

#include <optional>

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

// True if an earlier minor version has removed the object for good.
bool IsStale(const Removal& removal, const ReleaseVersion& to) {
  if (removal.state != RemovalState::kCompleted) return false;
  const absl::StatusOr<ReleaseVersion> by = ReleaseVersion::Parse(removal.version);
  return by.ok() && LevelOf(*by, to) == UpdateLevel::kMinor;
}

}  // namespace

std::vector<std::string> ReasonsNotToUpdate(const UpdateQuestion& question) {
  const PayloadRecord& record = question.record;
  if (record.version.empty()) return {};
  const absl::StatusOr<ReleaseVersion> from = ReleaseVersion::Parse(record.version);
  // A version that cannot be parsed counts as an update to another minor version.
  if (from.ok() && LevelOf(*from, question.to) != UpdateLevel::kMinor) return {};
  std::vector<std::string> reasons;
  for (const std::string& each : record.Holding()) {
    reasons.push_back(StrCat(std::string(kDeletesInProgress), ": ", each));
  }
  for (const std::string& each : question.not_upgradeable) {
    reasons.push_back(StrCat("Upgradeable=False: ", each));
  }
  for (const PayloadManifest& manifest : question.manifests) {
    if (!manifest.deletes || question.allow_stale_deletes) continue;
    const std::optional<Removal> removal = record.Find(manifest.identity);
    if (!removal || !IsStale(*removal, question.to)) continue;
    reasons.push_back(StrCat(manifest.where, ": ", manifest.identity.ToString(),
                             " no longer exists, as ", removal->version,
                             " has removed it: another minor version must not delete it"));
  }
  return reasons;
}

}  // namespace steward::olm
