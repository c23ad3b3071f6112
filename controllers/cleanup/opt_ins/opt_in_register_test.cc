#include "controllers/cleanup/opt_ins/opt_in_register.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "kube/meta/time.h"
#include "olm/cleanup/opt_in.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace {

const absl::Time kSince = absl::FromUnixSeconds(1'800'000'000);
const absl::Time kSettled = kSince + olm::kPolicySettles + absl::Seconds(1);

olm::PolicyFacts Policy(const std::string& revision = "1") {
  return {true, "", "policy", revision, kSince};
}

// An object that is older than the policy.
olm::CsvFacts Older(const std::string& name, bool opted_in) {
  olm::CsvFacts csv;
  csv.key = {"ops", name};
  csv.uid = "uid-of-" + name;
  csv.creation_timestamp = kube::FormatRfc3339(kSince - absl::Hours(1));
  csv.cleanup_enabled = true;
  if (opted_in) csv.finalizers = {std::string(olm::kCleanupFinalizer)};
  return csv;
}

TEST(OptInRegisterTest, R_000_76_WhoWasSeenWithoutMayOptIn) {
  OptInRegister opt_ins;
  opt_ins.Note(Older("seen", false), Policy(), kSettled);
  opt_ins.Note(Older("there", true), Policy(), kSettled);
  EXPECT_EQ(opt_ins.Judge(Older("seen", true), Policy()), OptInState::kMayBeConfirmed);
  EXPECT_EQ(opt_ins.Judge(Older("there", true), Policy()), OptInState::kUnconfirmed);
  EXPECT_TRUE(opt_ins.IsUnconfirmed({"ops", "there"}));
  EXPECT_EQ(opt_ins.unconfirmed(), 1);
  // The remedy is to remove the opt-in, let that be seen, and add it again.
  opt_ins.Note(Older("there", false), Policy(), kSettled);
  EXPECT_EQ(opt_ins.Judge(Older("there", true), Policy()), OptInState::kMayBeConfirmed);
  EXPECT_EQ(opt_ins.unconfirmed(), 0);
  olm::CsvFacts confirmed = Older("other", true);
  confirmed.confirmed = "policy";
  EXPECT_EQ(opt_ins.Judge(confirmed, Policy()), OptInState::kConfirmed);
}

TEST(OptInRegisterTest, R_000_76_WhatWasSeenUnderAnotherStateOfThePolicyIsForgotten) {
  OptInRegister opt_ins;
  opt_ins.Note(Older("seen", false), Policy("1"), kSettled);
  EXPECT_EQ(opt_ins.Judge(Older("seen", true), Policy("2")), OptInState::kUnconfirmed);
  opt_ins.Note(Older("new", false), Policy("2"), kSettled);
  EXPECT_EQ(opt_ins.Judge(Older("seen", true), Policy("2")), OptInState::kUnconfirmed);
  EXPECT_EQ(opt_ins.Judge(Older("seen", true), Policy("1")), OptInState::kUnconfirmed);
  opt_ins.Forget({"ops", "seen"});
  EXPECT_EQ(opt_ins.unconfirmed(), 0);
}

TEST(OptInRegisterTest, R_000_76_EverythingIsNotedOnceForEachStateOfThePolicy) {
  OptInRegister opt_ins;
  EXPECT_FALSE(opt_ins.WantsAll(Policy(), kSince)) << "not everybody knows it yet";
  EXPECT_FALSE(opt_ins.WantsAll({}, kSettled)) << "there is none";
  EXPECT_TRUE(opt_ins.WantsAll(Policy(), kSettled));
  opt_ins.NotedAll(Policy());
  EXPECT_FALSE(opt_ins.WantsAll(Policy(), kSettled));
  EXPECT_TRUE(opt_ins.WantsAll(Policy("2"), kSettled));
}

}  // namespace
}  // namespace steward::controllers
