// What is known of one source's past.
#ifndef STORAGE_WORLD_HISTORY_H_
#define STORAGE_WORLD_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"
#include "storage/world/ordered_map.h"

namespace steward::storage {

// An object of any source; a null pointer stands for none.
using SourceObject = std::variant<olm::CsvPtr, olm::OperatorGroupPtr, olm::NamespacePtr>;

// One change that the rules can see.
struct LoggedChange {
  uint64_t floor = 0;  // it happened above this revision, and at its own at the latest
  kube::NamespacedName key;
  SourceObject before;
};

enum class Knowledge {
  kKnown,
  kNotYet,     // the stream has not come so far
  kForgotten,  // too old, or in a gap between two lists
};

// The log of changes, and the closed intervals of revisions in which the state is known: an event
// or a bookmark extends the last interval, a list begins a new one. The state at a revision is the
// present one with the log undone down to it.
//
// A value, cheap to copy: versions share their structure. Bounded: the oldest changes go, and with
// them the knowledge of the time before them.
class History {
 public:
  // Order within one revision is the order in which changes were added.
  using LogKey = std::pair<uint64_t, uint64_t>;
  using Log = OrderedMap<LogKey, LoggedChange>;

  struct Interval {
    uint64_t from;
    uint64_t to;
  };

  // What the log holds on to, at most; the objects' sizes are estimates.
  static constexpr size_t kMaxChanges = 10'000;
  static constexpr size_t kMaxBytes = 16 << 20;

  Knowledge Knows(uint64_t revision) const;
  // Newest revision up to which the source is known.
  uint64_t seen() const { return seen_; }
  const Log& log() const { return log_; }
  // The interval that `revision` lies in. REQUIRES: Knows(revision) == kKnown.
  uint64_t KnownFrom(uint64_t revision) const;

  // The stream has come up to `revision`, which may be lower: then nothing happens.
  void Extend(uint64_t revision);
  // A list at `revision`: what happened since the last extension is unknown. The first list begins
  // the history. One from before what was seen is of another etcd (a restored one): everything is
  // forgotten.
  void BeginAnew(uint64_t revision);
  // Until the next BeginAnew nothing will happen: every revision from `revision` on is known.
  // Extend says how far others have been told so.
  void HoldFrom(uint64_t revision);
  // Adds a change. REQUIRES: `revision` is not below the last one's.
  void Add(uint64_t revision, LoggedChange change);

 private:
  static size_t SizeOf(const LoggedChange& change);
  void DropOldest();

  Log log_;
  size_t bytes_ = 0;
  uint64_t added_ = 0;
  std::shared_ptr<const std::vector<Interval>>
      closed_;          // before the last, oldest first; may be null
  uint64_t from_ = 0;   // of the last interval; 0 = no list yet
  uint64_t seen_ = 0;   // its end
  bool holds_ = false;  // it has no end
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_HISTORY_H_
