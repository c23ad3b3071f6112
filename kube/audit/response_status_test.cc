#include "kube/audit/response_status.h"

#include <gtest/gtest.h>

#include <string>

namespace steward::audit {
namespace {

TEST(ResponseStatusTest, IsAStatusWithoutItsKind) {
  EXPECT_EQ(ResponseStatusOf(200), R"({"metadata":{},"code":200})");
  EXPECT_EQ(ResponseStatusOf(R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"x"},)"
                             R"("status":"Failure","message":"no","reason":"Forbidden",)"
                             R"("details":{"kind":"widgets"},"code":403})",
                             403),
            R"({"metadata":{},"status":"Failure","message":"no","reason":"Forbidden",)"
            R"("details":{"kind":"widgets"},"code":403})");
}

TEST(ResponseStatusTest, WhatIsNoneIsACode) {
  EXPECT_EQ(ResponseStatusOf("[]", 500), R"({"metadata":{},"code":500})");
  EXPECT_EQ(ResponseStatusOf("{", 500), R"({"metadata":{},"code":500})");
  EXPECT_EQ(ResponseStatusOf("{\"a\":\"" + std::string(20'000, 'x') + "\"}", 400),
            R"({"metadata":{},"code":400})");
}

}  // namespace
}  // namespace steward::audit
