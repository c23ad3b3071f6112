#include "controllers/cleanup/guards/recently_deleted_csvs.h"

#include <algorithm>
#include <utility>

namespace steward::controllers {

void RecentlyDeletedCsvs::Note(std::shared_ptr<const olm::CsvFacts> csv) {
  if (csv->OptedIn()) return;
  departures_.try_emplace(csv->uid, Departure{csv, clock_.Monotonic()});
}

std::vector<olm::DepartedCsv> RecentlyDeletedCsvs::Recent() {
  const absl::Duration now = clock_.Monotonic();
  std::erase_if(departures_,
                [now](const auto& entry) { return now - entry.second.noticed >= kRemembered; });
  std::vector<olm::DepartedCsv> recent;
  for (const auto& [uid, departure] : departures_) {
    recent.push_back({*departure.csv, now - departure.noticed});
  }
  return recent;
}

std::vector<olm::DepartedCsv> WithoutReplaced(std::vector<olm::DepartedCsv> departed,
                                              const olm::CsvFacts& csv) {
  std::string replaces = csv.replaces;
  // Each step takes one out.
  while (!replaces.empty()) {
    const auto found = std::find_if(departed.begin(), departed.end(), [&](const auto& other) {
      return other.csv.key.ns == csv.key.ns && other.csv.key.name == replaces;
    });
    if (found == departed.end()) break;
    replaces = found->csv.replaces;
    departed.erase(found);
  }
  return departed;
}

}  // namespace steward::controllers
