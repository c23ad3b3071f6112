// Learns a source's state at a revision that its stream has not reached, or that the source does
// not know any more. Only Ask is thread-safe.
#ifndef STORAGE_REFLECTOR_CATCH_UP_H_
#define STORAGE_REFLECTOR_CATCH_UP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"
#include "kube/client/client.h"
#include "storage/reflector/held_versions.h"
#include "storage/reflector/reflector.h"
#include "storage/world/history.h"
#include "storage/world/source_set.h"

namespace steward::storage {

// A client's number may name a revision at which nothing happened to a quiet source, for example
// that of another replica's first list. The stream brings a bookmark beyond it within a minute or
// two, which is too long for a client to wait. So CatchUp lists the metadata of the source's
// objects at exactly that revision. If they equal those of the held objects, the held state is also
// the state at that revision.
//
// A number may also name a state from before this process began, or from a time in which the stream
// was broken. The cluster knows such a state for some minutes, until etcd is compacted. So CatchUp
// lists metadata in the same way, and if something differs, lists the whole objects.
//
// Lists are made one at a time. Questions are answered in rounds, each from the lowest revision up.
// Else a question could fall between two revisions whose lists were equal, although an object was
// created and deleted between the two. A question that arrives during a round waits for the next
// one, however low its revision. So no client can keep others out by asking first or by asking
// more. If a state ahead of the stream differs, or a list fails, nothing changes, because the
// stream will bring the missing events. Many lists slow down, because clients choose the revisions.
class CatchUp {
 public:
  static constexpr size_t kMaxWanted = 8;                           // questions in one round
  static constexpr absl::Duration kPeriod = absl::Seconds(1);       // between the first lists
  static constexpr int kBurst = 16;                                 // that many lists are "first"
  static constexpr absl::Duration kSlowPeriod = absl::Seconds(10);  // between later lists
  static constexpr absl::Duration kRest = absl::Minutes(1);  // so long without lists: start over

  struct Target {
    const HeldVersions& held;        // the objects of the state at `seen`
    std::function<uint64_t()> seen;  // the newest revision that the stream has reached
    // Reports that the held state is also the state at `revision`, which is above seen().
    std::function<void(uint64_t revision)> confirm;
    // Returns whether the source knows the state at `revision`.
    std::function<Knowledge(uint64_t revision)> knows;
    absl::StatusOr<ObjectPtr> (*decode)(std::string_view json);
    // Reports the state at a past `revision`: its objects, or nullopt if they equal the held ones.
    std::function<void(uint64_t revision, std::optional<std::vector<ObjectPtr>> objects)> recall;
    // Reports that the cluster knows no state up to `revision` any more.
    std::function<void(uint64_t revision)> forget;
  };

  // REQUIRES: `client`, `clock` and what `target` refers to outlive Run, and change on its executor
  // alone.
  CatchUp(kube::Client& client, Clock& clock, ReflectorOptions source, Target target);

  // Thread-safe; costs next to nothing. The caller asks again as long as it needs the answer,
  // because a question may be dropped. If a round is full, the asker with the most places in it
  // loses one to `asker`, if `asker` still has fewer then.
  void Ask(uint64_t revision, std::string_view asker = "");

  // Runs until cancelled.
  VoidTask Run();

 private:
  using Wanted = std::map<uint64_t, std::string>;  // revisions and their askers
  static size_t PlacesOf(const Wanted& wanted, std::string_view asker);
  // Returns true if there is a place for one more question of this asker.
  static bool MakeRoom(Wanted& wanted, std::string_view asker);
  Wanted TakeWanted();
  absl::Duration Pause();
  VoidTask Look(uint64_t revision);
  VoidTask LookBack(uint64_t revision);
  Task<HeldVersions> ListAt(uint64_t revision);
  Task<std::vector<ObjectPtr>> ObjectsAt(uint64_t revision);
  using PageVisitor = std::function<void(const kube::RawObject&)>;
  StatusTask VisitAt(uint64_t revision, bool metadata_only, PageVisitor visit);

  kube::Client& client_;
  Clock& clock_;
  const ReflectorOptions source_;
  const Target target_;
  Broadcast question_;
  Mutex mutex_;
  Wanted wanted_ ABSL_GUARDED_BY(mutex_);
  int lists_ = 0;             // since the last rest
  absl::Duration last_list_;  // monotonic
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_CATCH_UP_H_
