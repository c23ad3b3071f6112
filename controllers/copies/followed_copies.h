// Follows copies for a process that does not write them and so need not be leader. Lives on one
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

// Originals, OperatorGroups and Namespaces come from the World; the copies' metadata is watched,
// and the choice is followed as by the reconcilers (CopyToggle). Compares them by the same rules
// (olm/copy) as the reconciler "copied-csvs", which makes the changes and may be ahead of or behind
// this object.
//
// Memory: the index of copies (8 MiB for 100,000), their names, and a few words for each slot in
// the last differences.
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

  // OK when all copies have been listed and are followed; else kUnavailable, with the reason.
  absl::Status health() const;
  // Notified whenever the choice or a copy may have changed. Not for new Worlds, which have their
  // own notification.
  const Broadcast& changed() const { return changed_; }
  // The choice as followed. Valid until other code runs on the executor.
  const CopyChoice& choice() const { return toggle_.choice(); }

  // Compares the copies with the choice as followed, or with the choice that `disabled` as
  // disableCopiedCSVs would make. Takes time in proportion to names and namespaces, and yields
  // regularly. The result is remembered until something changes, and computed once for all
  // concurrent callers. It is not older than the call. Errors: those of health().
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
  // Null if `known` is too old.
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
