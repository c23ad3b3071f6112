#include "olm/plan/execution_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steward::olm {
namespace {

TEST(ExecutionOrderTest, R_002_24_OperatorsThenDefinitionsThenAccountsThenTheRest) {
  EXPECT_THAT(ExecutionOrder({StepKind::kBuiltIn, StepKind::kBinding, StepKind::kRole,
                              StepKind::kDefinition, StepKind::kServiceAccount, StepKind::kOther,
                              StepKind::kCsv, StepKind::kDefinition}),
              ::testing::ElementsAre(6, 3, 7, 4, 2, 1, 0, 5));
  EXPECT_THAT(ExecutionOrder({}), ::testing::IsEmpty());
}

TEST(ExecutionOrderTest, StepsThatNeedNothingOfEachOtherGoTogether) {
  EXPECT_TRUE(MayGoTogether(StepKind::kServiceAccount, StepKind::kServiceAccount));
  EXPECT_TRUE(MayGoTogether(StepKind::kBuiltIn, StepKind::kOther));
  EXPECT_TRUE(MayGoTogether(StepKind::kSubscription, StepKind::kBuiltIn));
  EXPECT_FALSE(MayGoTogether(StepKind::kRole, StepKind::kBinding));
  EXPECT_FALSE(MayGoTogether(StepKind::kServiceAccount, StepKind::kBuiltIn));
  EXPECT_FALSE(MayGoTogether(StepKind::kCsv, StepKind::kCsv));
  EXPECT_FALSE(MayGoTogether(StepKind::kDefinition, StepKind::kDefinition));
}

}  // namespace
}  // namespace steward::olm
