// Telling users what a controller did, where they look for it: Kubernetes Events.
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

  // Returns at once, and never fails: what cannot be told is dropped. `reason` is UpperCamelCase,
  // short and from a fixed set; `message` is for people, at most 1024 bytes of it are kept. The
  // same event again is counted, not written again. So a message that differs each time costs an
  // Event each time: leave numbers that change out of it. On the recorder's executor.
  virtual void Record(const ObjectReference& about, EventType type, std::string_view reason,
                      std::string_view message) = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_EVENTS_EVENT_RECORDER_H_
