#include "apiserver/views/installed_operator/openapi/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "apiserver/views/virtual_resource/testing/schema_check.h"

namespace steward::views {
namespace {

namespace json = boost::json;

TEST(InstalledOperatorSchemaTest, IsWellFormed) {
  CheckSchema(ParseSchema(InstalledOperatorSchema()), "");
}

TEST(InstalledOperatorSchemaTest, HasWhatAnInstalledOperatorHas) {
  const json::value schema = ParseSchema(InstalledOperatorSchema());
  EXPECT_THAT(PropertiesOf(schema), testing::UnorderedElementsAre("apiVersion", "kind", "metadata",
                                                                  "scope", "spec", "status"));
  EXPECT_THAT(PropertiesOf(schema.at("properties").at("scope")),
              testing::UnorderedElementsAre("cleanupOptedIn", "conflicts", "installMode",
                                            "installNamespace", "operatorGroup", "targeted"));
  EXPECT_THAT(PropertiesOf(schema.at("properties").at("spec")),
              testing::UnorderedElementsAre(
                  "annotations", "apiservicedefinitions", "cleanup", "customresourcedefinitions",
                  "description", "displayName", "icon", "install", "installModes", "keywords",
                  "labels", "links", "maintainers", "maturity", "minKubeVersion", "nativeAPIs",
                  "provider", "relatedImages", "release", "replaces", "selector", "skips",
                  "version", "webhookdefinitions"));
  EXPECT_THAT(PropertiesOf(schema.at("properties").at("status")),
              testing::UnorderedElementsAre("certsLastUpdated", "certsRotateAt", "conditions",
                                            "lastTransitionTime", "lastUpdateTime", "message",
                                            "phase", "reason", "requirementStatus"));
}

}  // namespace
}  // namespace steward::views
