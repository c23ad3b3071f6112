#include "controllers/copied_csv/copy_retries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/compact_index.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ContentDigest kOne = DigestOf("1");
const ContentDigest kTwo = DigestOf("2");

absl::Duration At(int64_t seconds) { return absl::Seconds(seconds); }

std::vector<std::string> Due(CopyRetries& troubles, absl::Duration now, bool* all = nullptr) {
  std::vector<std::string> due;
  const bool every = troubles.TakeDue(now, [&due](const std::string& ns) { due.push_back(ns); });
  if (all != nullptr) *all = every;
  return due;
}

TEST(SlotTroublesTest, WaitsTwiceAsLongEachTime) {
  CopyRetries troubles;
  int64_t now = 0;
  for (const int wait : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600}) {
    EXPECT_EQ(troubles.Note("red", Trouble::kFailed, kOne, At(now)), wait > 1) << wait;
    EXPECT_EQ(troubles.NextDue(), At(now + wait));
    EXPECT_TRUE(troubles.Waits("red", kOne, At(now + wait - 1)));
    EXPECT_THAT(Due(troubles, At(now + wait - 1)), IsEmpty());
    now += wait;
    EXPECT_THAT(Due(troubles, At(now)), ElementsAre("red"));
    EXPECT_FALSE(troubles.Waits("red", kOne, At(now)));
    EXPECT_EQ(troubles.NextDue(), std::nullopt) << "it has been given out";
  }
}

TEST(SlotTroublesTest, OneSlotDoesNotWaitForAnother) {
  CopyRetries troubles;
  troubles.Note("red", Trouble::kFailed, kOne, At(0));
  EXPECT_FALSE(troubles.Waits("blue", kOne, At(0)));
  troubles.Settle("red");
  EXPECT_TRUE(troubles.empty());
}

TEST(SlotTroublesTest, NewContentEndsTheWait) {
  CopyRetries troubles;
  for (int i = 0; i < 5; ++i) troubles.Note("red", Trouble::kFailed, kOne, At(0));
  EXPECT_FALSE(troubles.Waits("red", kTwo, At(0)));
  EXPECT_FALSE(troubles.Note("red", Trouble::kFailed, kTwo, At(0))) << "the first of its kind";
  EXPECT_EQ(troubles.NextDue(), At(1));
}

TEST(SlotTroublesTest, ATakenNameIsToldOnceAndHastened) {
  CopyRetries troubles;
  EXPECT_TRUE(troubles.Note("red", Trouble::kNameTaken, kOne, At(0)));
  EXPECT_FALSE(troubles.Note("red", Trouble::kNameTaken, kOne, At(1)));
  troubles.Note("blue", Trouble::kFailed, kOne, At(0));
  troubles.Hasten("red");
  troubles.Hasten("blue");
  EXPECT_FALSE(troubles.Waits("red", kOne, At(1)));
  EXPECT_TRUE(troubles.Waits("blue", kOne, At(0)));
}

TEST(SlotTroublesTest, TheFourthRepairMakesAContest) {
  CopyRetries troubles;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(troubles.NoteRepair("red", kOne, At(i)));
    EXPECT_FALSE(troubles.Waits("red", kOne, At(i)));
  }
  EXPECT_TRUE(troubles.NoteRepair("red", kOne, At(3)));
  EXPECT_TRUE(troubles.Waits("red", kOne, At(3)));
  // It is right for a moment after its repair, which ends nothing.
  troubles.Settle("red");
  EXPECT_TRUE(troubles.Waits("red", kOne, At(4)));
  EXPECT_THAT(Due(troubles, At(60)), ElementsAre("red"));
  // Now it has stayed right.
  troubles.Settle("red");
  EXPECT_EQ(troubles.Counts(), (std::array<size_t, kTroubles>{}));
  EXPECT_TRUE(troubles.NoteRepair("red", kOne, At(61))) << "and again";
  EXPECT_FALSE(troubles.NoteRepair("red", kOne, At(5000))) << "but not for ever";
}

TEST(SlotTroublesTest, IsBounded) {
  CopyRetries troubles;
  for (size_t i = 0; i < CopyRetries::kMax; ++i) {
    troubles.Note(StrCat("n", i), Trouble::kFailed, kOne, At(0));
  }
  EXPECT_FALSE(troubles.Note("more", Trouble::kNameTaken, kOne, At(0)));
  bool all = true;
  Due(troubles, At(59), &all);
  EXPECT_FALSE(all);
  Due(troubles, At(60), &all);
  EXPECT_TRUE(all);
  EXPECT_EQ(troubles.Counts()[static_cast<size_t>(Trouble::kFailed)], CopyRetries::kMax);
  troubles.Retain([](const std::string&) { return false; });
  EXPECT_TRUE(troubles.empty());
}

TEST(SlotTroublesTest, OldRepairsMakeRoom) {
  CopyRetries troubles;
  for (size_t i = 0; i < CopyRetries::kMax; ++i) troubles.NoteRepair(StrCat("n", i), kOne, At(0));
  EXPECT_TRUE(troubles.Note("more", Trouble::kNameTaken, kOne, At(601)));
}

}  // namespace
}  // namespace steward::controllers
