#include "controllers/runtime/events/posted_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KeptEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType, std::string_view reason,
              std::string_view message) override {
    events.push_back(about.name.name + " " + std::string(reason) + ": " + std::string(message));
  }
  std::vector<std::string> events;
};

TEST(PostedEventsTest, AreRecordedWhereTheRecorderLives) {
  boost::asio::io_context io(1);
  KeptEvents kept;
  PostedEvents posted(io.get_executor(), kept);
  {
    const std::string message = "it happened";
    posted.Record({{}, {"ops", "w"}, "u"}, EventType::kNormal, "Happened", message);
  }
  EXPECT_THAT(kept.events, IsEmpty());
  io.run();
  EXPECT_THAT(kept.events, ElementsAre("w Happened: it happened"));
}

}  // namespace
}  // namespace steward::controllers
