#include "cmd/steward/unreadable_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "storage/operators/operator_world.h"

namespace steward {
namespace {

struct Recorded : controllers::EventRecorder {
  void Record(const controllers::ObjectReference& about, controllers::EventType /*type*/,
              std::string_view reason, std::string_view message) override {
    events.push_back(StrCat(about.gvk.kind, " ", about.name.ns, "/", about.name.name, " ", reason,
                            ": ", message));
  }
  std::vector<std::string> events;
};

TEST(UnreadableEventsTest, NamesObjectAndReason) {
  Recorded recorded;
  const ClusterWorlds::ReportUnreadable report = UnreadableEvents(recorded);
  report(storage::kCsvSource, {"ops", "a.v1"}, absl::InvalidArgumentError("metadata.labels: bad"));
  report(storage::kOperatorGroupSource, {"ops", "g"}, absl::InvalidArgumentError("object: bad"));
  report(storage::kCsvSource, {}, absl::InvalidArgumentError("without a name there is nothing"));
  EXPECT_THAT(recorded.events,
              testing::ElementsAre(
                  "ClusterServiceVersion ops/a.v1 Unreadable: Steward cannot read this object and "
                  "leaves it out: metadata.labels: bad",
                  "OperatorGroup ops/g Unreadable: Steward cannot read this object and leaves it "
                  "out: object: bad"));
}

}  // namespace
}  // namespace steward
