#include "controllers/runtime/events/posted_events.h"

#include <boost/asio/post.hpp>
#include <string>

namespace steward::controllers {

void PostedEvents::Record(const ObjectReference& about, EventType type, std::string_view reason,
                          std::string_view message) {
  boost::asio::post(executor_, [&recorder = recorder_, about, type, reason = std::string(reason),
                                message = std::string(message)] {
    recorder.Record(about, type, reason, message);
  });
}

}  // namespace steward::controllers
