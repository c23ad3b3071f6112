// The interface to which a reflector delivers what it reads. Called on the reflector's executor.
#ifndef STORAGE_REFLECTOR_SINK_H_
#define STORAGE_REFLECTOR_SINK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "kube/client/client.h"

namespace steward::storage {

// The calls describe one source's state, in order and never two at once:
//
//   replacement := OnReplaceBegin OnReplaceItem* OnReplaceEnd      the whole state at a revision
//   change      := OnEvent | OnBookmark                           follows the replacement
//
// If a list fails midway, its replacement has no OnReplaceEnd, and another OnReplaceBegin or
// OnAbsent follows. The sink then forgets the items of the broken replacement. Until then, it keeps
// the state before that replacement. Between two replacements, revisions never go down. They may
// stay the same, with a bookmark or if the source changed several objects at once.
//
// Objects are passed one by one and not kept: a sink parses what it needs out of the view. A copy
// of the RawObject keeps its whole page alive.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;

  virtual void OnReplaceBegin() = 0;
  virtual void OnReplaceItem(const kube::RawObject& object) = 0;
  virtual void OnReplaceEnd(uint64_t revision) = 0;

  // `type` is kAdded, kModified or kDeleted; a deleted object comes in its last state. `revision`
  // is the object's own.
  virtual void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object,
                       uint64_t revision) = 0;
  // Says that all changes up to `revision` have been delivered.
  virtual void OnBookmark(uint64_t revision) = 0;

  // The resource type does not exist in the cluster, or no longer exists: there are no objects, and
  // this knowledge is complete. Called once; a replacement follows when the type appears.
  virtual void OnAbsent() = 0;

  // Says that the delivered state is current again, as far as the reflector can tell: a watch is
  // running, or the server says that the type is absent. Called once after the start and after each
  // OnDisconnected.
  virtual void OnConnected() = 0;
  // Says that reading failed, so the delivered state may grow stale. Called for each failure in a
  // row.
  virtual void OnDisconnected(const absl::Status& why) = 0;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_SINK_H_
