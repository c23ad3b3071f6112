// The interface by which controllers record Kubernetes Events. Each implementation names its
// executor.
#ifndef CONTROLLERS_RUNTIME_EVENTS_EVENT_RECORDER_H_
#define CONTROLLERS_RUNTIME_EVENTS_EVENT_RECORDER_H_

#include <string>
#include <string_view>

#include "kube/meta/names.h"

namespace steward::controllers {

// The object that an Event is about.
struct ObjectReference {
  kube::GroupVersionKind gvk;
  kube::NamespacedName name;
  std::string uid;
};

enum class EventType { kNormal, kWarning };

class EventRecorder {
 public:
  virtual ~EventRecorder() = default;

  // Returns at once, and never fails: an event that cannot be written is dropped. `reason` is
  // UpperCamelCase, short and from a fixed set; `message` is for people, and cut at 1024 bytes. A
  // repeated event is counted, not written again. A message that differs each time costs an Event
  // each time, so leave changing numbers out of the message. Call it on the recorder's executor.
  virtual void Record(const ObjectReference& about, EventType type, std::string_view reason,
                      std::string_view message) = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_EVENTS_EVENT_RECORDER_H_
