#include "controllers/cleanup/operands/ledger.h"

#include <gtest/gtest.h>

#include <string>

namespace steward::controllers {
namespace {

using Answer = DeletionLedger::Answer;
const kube::NamespacedName kX = {"a", "x"};

TEST(LedgerTest, ANameThreeTimes) {
  DeletionLedger ledger;
  absl::Duration now = absl::Hours(1);
  EXPECT_EQ(ledger.Ask("w", kX, "u1", now), Answer::kDelete);
  ledger.NoteSent("w", kX, "u1", now);
  EXPECT_EQ(ledger.Ask("w", kX, "u1", now), Answer::kDelete) << "the same object, tried again";
  ledger.NoteSent("w", kX, "u1", now);
  EXPECT_EQ(ledger.Ask("w", kX, "u2", now), Answer::kNotYet);
  EXPECT_EQ(ledger.Ask("w", kX, "u2", now + absl::Seconds(5)), Answer::kDelete);
  now += absl::Seconds(5);
  ledger.NoteSent("w", kX, "u2", now);
  EXPECT_EQ(ledger.Ask("w", kX, "u3", now + absl::Seconds(9)), Answer::kNotYet);
  now += absl::Seconds(10);
  EXPECT_EQ(ledger.Ask("w", kX, "u3", now), Answer::kDelete);
  ledger.NoteSent("w", kX, "u3", now);
  EXPECT_EQ(ledger.Ask("w", kX, "u4", now + absl::Hours(1)), Answer::kRecreated);
  EXPECT_EQ(ledger.Ask("w", kX, "u3", now), Answer::kDelete);
  EXPECT_EQ(ledger.Ask("w", {"b", "x"}, "u4", now), Answer::kDelete);
  EXPECT_EQ(ledger.Ask("v", kX, "u4", now), Answer::kDelete);
  EXPECT_EQ(ledger.names(), 1u);
}

TEST(LedgerTest, DenialsAreAskedAgainEverMoreSeldom) {
  DeletionLedger ledger;
  absl::Duration now = absl::Hours(1);
  ledger.NoteSent("w", kX, "u1", now);
  for (const int seconds : {10, 20, 40, 80, 160, 300, 300}) {
    ledger.NoteDenied("w", kX, now);
    EXPECT_EQ(ledger.Ask("w", kX, "u1", now + absl::Seconds(seconds) - absl::Milliseconds(1)),
              Answer::kNotYet);
    now += absl::Seconds(seconds);
    EXPECT_EQ(ledger.Ask("w", kX, "u1", now), Answer::kDelete);
  }
}

TEST(LedgerTest, DenialsOfOneThatIsGoneAreNotThoseOfTheNext) {
  DeletionLedger ledger;
  absl::Duration now = absl::Hours(1);
  ledger.NoteSent("w", kX, "u1", now);
  for (int i = 0; i < 3; ++i) ledger.NoteDenied("w", kX, now);
  now += absl::Hours(1);
  ledger.NoteSent("w", kX, "u2", now);
  ledger.NoteDenied("w", kX, now);
  EXPECT_EQ(ledger.Ask("w", kX, "u2", now + absl::Seconds(10)), Answer::kDelete);
}

TEST(LedgerTest, KnowsNoMoreThanAMillionNames) {
  DeletionLedger ledger;
  for (size_t i = 0; i < DeletionLedger::kMaxNames; ++i) {
    ledger.NoteSent("w", {"a", std::to_string(i)}, "u", absl::Hours(1));
  }
  EXPECT_EQ(ledger.Ask("w", {"a", "one-more"}, "u", absl::Hours(1)), Answer::kFull);
  EXPECT_EQ(ledger.Ask("w", {"a", "7"}, "u", absl::Hours(1)), Answer::kDelete);
}

}  // namespace
}  // namespace steward::controllers
