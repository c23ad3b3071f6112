// Events about objects that cannot be read. A function.
#ifndef CMD_STEWARD_UNREADABLE_EVENTS_H_
#define CMD_STEWARD_UNREADABLE_EVENTS_H_

#include "cmd/steward/cluster_worlds.h"
#include "controllers/runtime/events/event_recorder.h"

namespace steward {

// Records a Warning Event `Unreadable` about each object. REQUIRES: `events` outlives the result,
// and is used on the executor of the Worlds.
ClusterWorlds::ReportUnreadable UnreadableEvents(controllers::EventRecorder& events);

}  // namespace steward

#endif  // CMD_STEWARD_UNREADABLE_EVENTS_H_
