#include "base/status/with_context.h"

#include <gtest/gtest.h>

#include "absl/strings/cord.h"

namespace steward {
namespace {

TEST(WithContextTest, KeepsTheErrorAndSaysWhatWasBeingDone) {
  absl::Status lost = absl::UnavailableError("connection lost");
  lost.SetPayload("type", absl::Cord("payload"));
  const absl::Status wrapped = WithContext("reading", lost);
  EXPECT_EQ(wrapped.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(wrapped.message(), "reading: connection lost");
  EXPECT_EQ(wrapped.GetPayload("type"), absl::Cord("payload"));
}

TEST(WithContextTest, AnErrorWithoutAMessageIsToldByItsCode) {
  EXPECT_EQ(WithContext("reading", absl::UnavailableError("")).message(), "reading: UNAVAILABLE");
}

}  // namespace
}  // namespace steward
