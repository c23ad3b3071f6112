#include "storage/world/history.h"

#include <algorithm>

namespace steward::storage {
namespace {

// The limit of intervals: a stream that breaks so often has no past worth keeping.
constexpr size_t kMaxIntervals = 64;
constexpr size_t kNodeBytes = 256;

size_t SizeOf(const LoggedChange& change) { return kNodeBytes + change.bytes; }

}  // namespace

Knowledge History::Knows(uint64_t revision) const {
  if (holds_ && revision >= from_) return Knowledge::kKnown;
  if (revision > seen_) return Knowledge::kNotYet;
  if (from_ != 0 && revision >= from_) return Knowledge::kKnown;
  if (closed_ != nullptr) {
    for (const Interval& interval : *closed_) {
      if (interval.from <= revision && revision <= interval.to) return Knowledge::kKnown;
    }
  }
  return Knowledge::kForgotten;
}

uint64_t History::KnownFrom(uint64_t revision) const {
  if (revision >= from_) return from_;
  for (const Interval& interval : *closed_) {
    if (interval.from <= revision && revision <= interval.to) return interval.from;
  }
  return revision;
}

void History::Extend(uint64_t revision) { seen_ = std::max(seen_, revision); }

void History::BeginAnew(uint64_t revision) {
  if (revision < seen_) *this = History();
  if (from_ != 0 && revision == seen_ && !holds_) return;  // a list of the same state
  if (from_ != 0) {
    auto closed = closed_ == nullptr ? std::make_shared<std::vector<Interval>>()
                                     : std::make_shared<std::vector<Interval>>(*closed_);
    closed->push_back({from_, seen_});
    if (closed->size() > kMaxIntervals) closed->erase(closed->begin());
    closed_ = std::move(closed);
  }
  holds_ = false;
  from_ = revision;
  seen_ = std::max(seen_, revision);
}

void History::HoldFrom(uint64_t revision) {
  BeginAnew(revision);
  holds_ = true;
}

void History::Add(uint64_t revision, LoggedChange change) {
  Insert(revision, std::move(change));
  DropBeyondLimits();
}

std::optional<History::Gap> History::GapAt(uint64_t revision) const {
  if (from_ == 0 || revision == 0 || Knows(revision) != Knowledge::kForgotten) return std::nullopt;
  Gap gap;
  gap.after = from_;
  if (closed_ != nullptr) {
    for (const Interval& interval : *closed_) {
      if (interval.to < revision) gap.before = interval.to;
      if (interval.from > revision) {
        gap.after = interval.from;
        break;
      }
    }
  }
  return gap;
}

std::vector<const LoggedChange*> History::Across(const Gap& gap) const {
  std::vector<const LoggedChange*> changes;
  for (auto it = log_.LowerBound({gap.before + 1, 0}); !it.done(); it.Next()) {
    if (it.key().first > gap.after) break;
    changes.push_back(&it.value());
  }
  return changes;
}

void History::Bridge(uint64_t revision, const Gap& gap, std::vector<LoggedChange> until,
                     std::vector<LoggedChange> since) {
  std::vector<LogKey> across;
  for (auto it = log_.LowerBound({gap.before + 1, 0}); !it.done(); it.Next()) {
    if (it.key().first > gap.after) break;
    across.push_back(it.key());
    bytes_ -= SizeOf(it.value());
  }
  for (const LogKey& key : across) log_.Erase(key);
  // `until` is empty if no state before the gap is known: then nobody can ask for the changes since
  // that state.
  for (LoggedChange& change : until) Insert(revision, std::move(change));
  for (LoggedChange& change : since) Insert(gap.after, std::move(change));
  auto closed = closed_ == nullptr ? std::make_shared<std::vector<Interval>>()
                                   : std::make_shared<std::vector<Interval>>(*closed_);
  const auto place =
      std::find_if(closed->begin(), closed->end(),
                   [revision](const Interval& interval) { return interval.from > revision; });
  closed->insert(place, {revision, revision});
  if (closed->size() > kMaxIntervals) closed->erase(closed->begin());
  closed_ = std::move(closed);
  DropBeyondLimits();
}

void History::Insert(uint64_t revision, LoggedChange change) {
  bytes_ += SizeOf(change);
  log_.Set({revision, added_++}, std::move(change));
}

void History::DropBeyondLimits() {
  while (log_.size() > kMaxChanges || bytes_ > kMaxBytes) DropOldest();
}

void History::DropOldest() {
  const auto oldest = log_.begin();
  const uint64_t revision = oldest.key().first;
  bytes_ -= SizeOf(oldest.value());
  const LogKey key = oldest.key();
  log_.Erase(key);
  from_ = std::max(from_, std::min(revision, seen_));
  if (closed_ == nullptr) return;
  auto closed = std::make_shared<std::vector<Interval>>();
  for (Interval interval : *closed_) {
    if (interval.to < revision) continue;
    interval.from = std::max(interval.from, revision);
    closed->push_back(interval);
  }
  closed_ = closed->empty() ? nullptr : std::move(closed);
}

}  // namespace steward::storage
