// From the watched kinds to published Worlds.
#ifndef STORAGE_REFLECTOR_WORLD_FEED_H_
#define STORAGE_REFLECTOR_WORLD_FEED_H_

#include <functional>
#include <memory>
#include <string_view>

#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::storage {

// Keeps `worlds` current: reflects ClusterServiceVersions, OperatorGroups and Namespaces, decodes
// each object once and publishes a World after every change, or one for several that come at once.
// Objects labelled olm.copiedFrom are never asked for: copies cost nothing here.
//
// OLM's two kinds may be absent, by the reflector's rule; every cluster has namespaces. OLM's kinds
// are asked for once the namespaces have been listed: a server that denies everything, as one in
// front of a kube-apiserver may, does not make for a World without operators.
//
// An object that cannot be decoded is left out and logged; one that was there before is taken out,
// since its state is unknown. Not thread-safe: everything happens on the executor of the group that
// it was started in.
class WorldFeed {
 public:
  // `published` is told of every World, on the executor, before readers see it.
  // REQUIRES: the arguments outlive this object.
  WorldFeed(kube::Client& client, Clock& clock, Random& random, WorldStore& worlds,
            std::function<void(const World&)> published = nullptr);
  ~WorldFeed();

  // Runs until `tasks` is stopped, which must be before this object is destroyed. Call once.
  void Start(TaskGroup& tasks);

  // A reader waits for the state at `vector`, of which a source has not brought as much yet: asks
  // the cluster whether anything is missing. Thread-safe; to be called again while it matters. No
  // `asker` keeps others waiting.
  void CatchUp(const StateVector& vector, std::string_view asker = "");

 private:
  template <typename Kind>
  class Feed;
  template <typename Kind>
  struct Mirror;
  struct Sources;

  void Publish();
  VoidTask PublishChanges();
  void OnNamespacesListed();

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  WorldStore& worlds_;
  const std::function<void(const World&)> published_;
  WorldWriter writer_;
  Broadcast changed_;
  bool unpublished_ = false;
  std::unique_ptr<Sources> sources_;
  TaskGroup* tasks_ = nullptr;
  bool olm_started_ = false;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_WORLD_FEED_H_
