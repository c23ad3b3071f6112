#include "plugin/cleanup/status_command.h"

#include <string>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/session.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDefinition[] = R"({"kind":"CustomResourceDefinition","name":"widgets.example.com",)"
                               R"("resource":"customresourcedefinitions.apiextensions.k8s.io"})";
constexpr char kWidget[] =
    R"({"kind":"Widget","name":"w","namespace":"ops","resource":"widgets.example.com"})";

struct Case {
  int count;
  std::string pending;
  const char* says;
};

TEST(StatusCommandTest, DefinitionsAreCountedApartFromCustomResources) {
  for (const Case& test :
       {Case{0, "", nullptr}, Case{1, kWidget, "Pending           1 custom resource\n"},
        Case{7, kWidget, "Pending           7 custom resources\n"},
        Case{1, StrCat(kDefinition, ",", kWidget),
             "Pending           1 custom resource, 1 definition being deleted\n"},
        Case{0, kDefinition, "Pending           1 definition being deleted\n"}}) {
    SCOPED_TRACE(test.pending);
    TestScene scene;
    scene.fake.Put(kCleanupStatuses,
                   StrCat(R"({"metadata":{"name":"widget.v1","namespace":"ops"},"status":{)",
                          R"("enabled":true,"optedIn":true,"phase":"Deleting","pendingCount":)",
                          test.count, R"(,"pendingDeletion":[)", test.pending, "]}}"));
    Session session = scene.session();
    EXPECT_OK(scene.Run(ShowStatus(session, {kCsv.ns, {kCsv.name}})));
    if (test.says == nullptr) {
      EXPECT_THAT(scene.screen, Not(HasSubstr("Pending")));
    } else {
      EXPECT_THAT(scene.screen, HasSubstr(test.says));
    }
  }
}

TEST(StatusCommandTest, Wide) {
  TestScene scene;
  scene.fake.Put(
      kCleanupStatuses,
      R"({"metadata":{"name":"widget.v1","namespace":"ops","creationTimestamp":)"
      R"("2023-11-14T20:13:20Z"},"status":{"enabled":true,"optedIn":true,"phase":"Stalled",)"
      R"("targetNamespaces":["a","b"],"startedAt":"2023-11-14T21:13:20Z",)"
      R"("stalledSince":"2023-11-14T22:03:20Z","pendingCount":2}})");
  Session session = scene.session();
  session.wide = true;
  EXPECT_OK(scene.Run(ShowStatus(session, {kCsv.ns})));
  EXPECT_EQ(scene.answer,
            "NAME        PHASE     PENDING   BLOCKERS   AGE    UNINSTALLED   STALLED   TARGETS\n"
            "widget.v1   Stalled   2                    120m   60m ago       10m ago   a, b\n");
}

TEST(StatusCommandTest, NothingIsFoundBesideTheAnswer) {
  TestScene scene;
  Session session = scene.session();
  EXPECT_OK(scene.Run(ShowStatus(session, {"nowhere"})));
  EXPECT_EQ(scene.answer, "");
  EXPECT_EQ(scene.screen, "No operators found\n");
}

}  // namespace
}  // namespace steward::plugin
