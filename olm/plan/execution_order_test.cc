#include "olm/plan/execution_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steward::olm {
namespace {

PlanStep Of(const char* group, const char* kind) {
  PlanStep step;
  step.gvk = {group, "v1", kind};
  return step;
}

TEST(ExecutionOrderTest, R_002_24_OperatorsThenDefinitionsThenAccountsThenTheRest) {
  EXPECT_THAT(ExecutionOrder({Of("", "Secret"), Of("rbac.authorization.k8s.io", "Role"),
                              Of("apiextensions.k8s.io", "CustomResourceDefinition"),
                              Of("", "ServiceAccount"), Of("", "ConfigMap"),
                              Of("operators.coreos.com", "ClusterServiceVersion"),
                              Of("apiextensions.k8s.io", "CustomResourceDefinition")}),
              ::testing::ElementsAre(5, 2, 6, 3, 1, 0, 4));
  EXPECT_THAT(ExecutionOrder({}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace steward::olm
