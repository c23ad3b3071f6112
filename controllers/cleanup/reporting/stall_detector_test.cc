#include "controllers/cleanup/reporting/stall_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "controllers/cleanup/operands/deleter.h"

namespace steward::controllers {
namespace {

using ::testing::HasSubstr;

absl::Duration At(int seconds) { return absl::Seconds(seconds); }

DeletionRound Accepted(size_t count) {
  DeletionRound round;
  round.sent = round.accepted = count;
  return round;
}

struct StallCase {
  const char* name;
  std::function<void(StallDetector&)> happens;
  StallView view;
  int now;  // seconds since the start; it stalls after 600
  std::string reason;
  std::string message;  // part of it
};
class StallDetectorTest : public ::testing::TestWithParam<StallCase> {};

TEST_P(StallDetectorTest, Judges) {
  StallDetector detector(absl::Minutes(10), At(0));
  GetParam().happens(detector);
  const Stall stall = detector.Judge(GetParam().view, At(GetParam().now));
  EXPECT_EQ(stall.reason, GetParam().reason);
  EXPECT_THAT(stall.message, HasSubstr(GetParam().message));
}

void Nothing(StallDetector&) {}

INSTANTIATE_TEST_SUITE_P(
    All, StallDetectorTest,
    ::testing::Values(StallCase{"Young", Nothing, {}, 599, "", ""},
                      StallCase{"Old", Nothing, {}, 600, kNoProgress, "nothing was deleted"},
                      StallCase{"OldAndUnknown",
                                Nothing,
                                {.unknown = "Unreadable: x"},
                                600,
                                kNoProgress,
                                "Unreadable: x"},
                      StallCase{"TheFirstListingIsNoProgress",
                                [](StallDetector& d) { d.NoteListing(3, At(500)); },
                                {},
                                600,
                                kNoProgress,
                                ""},
                      StallCase{"FewerIsProgress",
                                [](StallDetector& d) {
                                  d.NoteListing(3, At(400));
                                  d.NoteListing(2, At(500));
                                },
                                {},
                                1099,
                                "",
                                ""},
                      StallCase{"MoreIsNone",
                                [](StallDetector& d) {
                                  d.NoteListing(3, At(400));
                                  d.NoteListing(4, At(500));
                                },
                                {},
                                600,
                                kNoProgress,
                                ""},
                      StallCase{"AcceptedDeletionsAreProgress",
                                [](StallDetector& d) { d.NoteRound(Accepted(1), At(500)); },
                                {},
                                1099,
                                "",
                                ""},
                      StallCase{"AFailureIsNamed",
                                [](StallDetector& d) { d.NoteFailure("403"); },
                                {},
                                600,
                                kNoProgress,
                                "403"},
                      StallCase{"AFailureOfARoundIsNamed",
                                [](StallDetector& d) {
                                  DeletionRound round;
                                  round.failure = absl::DeadlineExceededError("too slow");
                                  d.NoteRound(round, At(1));
                                },
                                {},
                                600,
                                kNoProgress,
                                "too slow"},
                      StallCase{"WaitingForTheOldest",
                                Nothing,
                                {.oldest = {{"widgets.example.com", {"a", "x"}, "f", 1}}},
                                600,
                                kNoProgress,
                                "widgets.example.com a/x (finalizers f)"},
                      StallCase{"DeniedAtOnce",
                                [](StallDetector& d) {
                                  DeletionRound round;
                                  round.denied = 1;
                                  round.denial = "Widget a/x: no";
                                  d.NoteRound(round, At(1));
                                },
                                {},
                                1,
                                kDeletionDenied,
                                "Widget a/x: no"},
                      StallCase{"DeniedUntilItIsAskedAgain",
                                [](StallDetector& d) {
                                  DeletionRound round;
                                  round.denied = 1;
                                  round.denial = "Widget a/x: no";
                                  d.NoteRound(round, At(1));
                                  DeletionRound waits;
                                  waits.waiting = 1;
                                  d.NoteRound(waits, At(2));
                                },
                                {},
                                2,
                                kDeletionDenied,
                                "Widget a/x: no"},
                      StallCase{"DeniedNoMore",
                                [](StallDetector& d) {
                                  DeletionRound round;
                                  round.denied = 1;
                                  round.denial = "Widget a/x: no";
                                  d.NoteRound(round, At(1));
                                  d.NoteRound(Accepted(1), At(2));
                                },
                                {},
                                2,
                                "",
                                ""},
                      StallCase{"Recreated",
                                [](StallDetector& d) {
                                  DeletionRound round;
                                  round.recreated = 1;
                                  round.left_alone = "Widget a/x";
                                  d.NoteRound(round, At(1));
                                },
                                {},
                                1,
                                kOperandsRecreated,
                                "Widget a/x for one"},
                      StallCase{"RefilledUnderNewNames",
                                [](StallDetector& d) {
                                  d.NoteListing(2, At(1));
                                  d.NoteRound(Accepted(16), At(2));
                                },
                                {},
                                2,
                                kOperandsRecreated,
                                "16 were deleted, of never more than 2"},
                      StallCase{"NotRefilledWhenItIsEmpty",
                                [](StallDetector& d) {
                                  d.NoteListing(2, At(1));
                                  d.NoteRound(Accepted(16), At(2));
                                  d.NoteListing(0, At(3));
                                },
                                {},
                                2,
                                "",
                                ""},
                      StallCase{"TheOperatorReports",
                                Nothing,
                                {.reported = "backup failed"},
                                1,
                                kOperatorReportsFailure,
                                "backup failed"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace steward::controllers
