#include "controllers/cleanup/reporting/stall_detector.h"

#include <algorithm>

#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/operands/ledger.h"

namespace steward::controllers {
namespace {

// The lowest value of most_pending_ for Refills, because with fewer operands a few that users
// create meanwhile would look like refilling.
constexpr size_t kFewOperands = 5;

// The operands as text: "widgets.example.com a/x (finalizers f, g), …".
std::string NamesOf(const std::vector<OldestOperand>& oldest) {
  std::string text;
  for (const OldestOperand& operand : oldest) {
    StrAppend(
        &text, text.empty() ? "" : ", ", operand.resource, " ", operand.name.ns,
        operand.name.ns.empty() ? "" : "/", operand.name.name, " (",
        operand.finalizers.empty() ? "no finalizers" : StrCat("finalizers ", operand.finalizers),
        ")");
  }
  return text;
}

}  // namespace

bool StallDetector::NoteListing(size_t pending, absl::Duration now) {
  // The first count does not show progress, because the earlier count is unknown.
  const bool fewer = pending_.has_value() && pending < *pending_;
  if (fewer) progressed_ = now;
  pending_ = pending;
  most_pending_ = std::max(most_pending_, pending);
  return fewer;
}

void StallDetector::NoteRound(const DeletionRound& round, absl::Duration now) {
  if (round.accepted > 0) progressed_ = now;
  deleted_ += round.accepted;
  recreated_ = round.recreated;
  left_alone_ = round.left_alone;
  if (round.denied > 0) denial_ = round.denial;
  if (round.denied == 0 && round.waiting == 0) denial_.clear();
  failure_ = round.failure.ok() ? "" : Describe(round.failure);
}

// True if more operands were deleted than can have existed at the start. Finds operands that come
// back under new names, which the ledger does not notice.
bool StallDetector::Refills() const {
  return deleted_ > DeletionLedger::kMaxDeletions * std::max<size_t>(most_pending_, kFewOperands);
}

Stall StallDetector::Judge(const StallView& view, absl::Duration now) const {
  if (recreated_ > 0) {
    return {kOperandsRecreated, StrCat("somebody creates custom resources again, ", left_alone_,
                                       " for one: they are not deleted any more")};
  }
  if (Refills() && pending_ > 0u) {
    return {kOperandsRecreated,
            StrCat("somebody creates custom resources again and again: ", deleted_,
                   " were deleted, of never more than ", most_pending_, " at a time")};
  }
  if (!denial_.empty()) return {kDeletionDenied, denial_};
  if (!view.reported.empty()) return {kOperatorReportsFailure, view.reported};
  if (now < deadline()) return {};
  if (!view.oldest.empty()) {
    return {kNoProgress, StrCat("waiting longest for ", NamesOf(view.oldest))};
  }
  if (!view.unknown.empty()) return {kNoProgress, view.unknown};
  if (!failure_.empty()) return {kNoProgress, failure_};
  return {kNoProgress, "nothing was deleted"};
}

}  // namespace steward::controllers
