#include "olm/payload/removal.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace steward::olm {
namespace {

const PayloadIdentity kIdentity = {"", "ConfigMap", "n", "a"};
const absl::Time kThen = absl::FromUnixSeconds(1000);
const absl::Time kNow = absl::FromUnixSeconds(2000);

using State = RemovalState;

std::optional<Removal> Known(State state, const std::string& uid) {
  return Removal{kIdentity, uid, /*removes=*/!uid.empty(), state, kThen, "1.0.0", ""};
}
const LiveObject kOne = {"one", false};
const LiveObject kOneDeleting = {"one", true};
const LiveObject kOther = {"other", false};

constexpr PayloadState kInitializing = PayloadState::kInitializing;
constexpr PayloadState kUpdating = PayloadState::kUpdating;
constexpr PayloadState kReconciling = PayloadState::kReconciling;

// Each row of what the shipped operator does, with an identity that knows UIDs.
TEST(RemovalTest, R_003_16_18_19_53_54_56_EachState) {
  const struct {
    const char* what;
    PayloadState state;
    std::optional<Removal> known;
    std::optional<LiveObject> live;
    bool redelete;
    std::optional<State> then;  // nullopt: no removal
    bool deletes;
    const char* uid;
  } rows[] = {
      {"first", kUpdating, {}, kOne, false, State::kInitiated, true, "one"},
      {"others delete it", kUpdating, {}, kOneDeleting, false, State::kOngoing, false, "one"},
      {"installation", kInitializing, {}, kOne, true, {}, false, ""},
      {"kept", kReconciling, {}, kOne, true, {}, false, ""},
      {"never there", kUpdating, {}, {}, false, State::kCompleted, false, ""},
      {"never there, later", kReconciling, {}, {}, false, State::kCompleted, false, ""},
      {"lost between record and deletion", kUpdating, Known(State::kInitiated, "one"), kOne, false,
       State::kInitiated, true, "one"},
      {"the same, once the update is done", kReconciling, Known(State::kInitiated, "one"), kOne,
       false, State::kInitiated, false, "one"},
      {"held", kUpdating, Known(State::kInitiated, "one"), kOneDeleting, false, State::kOngoing,
       false, "one"},
      {"of a kind that was not served for a while", kReconciling, Known(State::kCompleted, "one"),
       kOneDeleting, false, State::kOngoing, false, "one"},
      {"held, later", kReconciling, Known(State::kOngoing, "one"), kOneDeleting, false,
       State::kOngoing, false, "one"},
      {"gone",
       kReconciling,
       Known(State::kOngoing, "one"),
       {},
       false,
       State::kCompleted,
       false,
       "one"},
      {"refused before", kUpdating, Known(State::kFailed, "one"), kOne, false, State::kFailed, true,
       "one"},
      {"refused before, and gone",
       kUpdating,
       Known(State::kFailed, "one"),
       {},
       false,
       State::kCompleted,
       false,
       "one"},
      {"came back", kUpdating, Known(State::kCompleted, "one"), kOther, false, State::kReappeared,
       false, "other"},
      {"came back in place", kUpdating, Known(State::kInitiated, "one"), kOther, false,
       State::kReappeared, false, "other"},
      {"came later", kUpdating, Known(State::kCompleted, ""), kOther, false, State::kReappeared,
       false, "other"},
      {"restored", kUpdating, Known(State::kCompleted, "one"), kOne, false, State::kReappeared,
       false, "one"},
      {"is still back", kUpdating, Known(State::kReappeared, "other"), kOther, false,
       State::kReappeared, false, "other"},
      {"went again",
       kUpdating,
       Known(State::kReappeared, "other"),
       {},
       false,
       State::kCompleted,
       false,
       "other"},
      {"again", kReconciling, Known(State::kReappeared, "other"), kOther, true, State::kInitiated,
       true, "other"},
      {"again at once", kUpdating, Known(State::kOngoing, "one"), kOther, true, State::kInitiated,
       true, "other"},
      {"goes on again", kReconciling, Known(State::kInitiated, "one"), kOne, true,
       State::kInitiated, true, "one"},
      {"was never there", kReconciling, Known(State::kCompleted, ""), kOther, true,
       State::kReappeared, false, "other"},
      {"not in an installation", kInitializing, Known(State::kReappeared, "other"), kOther, true,
       State::kReappeared, false, "other"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const RemovalDecision got =
        DecideRemoval(kIdentity, row.known, row.live, {row.state, row.redelete, "2.0.0", kNow});
    EXPECT_EQ(got.deletes, row.deletes);
    ASSERT_EQ(got.removal.has_value(), row.then.has_value());
    if (!got.removal) continue;
    EXPECT_EQ(got.removal->state, *row.then) << NameOf(got.removal->state);
    EXPECT_EQ(got.removal->uid, row.uid);
    EXPECT_EQ(got.removal->identity, kIdentity);
    const bool changed = !row.known || row.known->state != *row.then || row.known->uid != row.uid;
    EXPECT_EQ(got.removal->since, changed ? kNow : kThen);
    // A deleted object is recorded with its UID, and holds minor updates back.
    if (got.deletes) {
      EXPECT_TRUE(got.removal->holds());
      EXPECT_EQ(got.removal->uid, row.live->uid);
    }
  }
}

TEST(RemovalTest, R_003_47_AnAbsentObjectIsNoted) {
  const RemovalDecision got =
      DecideRemoval(kIdentity, std::nullopt, std::nullopt, {kUpdating, false, "2.0.0", kNow});
  EXPECT_EQ(got.removal->note, "not found: it was removed before, or never there");
  EXPECT_EQ(got.removal->version, "2.0.0");
}

}  // namespace
}  // namespace steward::olm
