#include "base/status/macros.h"

#include <string>

#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<int> Half(int n) {
  if (n % 2 != 0) return absl::InvalidArgumentError("odd number");
  return n / 2;
}

absl::StatusOr<int> Quarter(int n) {
  ASSIGN_OR_RETURN(int half, Half(n));
  ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

absl::Status CheckEven(int n) {
  RETURN_IF_ERROR(Half(n).status());
  return absl::OkStatus();
}

TEST(StatusMacrosTest, AssignsOrReturns) {
  EXPECT_THAT(Quarter(8), IsOkAndHolds(2));
  EXPECT_THAT(Quarter(6), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("odd")));
}

TEST(StatusMacrosTest, ReturnsTheError) {
  EXPECT_OK(CheckEven(2));
  EXPECT_THAT(CheckEven(3), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace steward
