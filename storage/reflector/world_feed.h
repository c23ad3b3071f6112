// The reflectors of all sources, which turn their changes into published Worlds. Lives on one
// executor.
#ifndef STORAGE_REFLECTOR_WORLD_FEED_H_
#define STORAGE_REFLECTOR_WORLD_FEED_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "storage/reflector/reflector.h"
#include "storage/world/source_set.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::storage {

// The description of a source as it is read from the cluster.
struct WatchedSource {
  ReflectorOptions options;
  // Returns the object that the rules read, never null.
  absl::StatusOr<ObjectPtr> (*decode)(std::string_view json);
};

// Told of objects that cannot be decoded, on the executor.
class UnreadableObserver {
 public:
  virtual ~UnreadableObserver() = default;
  // `name` is empty if the name cannot be read either.
  virtual void OnUnreadable(Source source, const kube::NamespacedName& name,
                            const absl::Status& why) = 0;
  // `count` is the number of unreadable objects now.
  virtual void OnUnreadableCount(Source source, size_t count) = 0;
};

// Keeps `worlds` current: reflects their sources, decodes each object once and publishes a World
// after every change, or one for several that come at once.
//
// The kinds that may be absent (ReflectorOptions::may_be_absent) are requested only when all other
// kinds have been listed. So a server that answers every request with 404, as a proxy may, does not
// lead to a World without objects.
//
// An object that cannot be decoded is left out. It is reported once until it can be decoded again,
// in the log and to UnreadableObserver. Its earlier state is removed, because its current state is
// unknown. Not thread-safe, except CatchUp: everything happens on the executor of the group that it
// was started in.
class WorldFeed {
 public:
  // `sources` are in their order in worlds.sources(). `published` is called with every World, on
  // the executor, before readers see it. REQUIRES: the other references, and `unreadable`, outlive
  // this object.
  WorldFeed(kube::Client& client, Clock& clock, Random& random,
            const std::vector<WatchedSource>& sources, WorldStore& worlds,
            std::function<void(const World&)> published = nullptr,
            UnreadableObserver* unreadable = nullptr);
  ~WorldFeed();

  // Runs until `tasks` is stopped, which must be before this object is destroyed. Called once.
  void Start(TaskGroup& tasks);

  // Asks the cluster for the state at `vector`, if a source has not reached it yet or does not know
  // it any more. Thread-safe. A reader that waits for the state calls this again and again. No
  // `asker` can keep others waiting.
  void CatchUp(const StateVector& vector, std::string_view asker = "");

 private:
  class Feed;
  struct Mirror;

  void Publish();
  VoidTask PublishChanges();
  void OnListed();

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  WorldStore& worlds_;
  const std::function<void(const World&)> published_;
  UnreadableObserver* const unreadable_;  // may be null
  WorldWriter writer_;
  Broadcast changed_;
  bool unpublished_ = false;
  std::vector<std::unique_ptr<Mirror>> mirrors_;  // one for each source
  TaskGroup* tasks_ = nullptr;
  bool all_started_ = false;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_WORLD_FEED_H_
