#include "olm/cleanup/opt_in.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/time.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

const absl::Time kSince = absl::FromUnixSeconds(1'800'000'000);

PolicyFacts Policy() { return {true, "", "policy", "policy/1 binding/1", kSince}; }

CsvFacts OptedIn(absl::Duration after_policy) {
  CsvFacts csv;
  csv.uid = "csv";
  csv.finalizers = {std::string(kCleanupFinalizer)};
  csv.creation_timestamp = kube::FormatRfc3339(kSince + after_policy);
  return csv;
}

TEST(OptInTest, R_000_76_IsConfirmedByTheProofOfThePolicyInForce) {
  struct Case {
    std::string name;
    std::function<void(CsvFacts&, PolicyFacts&)> change;
    bool confirmed;
  };
  for (const Case& test : std::vector<Case>{
           {"by its UID", [](auto&, auto&) {}, true},
           {"not at all", [](auto&csv, auto&) { csv.confirmed.reset(); }, false},
           {"by nothing", [](auto&csv, auto&) { csv.confirmed = ""; }, false},
           {"by a policy of before", [](auto&csv, auto&) { csv.confirmed = "older"; }, false},
           {"a copy, with the label of its original",
            [](auto&csv, auto&) { csv.copied_from = "ops"; }, false},
           {"the policy is not bound", [](auto&, auto&policy) { policy.bound = false; }, false},
           {"nobody knows its UID",
            [](auto&csv, auto&policy) {
              policy.proof.clear();
              csv.confirmed = "";
            },
            false},
       }) {
    CsvFacts csv = OptedIn(absl::Hours(-1));
    csv.confirmed = "policy";
    PolicyFacts policy = Policy();
    test.change(csv, policy);
    EXPECT_EQ(IsConfirmed(csv, policy), test.confirmed) << test.name;
  }
}

// Finding 1: an opt-in from before the policy proves no consent.
TEST(OptInTest, R_000_76_WhenTheControllersMayConfirm) {
  const Sighting seen{"csv", "policy/1 binding/1"};
  struct Case {
    std::string name;
    absl::Duration created;  // after the policy
    const Sighting* seen;
    std::function<void(CsvFacts&, PolicyFacts&)> change;
    bool may;
  };
  const auto nothing = [](CsvFacts&, PolicyFacts&) {};
  for (const Case& test : std::vector<Case>{
           {"created before", absl::Hours(-1), nullptr, nothing, false},
           {"created at once", absl::Seconds(1), nullptr, nothing, false},
           {"created while it settles", kPolicySettles, nullptr, nothing, false},
           {"created later", kPolicySettles + absl::Seconds(1), nullptr, nothing, true},
           {"seen without it", absl::Hours(-1), &seen, nothing, true},
           {"another of its name was seen", absl::Hours(-1), &seen,
            [](auto&csv, auto&) { csv.uid = "other"; }, false},
           {"seen under the policy of before", absl::Hours(-1), &seen,
            [](auto&, auto&policy) { policy.revision = "policy/2 binding/1"; }, false},
           {"not bound", absl::Hours(1), &seen, [](auto&, auto&policy) { policy.bound = false; },
            false},
           {"its UID is not known", absl::Hours(1), &seen,
            [](auto&, auto&policy) { policy.proof.clear(); }, false},
           {"a copy", absl::Hours(1), &seen, [](auto&csv, auto&) { csv.copied_from = "ops"; },
            false},
           {"not opted in", absl::Hours(1), &seen, [](auto&csv, auto&) { csv.finalizers.clear(); },
            false},
           {"nobody knows when it was created", absl::Hours(1), nullptr,
            [](auto&csv, auto&) { csv.creation_timestamp = "soon"; }, false},
           {"nobody knows since when it is in force", absl::Hours(1), nullptr,
            [](auto&, auto&policy) { policy.since = absl::InfiniteFuture(); }, false},
       }) {
    CsvFacts csv = OptedIn(test.created);
    PolicyFacts policy = Policy();
    test.change(csv, policy);
    EXPECT_EQ(MayConfirm(csv, policy, test.seen), test.may) << test.name;
  }
}

TEST(OptInTest, R_000_76_WhatASightingIs) {
  CsvFacts plain = OptedIn(absl::Hours(-1));
  plain.finalizers = {"example.com/other"};
  const absl::Time late = kSince + kPolicySettles + absl::Seconds(1);
  EXPECT_EQ(Sight(plain, Policy(), late), (Sighting{"csv", "policy/1 binding/1"}));
  EXPECT_EQ(Sight(plain, Policy(), kSince + kPolicySettles), std::nullopt);
  EXPECT_EQ(Sight(OptedIn(absl::Hours(-1)), Policy(), late), std::nullopt);
  PolicyFacts unbound = Policy();
  unbound.bound = false;
  EXPECT_EQ(Sight(plain, unbound, late), std::nullopt);
  plain.uid.clear();
  EXPECT_EQ(Sight(plain, Policy(), late), std::nullopt);
}

}  // namespace
}  // namespace steward::olm
