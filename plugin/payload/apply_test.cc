#include "plugin/payload/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "plugin/command/exit.h"
#include "plugin/payload/testing/payload_scene.h"

namespace steward::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHeld[] = R"(,"finalizers":["example.com/hold"])";

TEST(PayloadApplyTest, SaysWhatChanged) {
  PayloadScene scene;
  scene.PutConfigMap("old");
  scene.Write({{"a.yaml", ConfigMapYaml("new")}, {"b.yaml", ConfigMapYaml("old", "", "a: b")}});
  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_EQ(scene.screen,
            "created ConfigMap \"ns/new\"\n"
            "updated ConfigMap \"ns/old\"\n"
            "Payload 4.5.1 (Updating): created 1, updated 1\n");
  EXPECT_TRUE(scene.Has("new"));
  EXPECT_EQ(scene.Recorded("version"), "4.5.1");
  EXPECT_NE(scene.Recorded("completed"), "");
  EXPECT_EQ(scene.document["counts"].at("created"), 1);
  EXPECT_EQ(scene.document["objects"].as_array().size(), 2);

  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_EQ(scene.screen, "Payload 4.5.1 (Reconciling): unchanged 2\n");
}

TEST(PayloadApplyTest, ABarOnATerminal) {
  PayloadScene scene;
  scene.live = true;
  scene.Write({{"a.yaml", ConfigMapYaml("a")}, {"b.yaml", ConfigMapYaml("b")}});
  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("[##########----------]  1 of 2"), HasSubstr("2 of 2"),
                                  HasSubstr("Payload 4.5.1 (Updating): created 2"),
                                  Not(HasSubstr("created ConfigMap"))));
}

// Only objects are deleted that the user was shown and agreed to.
TEST(PayloadApplyTest, AsksBeforeItDeletes) {
  PayloadScene scene;
  scene.PutConfigMap("goes");
  scene.Write(
      {{"a.yaml", ConfigMapYaml("goes", kDeletes)}, {"b.yaml", ConfigMapYaml("absent", kDeletes)}});
  EXPECT_EQ(ExitOf(scene.Run(KnownPayloadApply())), Exit::kUsage);
  scene.can_ask = true;
  scene.answers = {"n"};
  EXPECT_EQ(ExitOf(scene.Run(KnownPayloadApply())), Exit::kRefused);
  EXPECT_TRUE(scene.Has("goes"));
  EXPECT_EQ(scene.Recorded("version"), "");

  scene.answers = {"y"};
  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("delete ConfigMap \"ns/goes\"\n"),
                                  HasSubstr("Apply the payload 4.5.1 and delete 1 object?"),
                                  HasSubstr("removed ConfigMap \"ns/goes\"\n"),
                                  Not(HasSubstr("removed ConfigMap \"ns/absent\"")),
                                  HasSubstr("): removed 2\n")));
  EXPECT_FALSE(scene.Has("goes"));

  // A second run asks nothing and deletes nothing again.
  scene.PutConfigMap("goes");
  scene.can_ask = false;
  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_THAT(scene.screen, HasSubstr("kept ConfigMap \"ns/goes\": an object of this name"));
  EXPECT_TRUE(scene.Has("goes"));
}

// R-003-17, 20: an apply does not wait for an object that is being deleted, which holds minor
// updates.
TEST(PayloadApplyTest, R_003_20_ADeletionThatWaits) {
  PayloadScene scene;
  scene.yes = true;
  scene.PutConfigMap("held", kHeld);
  scene.Write({{"a.yaml", ConfigMapYaml("held", kDeletes)}});
  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("being removed ConfigMap \"ns/held\"\n"),
                                  HasSubstr("Minor updates wait: ")));
  scene.Write({{"a.yaml", ConfigMapYaml("new")}}, "4.6.0");
  const absl::Status status = scene.Run(KnownPayloadApply());
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("refused: "), HasSubstr("ConfigMap \"ns/held\"")));
  EXPECT_FALSE(scene.Has("new"));
  EXPECT_OK(scene.Run(KnownPayloadApply(), {"--force"}));
  EXPECT_THAT(scene.screen, HasSubstr("warning: "));
  EXPECT_TRUE(scene.Has("new"));
}

TEST(PayloadApplyTest, R_003_22_ADeletionThatIsWaitedFor) {
  PayloadScene scene;
  scene.yes = true;
  scene.PutConfigMap("held", kHeld);
  scene.Write({{"a.yaml", ConfigMapYaml("held", kDeletes)}, {"b.yaml", ConfigMapYaml("b")}});
  const absl::Status status =
      scene.Run(KnownPayloadApply(), {"--payload-delete=blocking", "--payload-delete-timeout=1s"});
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("failed ConfigMap \"ns/held\": it was not gone after"),
                                  HasSubstr("failed 1, not begun 1\n")));
  EXPECT_FALSE(scene.Has("b"));
}

TEST(PayloadApplyTest, FailuresAreNamed) {
  PayloadScene scene;
  scene.Write({{"0000_10_a_01.yaml", ConfigMapYaml("a")},
               {"0000_10_b_01.yaml", ConfigMapYaml("b")},
               {"0000_20_a_01.yaml", ConfigMapYaml("c")}});
  scene.client.FailNext(kube::FakeClient::Verb::kGet, kube::kConfigMaps,
                        absl::OkStatus());  // the read of the record
  scene.client.FailNext(kube::FakeClient::Verb::kGet, kube::kConfigMaps,
                        kube::ToStatus(kube::Forbidden(kube::kConfigMaps, "", "not for you")));
  const absl::Status status = scene.Run(KnownPayloadApply());
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1 object failed"));
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("failed ConfigMap \"ns/a\": "),
                                  HasSubstr("created ConfigMap \"ns/b\"\n"),
                                  HasSubstr("created 1, failed 1, not begun 1\n")));
  EXPECT_OK(scene.Run(KnownPayloadApply()));
  EXPECT_TRUE(scene.Has("a"));
  EXPECT_TRUE(scene.Has("c"));
}

TEST(PayloadApplyTest, MissingRightsComeBeforeTheFirstWrite) {
  PayloadScene scene;
  scene.Deny("create configmaps");
  scene.Write({{"a.yaml", ConfigMapYaml("a")}});
  EXPECT_EQ(ExitOf(scene.Run(KnownPayloadApply())), Exit::kRefused);
  EXPECT_THAT(scene.screen,
              HasSubstr("refused: a right is missing: create configmaps in namespace \"ns\"\n"));
  EXPECT_EQ(scene.Recorded("version"), "");
  EXPECT_EQ(scene.document["reasons"].as_array().size(), 1);
}

TEST(PayloadApplyTest, ARecordThatCannotBeReadIsAnError) {
  PayloadScene scene;
  scene.Write({{"a.yaml", ConfigMapYaml("a")}});
  scene.client.FailNext(kube::FakeClient::Verb::kGet, kube::kConfigMaps,
                        kube::ToStatus(kube::Forbidden(kube::kConfigMaps, "", "not for you")));
  const absl::Status status = scene.Run(KnownPayloadApply());
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the payload's record"));
  EXPECT_EQ(scene.screen, "");
  EXPECT_FALSE(scene.Has("a"));
}

}  // namespace
}  // namespace steward::plugin
