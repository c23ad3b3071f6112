// An event recorder for any thread, in front of a recorder that lives on one executor. Thread-safe.
#ifndef CONTROLLERS_RUNTIME_EVENTS_POSTED_EVENTS_H_
#define CONTROLLERS_RUNTIME_EVENTS_POSTED_EVENTS_H_

#include <boost/asio/any_io_executor.hpp>
#include <string_view>
#include <utility>

#include "controllers/runtime/events/event_recorder.h"

namespace steward::controllers {

// Posts events to the recorder's own executor.
class PostedEvents : public EventRecorder {
 public:
  // REQUIRES: `recorder` lives on `executor`, and outlives everything that runs there.
  PostedEvents(boost::asio::any_io_executor executor, EventRecorder& recorder)
      : executor_(std::move(executor)), recorder_(recorder) {}

  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override;

 private:
  const boost::asio::any_io_executor executor_;
  EventRecorder& recorder_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_EVENTS_POSTED_EVENTS_H_
