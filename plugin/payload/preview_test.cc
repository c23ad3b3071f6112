#include "plugin/payload/preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "plugin/command/exit.h"
#include "plugin/payload/testing/payload_scene.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

TEST(PayloadPreviewTest, OneLineForEachObject) {
  PayloadScene scene;
  scene.PutConfigMap("old");
  scene.PutConfigMap("goes");
  scene.Write({{"0000_10_a_01.yaml", ConfigMapYaml("new")},
               {"0000_10_a_02.yaml", ConfigMapYaml("old", "", "a: b")},
               {"0000_10_a_03.yaml",
                "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ns, name: other, "
                "annotations: {a: b}}}"},
               {"0000_10_a_04.yaml", ConfigMapYaml("goes", kDeletes)},
               {"0000_10_a_05.yaml", ConfigMapYaml("absent", kDeletes)}});
  EXPECT_OK(scene.Run(KnownPayloadPreview()));
  EXPECT_THAT(scene.screen, HasSubstr("create ConfigMap \"ns/new\"\n"));
  EXPECT_THAT(scene.screen, HasSubstr("update ConfigMap \"ns/old\": "));
  EXPECT_THAT(scene.screen, HasSubstr("left out ConfigMap \"ns/other\": it is not included"));
  EXPECT_THAT(scene.screen, HasSubstr("delete ConfigMap \"ns/goes\"\n"));
  EXPECT_THAT(scene.screen, HasSubstr("unchanged ConfigMap \"ns/absent\": it is not there\n"));
  EXPECT_THAT(
      scene.screen,
      HasSubstr(
          "Payload 4.5.1 (Updating): create 1, update 1, unchanged 1, delete 1, left out 1\n"));
  EXPECT_FALSE(scene.Has("new"));
  EXPECT_TRUE(scene.Has("goes"));
  EXPECT_EQ(scene.Recorded("hash"), "");

  const json::array& objects = scene.document["objects"].as_array();
  ASSERT_EQ(objects.size(), 5);
  EXPECT_EQ(objects[0].at("action"), "create");
  EXPECT_EQ(objects[0].at("kind"), "ConfigMap");
  EXPECT_EQ(objects[0].at("namespace"), "ns");
  EXPECT_FALSE(objects[1].at("fields").as_array().empty());
  EXPECT_EQ(objects[2].at("action"), "left out");
  EXPECT_EQ(objects[2].at("name"), "other");
  EXPECT_EQ(objects[2].at("reason").as_string().find("it is not included"), 0);
}

TEST(PayloadPreviewTest, WhatGoesWithANamespace) {
  PayloadScene scene;
  scene.client.Put({"", "v1", "namespaces"},
                   R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}})");
  scene.PutConfigMap("a");
  scene.PutConfigMap("b");
  scene.Write(
      {{"a.yaml", StrCat("{apiVersion: v1, kind: Namespace, metadata: {name: ns, annotations: "
                         "{include.release.openshift.io/p: \"true\", ",
                         kDeletes, "}}}")}});
  EXPECT_OK(scene.Run(KnownPayloadPreview()));
  EXPECT_THAT(scene.screen,
              HasSubstr("delete Namespace \"ns\", 2 objects go with it: 2 configmaps\n"));
  const json::value& goes = scene.document["objects"].as_array()[0].at("goes");
  EXPECT_EQ(goes, (json::value{{{"resource", "configmaps"}, {"count", 2}}}));
}

TEST(PayloadPreviewTest, RefusalsAreErrors) {
  PayloadScene scene;
  scene.Write({{"a.yaml", ConfigMapYaml("a")},
               {"b.yaml",
                "{apiVersion: a.b/v1, kind: Gone, metadata: {name: x, annotations: "
                "{include.release.openshift.io/p: \"true\"}}}"}});
  const absl::Status status = scene.Run(KnownPayloadPreview());
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1 object would be refused"));
  EXPECT_THAT(scene.screen, HasSubstr("refused Gone.a.b \"x\": the API server does not serve"));
}

// R-003-10: a payload with a fault is not previewed any further.
TEST(PayloadPreviewTest, R_003_10_FaultsAreShownAsByLint) {
  PayloadScene scene;
  scene.Write({{"a.yaml", ConfigMapYaml("a", "release.openshift.io/delete: \"no\"")}}, "");
  const absl::Status status = scene.Run(KnownPayloadPreview());
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()), HasSubstr("2 errors"));
  EXPECT_THAT(scene.screen, HasSubstr("a.yaml:1: error: ConfigMap \"ns/a\""));
  EXPECT_THAT(scene.screen, HasSubstr("release-metadata: error: "));
  EXPECT_EQ(scene.document["findings"].as_array().size(), 2);
}

}  // namespace
}  // namespace steward::plugin
