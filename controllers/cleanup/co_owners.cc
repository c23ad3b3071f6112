#include "controllers/cleanup/co_owners.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/record.h"

namespace steward::controllers {
namespace {

std::string MarkOf(const olm::CsvFacts& other) {
  return StrCat("SharedOwner ", other.key.ns, "/", other.key.name);
}

// The others that are being deleted and own something of what `inputs.csv` owns, or was recorded
// to.
std::vector<olm::CsvFacts> GoingWith(const olm::CleanupInputs& inputs) {
  const std::set<std::string> definitions = olm::DefinitionsOf(inputs);
  std::vector<olm::CsvFacts> going;
  for (const olm::CsvFacts& other : *inputs.csvs) {
    const bool shares =
        std::any_of(other.owned_crds.begin(), other.owned_crds.end(),
                    [&definitions](const std::string& name) { return definitions.contains(name); });
    if (other.key != inputs.csv->key && other.deleting() && shares) going.push_back(other);
  }
  return going;
}

// Nobody but who remembers it knows any more what was begun.
bool IsRecordLost(const olm::CleanupInputs& inputs) {
  if (!olm::MayHaveSent(inputs)) return false;
  return !inputs.csv->record.has_value() || !olm::DecodeRecord(*inputs.csv->record).ok();
}

// What `inputs.csv` itself is marked with; "" = nothing.
std::string OwnMark(const olm::CleanupInputs& inputs) {
  if (IsRecordLost(inputs)) return std::string(olm::ToString(olm::CleanupReason::kRecordRemoved));
  if (!inputs.csvs.ok()) return "";
  const std::vector<olm::CsvFacts> others = GoingWith(inputs);
  return others.empty() ? "" : MarkOf(others.front());
}

}  // namespace

Task<bool> CoOwners::Mark(const olm::CleanupInputs& inputs) {
  if (!inputs.csvs.ok()) {
    co_return absl::UnavailableError(
        StrCat("other owners cannot be told of the refusal: ", inputs.csvs.why()));
  }
  const std::string mark = MarkOf(*inputs.csv);
  const std::vector<olm::CsvFacts> others = GoingWith(inputs);
  bool unchanged = true;
  for (const olm::CsvFacts& other : others) {
    if (!other.OptedIn() || other.refusal.has_value()) continue;
    CO_ASSIGN_OR_RETURN(const bool marked,
                        co_await writer_.Annotate(other, olm::kRefusalAnnotation, mark));
    unchanged = unchanged && marked;
  }
  co_return unchanged;
}

Task<bool> CoOwners::MarkLive(const olm::CsvFacts& csv) {
  olm::CleanupInputs inputs;
  inputs.csv = olm::Read<olm::CsvFacts>::Ok(csv);
  // No copy is ever opted in.
  CO_ASSIGN_OR_RETURN(CsvListing listing, co_await csvs_.List(CopyReading::kIgnored));
  inputs.csvs = olm::Read<std::vector<olm::CsvFacts>>::Ok(std::move(listing.csvs));
  co_return co_await Mark(inputs);
}

Task<bool> CoOwners::MarkItself(const olm::CleanupInputs& inputs) {
  const olm::CsvFacts& csv = *inputs.csv;
  if (csv.refusal.has_value()) co_return true;
  const std::string mark = OwnMark(inputs);
  if (mark.empty()) co_return true;
  co_return co_await writer_.Annotate(csv, olm::kRefusalAnnotation, mark);
}

}  // namespace steward::controllers
