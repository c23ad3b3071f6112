#include "apiserver/views/plan_preview/openapi/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "apiserver/views/virtual_resource/testing/schema_check.h"

namespace steward::views {
namespace {

TEST(PlanPreviewSchemaTest, IsWellFormed) { CheckSchema(ParseSchema(PlanPreviewSchema()), ""); }

TEST(PlanPreviewSchemaTest, HasWhatAPlanPreviewHas) {
  const boost::json::value schema = ParseSchema(PlanPreviewSchema());
  EXPECT_THAT(PropertiesOf(schema),
              testing::UnorderedElementsAre("apiVersion", "kind", "metadata", "spec", "status"));
  const boost::json::value& status = schema.at("properties").at("status");
  EXPECT_THAT(PropertiesOf(status),
              testing::UnorderedElementsAre("approved", "clusterServiceVersionNames", "conditions",
                                            "hidden", "phase", "remaining", "steps", "summary"));
  EXPECT_THAT(PropertiesOf(schema.at("properties").at("spec")),
              testing::UnorderedElementsAre("bundle", "copiedCSVs", "installPlan", "uninstall"));
  EXPECT_THAT(PropertiesOf(status.at("properties").at("steps").at("items")),
              testing::UnorderedElementsAre("basis", "changedFields", "changes", "code",
                                            "declaredOptional", "group", "index", "kind", "message",
                                            "name", "namespace", "optional", "outcome", "reason",
                                            "resolving", "status", "version", "warnings"));
}

}  // namespace
}  // namespace steward::views
