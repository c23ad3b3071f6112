// Which World a read is answered from.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/rest/resource.h"
#include "base/async/task.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::views {

// A World, and the number that everything in it carries.
struct Snapshot {
  storage::WorldPtr world;
  storage::Number number;

  // What an answer from it says, but for its objects.
  rest::Reading Reading() const;
};

struct ReadTimes {
  absl::Duration sync_wait;
  absl::Duration version_wait;
};

// Told of a state that somebody waits for: whom, by name ("": a read).
using OnAwaited = std::function<void(const storage::StateVector&, std::string_view asker)>;

// How long a state is waited for before the cluster is asked for it.
inline constexpr absl::Duration kPatience = absl::Milliseconds(100);

// Thread-safe. `worlds` and `past` outlive it.
class SnapshotReader {
 public:
  // `on_newest_read`: told of each read; `on_awaited`: of a state that has not come here, if the
  // cluster is known to have had it. Both may be null.
  SnapshotReader(storage::WorldStore& worlds, storage::RewindCache& past, ReadTimes times,
                 std::function<void()> on_newest_read, OnAwaited on_awaited)
      : worlds_(worlds),
        past_(past),
        times_(times),
        on_newest_read_(std::move(on_newest_read)),
        on_awaited_(std::move(on_awaited)) {}

  // The one that `options` ask for. 503 before the first sync; 504 for a resourceVersion beyond
  // what arrives in time; 410 for a state that this replica does not know (any more); 400 for a
  // number that is not one of ours.
  Task<Snapshot> Read(rest::ReadOptions options);
  Task<Snapshot> ReadNewest();

 private:
  // Waits until this replica has reached `number`: 504 when it does not in time.
  StatusTask WaitFor(storage::Number number);

  storage::WorldStore& worlds_;
  storage::RewindCache& past_;
  const ReadTimes times_;
  const std::function<void()> on_newest_read_;
  const OnAwaited on_awaited_;
};

// 400 for what is no number of ours.
absl::StatusOr<storage::Number> ParseNumber(const std::string& text);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_SNAPSHOT_READER_H_
