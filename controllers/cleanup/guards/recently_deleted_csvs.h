// The ClusterServiceVersions that were deleted a moment ago. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_GUARDS_RECENTLY_DELETED_CSVS_H_
#define CONTROLLERS_CLEANUP_GUARDS_RECENTLY_DELETED_CSVS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "olm/cleanup/verdict.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// One command may delete two operators of one definition, of which only one is opted in. The other
// is not delayed by a cleanup and may be gone before the opted-in one is looked at, although its
// custom resources were to be kept. So it is remembered here. An opted-in operator leaves a mark
// instead (CoOwners).
class RecentlyDeletedCsvs {
 public:
  // An object is remembered for this time after its absence was noticed. One command deletes its
  // objects within moments, and the first look comes soon after, unless the API server is slow or
  // unavailable.
  static constexpr absl::Duration kRemembered = absl::Minutes(1);

  // REQUIRES: `clock` outlives this object.
  explicit RecentlyDeletedCsvs(Clock& clock) : clock_(clock) {}

  // Remembers an object that was just found to be gone.
  void Note(std::shared_ptr<const olm::CsvFacts> csv);
  // Returns the objects that are still remembered.
  std::vector<olm::DepartedCsv> Recent();

 private:
  struct Departure {
    std::shared_ptr<const olm::CsvFacts> csv;
    absl::Duration noticed;  // monotonic
  };

  Clock& clock_;
  std::map<std::string, Departure> departures_;  // by UID
};

// Removes from `departed` the objects that `csv` replaced, by spec.replaces. OLM deletes the old
// version after an upgrade, but the operator goes on in the new version.
std::vector<olm::DepartedCsv> WithoutReplaced(std::vector<olm::DepartedCsv> departed,
                                              const olm::CsvFacts& csv);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_RECENTLY_DELETED_CSVS_H_
