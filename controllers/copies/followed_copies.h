// The knowledge of copies of a process that need not be leader: it makes none. Lives on one
// executor.
#ifndef CONTROLLERS_COPIES_FOLLOWED_COPIES_H_
#define CONTROLLERS_COPIES_FOLLOWED_COPIES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/runtime/compact_index.h"
#include "kube/client/client.h"
#include "olm/copy/slot.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// Originals, OperatorGroups and Namespaces come from the World; the copies are watched by their
// metadata, and the choice as the reconcilers follow it. Compares them by the rules of the
// reconciler "copied-csvs" (olm/copy), which writes what this one tells, and may be ahead or
// behind.
//
// Memory: the index of copies (8 MiB for 100,000), their names, and of the last differences a few
// words for each slot that is not as it shall be.
class FollowedCopies {
 public:
  // REQUIRES: the references outlive this object and its calls.
  FollowedCopies(kube::Client& client, Clock& clock, Random& random, storage::WorldStore& worlds,
                 CopyToggleDefaults defaults);
  ~FollowedCopies();
  FollowedCopies(const FollowedCopies&) = delete;
  FollowedCopies& operator=(const FollowedCopies&) = delete;

  // Follows copies and choice until cancelled. Called once.
  VoidTask Run();

  // OK when everything has been listed and is followed; else kUnavailable, with the reason.
  absl::Status health() const;
  // Notified whenever the choice or a copy may have changed. Worlds tell for themselves.
  const Broadcast& changed() const { return changed_; }
  // The choice as followed. Valid until other code runs on the executor.
  const CopyChoice& choice() const { return toggle_.choice(); }

  // Compares with what the choice wants, as it is followed, or as it would be with this
  // `disableCopiedCSVs`. Takes time in proportion to names and namespaces, with turns for others;
  // is remembered until something changes, and computed once for all who ask meanwhile. The result
  // is no older than the call. Errors: those of health().
  Task<CopiesDifferencePtr> Compare(std::optional<bool> disabled = std::nullopt);

 private:
  class Walk;
  struct Known {
    uint64_t begun = 0;    // the number of its computation
    uint64_t version = 0;  // of the copies
    CopiesDifferencePtr difference;
  };
  static constexpr size_t kChoices = 3;  // as followed, on, off

  absl::StatusOr<CompactIndex::Observed> Observe(const kube::RawObject& object);
  void NoteCopy(const kube::NamespacedName& copy, const ContentDigest* content);
  void NoteChange();
  olm::CopyPolicy PolicyFor(std::optional<bool> disabled) const;
  // Null: the last one is too old.
  CopiesDifferencePtr Remembered(const Known& known, const olm::CopyPolicy& policy,
                                 uint64_t since) const;
  Task<CopiesDifferencePtr> Compute(storage::OperatorWorldPtr world, olm::CopyPolicy policy);

  storage::WorldStore& worlds_;
  CopyToggle toggle_;
  CompactIndex index_;
  std::map<uint32_t, std::string> sources_;  // namespaces that copies name, by tag
  std::set<std::string> names_;              // of copies; some may be gone
  uint64_t version_ = 0;                     // of the copies
  Broadcast changed_;

  std::array<Known, kChoices> known_;
  uint64_t begun_ = 0;  // the number of computations
  bool computing_ = false;
  Broadcast computed_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_FOLLOWED_COPIES_H_
