#include "kube/grpc/admission.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

TEST(AdmissionTest, APlaceIsTakenUntilItIsGivenBack) {
  Admission admission(1, "tests at a time");
  auto first = admission.Enter();
  ASSERT_OK(first);
  const Status refusal = FromStatus(admission.Enter().status());
  EXPECT_EQ(refusal.code, 429);
  EXPECT_EQ(refusal.retry_after_seconds, 1);
  EXPECT_EQ(refusal.message, "too many tests at a time, please try again later");
  {
    const Admission::Place place = *std::move(first);
    EXPECT_FALSE(admission.Enter().ok()) << "a place that moves is taken once";
  }
  EXPECT_OK(admission.Enter());
}

TEST(AdmissionTest, WhoTakesAllKeepsNobodyOut) {
  Admission admission(16, "tests");
  std::vector<Admission::Place> places;
  for (auto place = admission.Enter("greedy"); place.ok(); place = admission.Enter("greedy")) {
    places.push_back(*std::move(place));
  }
  EXPECT_EQ(places.size(), 14u);
  const auto other = admission.Enter("other");
  EXPECT_OK(other);
  EXPECT_FALSE(admission.Enter("other").ok());
}

TEST(AdmissionTest, WithoutPlacesNobodyEnters) {
  Admission admission(0, "tests");
  EXPECT_FALSE(admission.Enter().ok());
}

}  // namespace
}  // namespace steward::kube
