// The choice of the World from which a read is answered. Thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/task.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::views {

// A World, and the number that everything from it carries.
struct Snapshot {
  storage::WorldPtr world;
  storage::Number number;

  // An answer with this number and a warning if the stream is interrupted, but without objects.
  rest::Reading Reading() const;
};

struct ReadTimes {
  absl::Duration sync_wait;
  absl::Duration version_wait;
};

// Called with a state that a read waits for, and with the user who waits.
using OnAwaited = std::function<void(const storage::StateVector&, std::string_view asker)>;

// The time that a state is waited for before the cluster is asked for it.
inline constexpr absl::Duration kPatience = absl::Milliseconds(100);

// The time that a read waits until the cluster has returned a past state that this replica lacks.
// It is long, because a source makes one list a second at most (CatchUp), so reads may have to
// queue.
inline constexpr absl::Duration kRecallPatience = absl::Seconds(30);

// REQUIRES: `worlds` and `past` outlive this object.
class SnapshotReader {
 public:
  // `on_newest_read` is called at the beginning of each read. `on_awaited` is called for a state
  // that this replica has not reached or does not know any more, if the cluster can have had it.
  // Both may be null.
  SnapshotReader(storage::WorldStore& worlds, storage::RewindCache& past, ReadTimes times,
                 std::function<void()> on_newest_read, OnAwaited on_awaited)
      : worlds_(worlds),
        past_(past),
        times_(times),
        on_newest_read_(std::move(on_newest_read)),
        on_awaited_(std::move(on_awaited)) {}

  // Returns the snapshot that `options` require. 503 before the first sync; 504 for a
  // resourceVersion that does not arrive in time; 410 for a state that this replica does not know
  // (any more). A resourceVersion of another API is taken as a revision of etcd: 504 if it is above
  // the newest, 410 if the match is "Exact", else the newest state. 410 also for digits that are
  // too long for a revision.
  Task<Snapshot> Read(rest::ReadOptions options);
  Task<Snapshot> ReadNewest();

 private:
  // Answers a read whose resourceVersion is not one of Steward's numbers.
  static absl::StatusOr<Snapshot> ReadForeign(Snapshot newest, const rest::ReadOptions& options);
  // Returns a World that knows the state at `number`. 410 if the cluster does not know that state
  // either, or does not return it in time.
  Task<storage::WorldPtr> Recall(storage::Number number, std::string asker);
  // Waits until this replica has reached the state of `number`. 504 if that takes too long.
  StatusTask WaitFor(storage::Number number, std::string asker);

  storage::WorldStore& worlds_;
  storage::RewindCache& past_;
  const ReadTimes times_;
  const std::function<void()> on_newest_read_;
  const OnAwaited on_awaited_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_
