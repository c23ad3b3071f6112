// The fields of a core/v1 Event to write. A value.
#ifndef CONTROLLERS_RUNTIME_EVENTS_EVENT_OBJECT_H_
#define CONTROLLERS_RUNTIME_EVENTS_EVENT_OBJECT_H_

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/meta/names.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kEvents = {"", "v1", "events"};

struct EventObject {
  kube::NamespacedName name;  // of the Event
  ObjectReference about;
  EventType type = EventType::kNormal;
  std::string reason;
  std::string message;
  std::string component;  // the reporting component
  std::string instance;   // the process among its replicas
  absl::Time first;
  absl::Time last;
  int64_t count = 1;

  boost::json::value ToJson() const;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_EVENTS_EVENT_OBJECT_H_
