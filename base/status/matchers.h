// GoogleTest matchers for absl::Status and absl::StatusOr. Stateless.
//
//   EXPECT_THAT(status, IsOk());
//   EXPECT_THAT(status_or, IsOkAndHolds(Eq(3)));
//   EXPECT_THAT(status_or, StatusIs(absl::StatusCode::kNotFound, HasSubstr("x")));
#ifndef BASE_STATUS_MATCHERS_H_
#define BASE_STATUS_MATCHERS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

inline const absl::Status& AsStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& AsStatus(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << AsStatus(arg);
  return AsStatus(arg).ok();
}

MATCHER_P(IsOkAndHolds, matcher, "is OK and holds a matching value") {
  if (!arg.ok()) {
    *result_listener << arg.status();
    return false;
  }
  return ::testing::ExplainMatchResult(matcher, *arg, result_listener);
}

MATCHER_P(StatusIs, code, "has the code") {
  *result_listener << AsStatus(arg);
  return ::testing::ExplainMatchResult(code, AsStatus(arg).code(), result_listener);
}

MATCHER_P2(StatusIs, code, message, "has the code and a matching message") {
  *result_listener << AsStatus(arg);
  return ::testing::ExplainMatchResult(code, AsStatus(arg).code(), result_listener) &&
         ::testing::ExplainMatchResult(message, std::string(AsStatus(arg).message()),
                                       result_listener);
}

}  // namespace steward

#define ASSERT_OK(expr) ASSERT_THAT((expr), ::steward::IsOk())
#define EXPECT_OK(expr) EXPECT_THAT((expr), ::steward::IsOk())

#define STEWARD_ASSERT_OK_AND_ASSIGN_(result, lhs, expr) \
  auto result = (expr);                                  \
  ASSERT_TRUE(result.ok()) << result.status();           \
  lhs = *std::move(result)
#define STEWARD_TEST_CONCAT_INNER_(a, b) a##b
#define STEWARD_TEST_CONCAT_(a, b) STEWARD_TEST_CONCAT_INNER_(a, b)
#define ASSERT_OK_AND_ASSIGN(lhs, ...) \
  STEWARD_ASSERT_OK_AND_ASSIGN_(STEWARD_TEST_CONCAT_(result_, __LINE__), lhs, (__VA_ARGS__))

#endif  // BASE_STATUS_MATCHERS_H_
