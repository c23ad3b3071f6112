// The slots of one name with troubles, and when each is tried again. Not thread-safe.
#ifndef CONTROLLERS_COPIED_CSV_COPY_RETRIES_H_
#define CONTROLLERS_COPIED_CSV_COPY_RETRIES_H_

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "controllers/runtime/compact_index.h"

namespace steward::controllers {

enum class Trouble {
  kNameTaken,  // an object that is not a copy has the name
  kNotKept,  // the server stores another content than was written: something changes it on the way
  kContested,  // somebody changes the copy again and again
  kFailed,     // a write failed or was refused
};
inline constexpr size_t kTroubles = 4;
// "NameTaken", ...
std::string_view NameOf(Trouble trouble);

// A slot waits one second after its first trouble, then twice as long each time, up to ten minutes;
// other slots do not wait for it. Repairs of a copy count, too: with the fourth repair within ten
// minutes the copy is contested. New content for a slot ends its wait.
//
// Times are monotonic. Remembers at most kMax slots; if there are more, all slots are due each
// minute.
class CopyRetries {
 public:
  static constexpr size_t kMax = 2000;

  // Notes a trouble of the slot in namespace `ns`. Returns true when users should be told. Not for
  // the first kFailed or kNotKept in a row, because the next try often succeeds.
  bool Note(const std::string& ns, Trouble trouble, const ContentDigest& wanted,
            absl::Duration now);
  // Notes that somebody had changed the slot's copy, which was repaired. Returns true when users
  // should be told that the copy is contested.
  bool NoteRepair(const std::string& ns, const ContentDigest& wanted, absl::Duration now);
  // Forgets the troubles of a slot, but not its repairs. A contested slot stays contested until it
  // is due.
  void Settle(const std::string& ns);
  // Forgets the slot.
  void Forget(const std::string& ns) { slots_.erase(ns); }
  // Ends the wait of a slot with kNameTaken, because the slot changed.
  void Hasten(const std::string& ns);

  // True while the slot must not be written.
  bool Waits(const std::string& ns, const ContentDigest& wanted, absl::Duration now) const;
  bool Has(const std::string& ns, Trouble trouble) const;

  // The time at which the next slot is due.
  std::optional<absl::Duration> NextDue() const;
  // Calls `due(ns)` for each slot that is due. Returns true when all slots are due. The caller
  // looks at them, and then calls Note or Settle for each.
  template <typename Visit>
  bool TakeDue(absl::Duration now, Visit due);

  // Forgets the slots of namespaces for which `keep` is false.
  template <typename Keep>
  void Retain(Keep keep) {
    std::erase_if(slots_, [&keep](const auto& entry) { return !keep(entry.first); });
  }
  // The number of slots with each trouble.
  std::array<size_t, kTroubles> Counts() const;
  bool empty() const { return slots_.empty() && !overflow_due_; }

 private:
  struct Slot {
    std::optional<Trouble> trouble;  // nullopt: it was only repaired
    ContentDigest wanted;
    int times = 0;    // troubles in a row
    int repairs = 0;  // of a copy that somebody changed
    absl::Duration repaired_at;
    absl::Duration due = absl::InfiniteDuration();
  };

  Slot* Find(const std::string& ns, const ContentDigest& wanted, absl::Duration now);
  void DropOldRepairs(absl::Duration now);

  std::map<std::string, Slot> slots_;
  std::optional<absl::Duration> overflow_due_;
};

template <typename Visit>
bool CopyRetries::TakeDue(absl::Duration now, Visit due) {
  for (auto& [ns, slot] : slots_) {
    if (slot.due > now) continue;
    slot.due = absl::InfiniteDuration();
    due(ns);
  }
  if (!overflow_due_ || *overflow_due_ > now) return false;
  overflow_due_.reset();
  return true;
}

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_COPY_RETRIES_H_
