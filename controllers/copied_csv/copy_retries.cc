#include "controllers/copied_csv/copy_retries.h"

#include <algorithm>

namespace steward::controllers {
namespace {

constexpr absl::Duration kFirstWait = absl::Seconds(1);
constexpr absl::Duration kLongestWait = absl::Minutes(10);
constexpr absl::Duration kOverflowWait = absl::Minutes(1);
// Repairs that are further apart do not make a copy contested.
constexpr absl::Duration kQuiet = absl::Minutes(10);
constexpr int kFreeRepairs = 3;

absl::Duration WaitAfter(int times) {
  absl::Duration wait = kFirstWait;
  for (int i = 1; i < times && wait < kLongestWait; ++i) wait *= 2;
  return std::min(wait, kLongestWait);
}

}  // namespace

std::string_view NameOf(Trouble trouble) {
  switch (trouble) {
    case Trouble::kNameTaken:
      return "NameTaken";
    case Trouble::kNotKept:
      return "NotKept";
    case Trouble::kContested:
      return "Contested";
    case Trouble::kFailed:
      return "Failed";
  }
  return "";
}

// Returns the slot; creates it if there is room, else returns null. Resets a slot whose troubles
// were with other wanted content.
CopyRetries::Slot* CopyRetries::Find(const std::string& ns, const ContentDigest& wanted,
                                     absl::Duration now) {
  auto it = slots_.find(ns);
  if (it == slots_.end()) {
    if (slots_.size() >= kMax) DropOldRepairs(now);
    if (slots_.size() >= kMax) {
      if (!overflow_due_) overflow_due_ = now + kOverflowWait;
      return nullptr;
    }
    it = slots_.try_emplace(ns).first;
    it->second.wanted = wanted;
  }
  Slot& slot = it->second;
  if (slot.wanted != wanted) {
    slot = Slot();
    slot.wanted = wanted;
  }
  return &slot;
}

bool CopyRetries::Note(const std::string& ns, Trouble trouble, const ContentDigest& wanted,
                       absl::Duration now) {
  Slot* slot = Find(ns, wanted, now);
  if (slot == nullptr) return false;
  const bool same = slot->trouble == trouble;
  slot->times = slot->trouble.has_value() ? slot->times + 1 : 1;
  slot->trouble = trouble;
  slot->due = now + WaitAfter(slot->times);
  if (trouble == Trouble::kNameTaken) return !same;
  return slot->times > 1;
}

bool CopyRetries::NoteRepair(const std::string& ns, const ContentDigest& wanted,
                             absl::Duration now) {
  Slot* slot = Find(ns, wanted, now);
  if (slot == nullptr) return false;
  if (slot->repairs > 0 && now - slot->repaired_at > kQuiet) slot->repairs = 0;
  slot->repaired_at = now;
  slot->times = 0;
  slot->trouble.reset();
  slot->due = absl::InfiniteDuration();
  if (++slot->repairs <= kFreeRepairs) return false;
  slot->trouble = Trouble::kContested;
  slot->times = slot->repairs - kFreeRepairs;
  slot->due = now + WaitAfter(slot->times + 3);
  return true;
}

void CopyRetries::Settle(const std::string& ns) {
  const auto it = slots_.find(ns);
  if (it == slots_.end()) return;
  Slot& slot = it->second;
  if (slot.repairs == 0) {
    slots_.erase(it);
    return;
  }
  // A contested copy is right for a moment after each repair, so it stays contested until it is
  // due.
  if (slot.trouble == Trouble::kContested && slot.due != absl::InfiniteDuration()) return;
  slot.trouble.reset();
  slot.times = 0;
  slot.due = absl::InfiniteDuration();
}

void CopyRetries::Hasten(const std::string& ns) {
  const auto it = slots_.find(ns);
  if (it != slots_.end() && it->second.trouble == Trouble::kNameTaken) slots_.erase(it);
}

bool CopyRetries::Waits(const std::string& ns, const ContentDigest& wanted,
                        absl::Duration now) const {
  const auto it = slots_.find(ns);
  if (it == slots_.end() || !it->second.trouble || it->second.wanted != wanted) return false;
  // InfiniteDuration: TakeDue has given the slot out, so it does not wait.
  return it->second.due > now && it->second.due != absl::InfiniteDuration();
}

bool CopyRetries::Has(const std::string& ns, Trouble trouble) const {
  const auto it = slots_.find(ns);
  return it != slots_.end() && it->second.trouble == trouble;
}

std::optional<absl::Duration> CopyRetries::NextDue() const {
  absl::Duration next = overflow_due_.value_or(absl::InfiniteDuration());
  for (const auto& [ns, slot] : slots_) next = std::min(next, slot.due);
  if (next == absl::InfiniteDuration()) return std::nullopt;
  return next;
}

std::array<size_t, kTroubles> CopyRetries::Counts() const {
  std::array<size_t, kTroubles> counts = {};
  for (const auto& [ns, slot] : slots_) {
    if (slot.trouble) ++counts[static_cast<size_t>(*slot.trouble)];
  }
  return counts;
}

void CopyRetries::DropOldRepairs(absl::Duration now) {
  std::erase_if(slots_, [now](const auto& entry) {
    return !entry.second.trouble && now - entry.second.repaired_at > kQuiet;
  });
}

}  // namespace steward::controllers
