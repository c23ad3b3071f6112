// The known past of one source. A value; not thread-safe, except const members.
#ifndef STORAGE_WORLD_HISTORY_H_
#define STORAGE_WORLD_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kube/meta/names.h"
#include "storage/world/ordered_map.h"
#include "storage/world/source_set.h"

namespace steward::storage {

// One change that the rules can see.
struct LoggedChange {
  uint64_t floor = 0;  // the change came after this revision, at the latest at its key's revision
  kube::NamespacedName key;
  ObjectPtr before;
  size_t bytes = 0;  // of `before`, estimated
};

enum class Knowledge {
  kKnown,
  kNotYet,     // the stream has not reached the revision
  kForgotten,  // too old, or in a gap between two lists
};

// The log of changes, and the closed intervals of revisions in which the state is known: an event
// or a bookmark extends the last interval, a list begins a new one. The state at a revision is the
// present one with the log undone down to it.
//
// Cheap to copy, because copies share their structure. Bounded: when the oldest changes are
// dropped, the states before them become unknown.
class History {
 public:
  // Changes of one revision are in the order in which they were added.
  using LogKey = std::pair<uint64_t, uint64_t>;
  using Log = OrderedMap<LogKey, LoggedChange>;

  struct Interval {
    uint64_t from;
    uint64_t to;
  };

  // The limits of the log; the objects' sizes are estimates.
  static constexpr size_t kMaxChanges = 10'000;
  static constexpr size_t kMaxBytes = 16 << 20;

  Knowledge Knows(uint64_t revision) const;
  // The newest revision up to which the source is known.
  uint64_t seen() const { return seen_; }
  const Log& log() const { return log_; }
  // The interval that `revision` lies in. REQUIRES: Knows(revision) == kKnown.
  uint64_t KnownFrom(uint64_t revision) const;

  // Records that the stream has reached `revision`, without effect if that is lower than seen().
  void Extend(uint64_t revision);
  // Records a list at `revision`: the changes since the last extension are unknown. The first list
  // begins the history. A list below seen() is of another etcd (a restored one): the whole history
  // is dropped.
  void BeginAnew(uint64_t revision);
  // Records that nothing will happen until the next BeginAnew, so every revision from `revision` on
  // is known. Until then, Extend only raises seen().
  void HoldFrom(uint64_t revision);
  // Adds a change. REQUIRES: `revision` is not below the last one's.
  void Add(uint64_t revision, LoggedChange change);

  // The known intervals on both sides of an unknown revision.
  struct Gap {
    uint64_t before = 0;  // the end of the interval below it; 0 = nothing is known there
    uint64_t after = 0;   // the beginning of the one above it
  };
  // nullopt if the revision is known, or above seen().
  std::optional<Gap> GapAt(uint64_t revision) const;
  // The changes that lead from one end of a gap to the other, oldest first.
  std::vector<const LoggedChange*> Across(const Gap& gap) const;
  // Records the state at `revision`, which lies in `gap`. `until` has the changes from gap.before
  // to `revision`, and `since` those from `revision` to gap.after. They replace the changes that
  // led across the gap. REQUIRES: `gap` is GapAt(revision).
  void Bridge(uint64_t revision, const Gap& gap, std::vector<LoggedChange> until,
              std::vector<LoggedChange> since);
  // Records that the cluster itself does not know the states up to `revision` any more.
  void Forget(uint64_t revision) { gone_ = std::max(gone_, revision); }
  // True if nobody knows the state at `revision` any more.
  bool IsGone(uint64_t revision) const {
    return revision <= gone_ && Knows(revision) == Knowledge::kForgotten;
  }

 private:
  void Insert(uint64_t revision, LoggedChange change);
  void DropBeyondLimits();
  void DropOldest();

  Log log_;
  size_t bytes_ = 0;
  uint64_t added_ = 0;
  std::shared_ptr<const std::vector<Interval>>
      closed_;         // all but the last, oldest first; may be null
  uint64_t from_ = 0;  // the last interval's; 0 = no list yet
  uint64_t seen_ = 0;  // end of the last interval
  uint64_t gone_ = 0;
  bool holds_ = false;  // the last interval has no end
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_HISTORY_H_
