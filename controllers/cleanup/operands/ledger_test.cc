#include "controllers/cleanup/operands/ledger.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace steward::controllers
