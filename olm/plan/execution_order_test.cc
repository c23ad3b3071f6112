#include "olm/plan/execution_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steward::olm {
namespace {

TEST(ExecutionOrderTest, R_002_24_OperatorsThenDefinitionsThenAccountsThenTheRest) {
  EXPECT_THAT(ExecutionOrder({StepKind::kBuiltIn, StepKind::kAccess, StepKind::kDefinition,
                              StepKind::kServiceAccount, StepKind::kOther, StepKind::kCsv,
                              StepKind::kDefinition}),
              ::testing::ElementsAre(5, 2, 6, 3, 1, 0, 4));
  EXPECT_THAT(ExecutionOrder({}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace steward::olm
