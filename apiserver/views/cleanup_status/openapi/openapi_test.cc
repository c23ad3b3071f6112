#include "apiserver/views/cleanup_status/openapi/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "apiserver/views/virtual_resource/testing/schema_check.h"

namespace steward::views {
namespace {

TEST(CleanupStatusSchemaTest, IsWellFormed) { CheckSchema(ParseSchema(CleanupStatusSchema()), ""); }

TEST(CleanupStatusSchemaTest, HasWhatACleanupStatusHas) {
  const boost::json::value schema = ParseSchema(CleanupStatusSchema());
  EXPECT_THAT(PropertiesOf(schema),
              testing::UnorderedElementsAre("apiVersion", "kind", "metadata", "status"));
  EXPECT_THAT(
      PropertiesOf(schema.at("properties").at("status")),
      testing::UnorderedElementsAre("blockers", "conditions", "enabled", "optedIn", "pendingCount",
                                    "pendingDeletion", "pendingElsewhere", "phase", "resources",
                                    "stalledSince", "startedAt", "targetNamespaces"));
}

}  // namespace
}  // namespace steward::views
