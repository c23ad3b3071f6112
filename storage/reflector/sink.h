// Where a reflector puts what it reads.
#ifndef STORAGE_REFLECTOR_SINK_H_
#define STORAGE_REFLECTOR_SINK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "kube/client/client.h"

namespace steward::storage {

// The calls tell one source's state, in order, never two at once, on the reflector's executor:
//
//   replacement := OnReplaceBegin OnReplaceItem* OnReplaceEnd      the whole state at a revision
//   change      := OnEvent | OnBookmark                           follows the replacement
//
// A replacement that breaks off (a failure while listing) is followed by another OnReplaceBegin or
// by OnAbsent: what it gave so far is to be forgotten, the state before it holds until then.
// Between two replacements revisions never go down; they may stay, with a bookmark or where the
// source changed several objects at once.
//
// Objects are handed over one by one and not kept: a sink parses what it needs out of the view.
// Copying the RawObject keeps its whole page alive.
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
  // Everything up to `revision` has been told.
  virtual void OnBookmark(uint64_t revision) = 0;

  // The resource type does not exist in the cluster, or ceased to: no objects, and that is complete
  // knowledge. Told once; a replacement follows when the type appears.
  virtual void OnAbsent() = 0;

  // What is known is, as far as can be told, current again: a watch is running, or the server says
  // that the type is absent. Told once after the start and after each OnDisconnected.
  virtual void OnConnected() = 0;
  // Reading failed; the state told so far may grow stale. Told for each failure in a row.
  virtual void OnDisconnected(const absl::Status& why) = 0;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_SINK_H_
