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

  // The answer from it, without its objects.
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

// The time that a read waits for the cluster to tell a past state that this replica lacks. The
// cluster is asked once a second, so reads may have to queue.
inline constexpr absl::Duration kRecallPatience = absl::Seconds(30);

// REQUIRES: `worlds` and `past` outlive this object.
class SnapshotReader {
 public:
  // `on_newest_read` is called for each read of the newest state; `on_awaited` for a state that has
  // not arrived here, if the cluster is known to have had it. Both may be null.
  SnapshotReader(storage::WorldStore& worlds, storage::RewindCache& past, ReadTimes times,
                 std::function<void()> on_newest_read, OnAwaited on_awaited)
      : worlds_(worlds),
        past_(past),
        times_(times),
        on_newest_read_(std::move(on_newest_read)),
        on_awaited_(std::move(on_awaited)) {}

  // Returns the snapshot that `options` require. 503 before the first sync; 504 for a
  // resourceVersion that does not arrive in time; 410 for a state that this replica does not know
  // (any more). A number of another API is taken for what it is there, a revision of etcd: an old
  // one is no longer known, one above the newest has not come. 410 also for a number of a form that
  // is unknown.
  Task<Snapshot> Read(rest::ReadOptions options);
  Task<Snapshot> ReadNewest();

 private:
  // Answers a read with a number that none of Steward's is.
  static absl::StatusOr<Snapshot> ReadForeign(Snapshot newest, const rest::ReadOptions& options);
  // Returns the World that knows the state at `number`: 410 when nobody does, or says so in time.
  Task<storage::WorldPtr> Recall(storage::Number number, std::string asker);
  // Waits until this replica has reached `number`: 504 when it does not in time.
  StatusTask WaitFor(storage::Number number, std::string asker);

  storage::WorldStore& worlds_;
  storage::RewindCache& past_;
  const ReadTimes times_;
  const std::function<void()> on_newest_read_;
  const OnAwaited on_awaited_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_
