// The dependencies of every reconciler. References, used on the controllers' executor.
#ifndef CONTROLLERS_RUNTIME_RECONCILER_DEPS_H_
#define CONTROLLERS_RUNTIME_RECONCILER_DEPS_H_

#include <prometheus/registry.h>

#include "base/clock/clock.h"
#include "base/flags/feature_gates.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// All of them outlive the reconciler.
struct ReconcilerDeps {
  // Fenced: in a process that is not leader, writes fail with kFailedPrecondition and are not sent.
  // Reads and writes use separate connections. Watches go through `metadata`.
  kube::Client& client;
  // For an additional check between reading and deciding; the client itself checks before each
  // write.
  const Leadership& leadership;
  // Worlds of ClusterServiceVersions, OperatorGroups and Namespaces, synced before the first
  // reconcile of a family that uses Worlds. Worlds may lag behind the cluster.
  storage::WorldStore& worlds;
  MetadataWatches& metadata;
  EventRecorder& events;
  Clock& clock;
  Random& random;
  prometheus::Registry& registry;
  const FeatureGates& gates;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_RECONCILER_DEPS_H_
