#include "controllers/cleanup/co_owners.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/record.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace {

std::string MarkOf(const olm::CsvFacts& other) {
  return StrCat("SharedOwner ", other.key.ns, "/", other.key.name);
}

// The other ClusterServiceVersions in `csvs` that own a definition which `inputs.csv` owns, or
// owned when the record was written.
std::vector<const olm::CsvFacts*> OthersThatShare(const olm::CleanupInputs& inputs,
                                                  const std::vector<olm::CsvFacts>& csvs) {
  const std::set<std::string> definitions = olm::DefinitionsOf(inputs);
  std::vector<const olm::CsvFacts*> others;
  for (const olm::CsvFacts& other : csvs) {
    const bool shares =
        std::any_of(other.owned_crds.begin(), other.owned_crds.end(),
                    [&definitions](const std::string& name) { return definitions.contains(name); });
    if (other.key != inputs.csv->key && shares) others.push_back(&other);
  }
  return others;
}

// True if the record is gone although deletions may have been sent, so that only a process that
// remembers the record knows its content.
bool IsRecordLost(const olm::CleanupInputs& inputs) {
  if (!olm::MayHaveSent(inputs)) return false;
  return !inputs.csv->record.has_value() || !olm::DecodeRecord(*inputs.csv->record).ok();
}

// The mark for `inputs.csv` itself; "" = none.
std::string OwnMark(const olm::CleanupInputs& inputs) {
  if (IsRecordLost(inputs)) return std::string(olm::ToString(olm::CleanupReason::kRecordRemoved));
  if (inputs.csv->HasFinalizer(olm::kOrphanFinalizer) ||
      inputs.deletion_mode == olm::DeletionMode::kOrphan) {
    return std::string(olm::ToString(olm::CleanupReason::kOrphanRequested));
  }
  if (inputs.deletion_mode == olm::DeletionMode::kForeground) {
    return std::string(olm::ToString(olm::CleanupReason::kOperatorGone));
  }
  if (!inputs.csvs.ok()) return "";
  std::vector<olm::CsvFacts> departed;
  for (const olm::DepartedCsv& each : inputs.departed) departed.push_back(each.csv);
  for (const std::vector<olm::CsvFacts>* csvs : {&*inputs.csvs, &std::as_const(departed)}) {
    for (const olm::CsvFacts* other : OthersThatShare(inputs, *csvs)) {
      // Copies do not count here, because a copy may lag behind its original and be proven a moment
      // later.
      if (!other->MayBeCopy()) return MarkOf(*other);
    }
  }
  return "";
}

}  // namespace

Task<bool> CoOwners::Mark(const olm::CleanupInputs& inputs) {
  // Ignore copies, because no copy is ever opted in.
  const absl::StatusOr<CsvListing> listing = co_await csvs_.List(CopyReading::kIgnored);
  if (!listing.ok()) {
    co_return absl::UnavailableError(
        StrCat("other owners cannot be told of the refusal: ", Describe(listing.status())));
  }
  const std::string mark = MarkOf(*inputs.csv);
  bool unchanged = true;
  for (const olm::CsvFacts* other : OthersThatShare(inputs, listing->csvs)) {
    if (!other->deleting() || !other->OptedIn() || other->refusal.has_value()) continue;
    // No mark may fit. Skip it: it is refused anyway, because no record fits either.
    if (!other->record.has_value() && !olm::HasRoomForMarks(other->other_annotations)) continue;
    CO_ASSIGN_OR_RETURN(const bool marked,
                        co_await writer_.Annotate(*other, olm::kRefusalAnnotation, mark));
    unchanged = unchanged && marked;
  }
  co_return unchanged;
}

Task<bool> CoOwners::MarkItself(const olm::CleanupInputs& inputs) {
  const olm::CsvFacts& csv = *inputs.csv;
  if (csv.refusal.has_value()) co_return true;
  const std::string mark = OwnMark(inputs);
  if (mark.empty()) co_return true;
  co_return co_await writer_.Annotate(csv, olm::kRefusalAnnotation, mark);
}

}  // namespace steward::controllers
