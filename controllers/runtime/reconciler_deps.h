// What every reconciler is made from.
#ifndef CONTROLLERS_RUNTIME_RECONCILER_DEPS_H_
#define CONTROLLERS_RUNTIME_RECONCILER_DEPS_H_

#include <prometheus/registry.h>

#include "base/clock/clock.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// All of it outlives the reconciler. To be used on the controllers' executor.
struct ReconcilerDeps {
  // Fenced: writes of a process that is not leader are kFailedPrecondition, and not sent. Reads and
  // writes have connections of their own. For what is to be watched there is `metadata`.
  kube::Client& client;
  // For asking once more between reading and deciding; the client asks by itself before each write.
  const Leadership& leadership;
  // ClusterServiceVersions, OperatorGroups and Namespaces, synced before the first reconcile. What
  // they show may lag behind.
  storage::WorldStore& worlds;
  MetadataWatches& metadata;
  EventRecorder& events;
  Clock& clock;
  Random& random;
  prometheus::Registry& registry;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_RECONCILER_DEPS_H_
