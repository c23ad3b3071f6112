#include "plugin/copied_csvs/toggle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "olm/config/olm_config.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDone[] =
    "Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in "
    "AllNamespace mode";
constexpr char kAll[] = "Copied CSVs are enabled and present across the cluster";

// An operator for all namespaces in "home", with copies in "red" and "blue", and one for "red".
class ToggleTest : public ::testing::Test {
 protected:
  ToggleTest() {
    for (const auto& gvr :
         {kCsvs, kOperatorGroups, kOlmConfigs, kNamespaces, kInstalledOperators}) {
      scene_.fake.Serve(gvr);
    }
    for (const auto& [key, text] : scene_.fake.Objects(kCsvs)) scene_.fake.Delete(kCsvs, key);
    for (const auto& [key, text] : scene_.fake.Objects(kNamespaces)) {
      scene_.fake.Delete(kNamespaces, key);
    }
    for (const char* ns : {"home", "red", "blue", "few"}) {
      scene_.fake.Put(kNamespaces, StrCat(R"({"metadata":{"name":")", ns, R"("}})"));
    }
    PutGroup("home", "{}");
    PutGroup("few", R"({"targetNamespaces":["red"]})");
    PutCsv("home", "etcd.v1", "");
    for (const char* ns : {"red", "blue", "few"}) PutCsv(ns, "etcd.v1", "home");
    PutCsv("few", "single.v1", "");
    PutCsv("red", "single.v1", "few");
    scene_.yes = true;
  }
  void PutGroup(const std::string& ns, const std::string& spec) {
    scene_.fake.Put(kOperatorGroups, StrCat(R"({"metadata":{"name":"g","namespace":")", ns,
                                            R"("},"spec":)", spec, "}"));
  }
  void PutCsv(const std::string& ns, const std::string& name, const std::string& from) {
    const std::string labels = from.empty() ? "" : StrCat(R"("olm.copiedFrom":")", from, "\"");
    scene_.fake.Put(
        kCsvs, StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"(","labels":{)",
                      labels, R"(}},"spec":{},"status":{"phase":"Succeeded",)", R"("reason":")",
                      from.empty() ? "InstallSucceeded" : "Copied", "\"}}"));
  }
  void PutConfig(const std::string& features, const std::string& condition = "") {
    scene_.fake.Put(kOlmConfigs,
                    StrCat(R"({"metadata":{"name":"cluster"},"spec":{"features":)", features,
                           R"(},"status":{"conditions":[)", condition, "]}}"));
  }
  static std::string Condition(const char* status, const char* reason, const char* message) {
    return StrCat(R"({"type":"DisabledCopiedCSVs","status":")", status, R"(","reason":")", reason,
                  R"(","message":")", message, "\"}");
  }
  // The controllers write the condition after some time.
  void CarryOutAfter(absl::Duration time, const std::string& condition) {
    scene_.clock.on_sleep = [this, time, condition] {
      if (scene_.clock.Monotonic() < time) return;
      json::object config = scene_.Object(kOlmConfigs, {"", "cluster"}).as_object();
      config["status"] = {{"conditions", json::array{json::parse(condition)}}};
      scene_.fake.Put(kOlmConfigs, json::serialize(config));
      scene_.clock.on_sleep = nullptr;
    };
  }
  json::value Features() {
    return scene_.Object(kOlmConfigs, {"", "cluster"}).at("spec").at("features");
  }
  absl::Status Toggle(ToggleOptions options) {
    Session session = scene_.session();
    return scene_.Run(ToggleCopies(session, options));
  }
  absl::Status Show() {
    Session session = scene_.session();
    return scene_.Run(ShowCopies(session));
  }
  int Writes() {
    return scene_.client.calls({kube::ClientVerb::kCreate, kOlmConfigs}) +
           scene_.client.calls({kube::ClientVerb::kPatch, kOlmConfigs});
  }

  TestScene scene_;
};

TEST_F(ToggleTest, R_004_09_OffShowsAsksWritesAndWaits) {
  PutConfig(R"({"disable-copied-csvs":false})");
  CarryOutAfter(absl::Seconds(5), Condition("True", "CopiedCSVsDisabled", kDone));
  EXPECT_OK(Toggle({.off = true}));
  EXPECT_EQ(Features(), json::parse(R"({"disableCopiedCSVs":true})"));
  EXPECT_THAT(scene_.screen, HasSubstr("Turning copies off deletes 3 copies in 3 namespaces:\n"
                                       "  home/etcd.v1: 3 copies\n"));
  EXPECT_THAT(
      scene_.screen,
      HasSubstr("Whoever may read these namespaces, and not the operator's own, loses sight "
                "of it:\n  blue, few, red: home/etcd.v1\n"));
  EXPECT_THAT(scene_.screen, HasSubstr("kubectl get installedoperators does"));
  EXPECT_THAT(scene_.screen, HasSubstr("Done: no copy is left"));
  EXPECT_EQ(scene_.document.at("changed"), true);
  EXPECT_EQ(scene_.document.at("condition").at("status"), "True");
  EXPECT_EQ(
      scene_.document.at("deletes").at(0),
      json::parse(R"({"namespace":"blue","copiesOf":[{"namespace":"home","name":"etcd.v1"}]})"));
}

TEST_F(ToggleTest, R_004_10_OnIsTheWayBack) {
  PutConfig(R"({"disableCopiedCSVs":true})", Condition("True", "CopiedCSVsDisabled", kDone));
  scene_.fake.Delete(kCsvs, {"red", "etcd.v1"});
  CarryOutAfter(absl::Seconds(5), Condition("False", "CopiedCSVsEnabled", kAll));
  EXPECT_OK(Toggle({.off = false}));
  EXPECT_EQ(Features(), json::parse(R"({"disableCopiedCSVs":false})"));
  EXPECT_THAT(scene_.screen, HasSubstr("Turning copies on makes 1 copy in 1 namespace:\n"
                                       "  home/etcd.v1: 1 copy\n"));
  EXPECT_THAT(scene_.screen, HasSubstr("Done: all copies are there"));
}

TEST_F(ToggleTest, ADryRunWritesNothing) {
  PutConfig("{}");
  EXPECT_OK(Toggle({.off = true, .dry_run = true}));
  EXPECT_THAT(scene_.screen, HasSubstr("deletes 3 copies"));
  EXPECT_EQ(scene_.document.at("changed"), false);
  EXPECT_EQ(Writes(), 0);
}

TEST_F(ToggleTest, WhatTheClusterForeseesIsShownBothWays) {
  const kube::GroupVersionResource previews = {"views.operators.coreos.com", "v1alpha1",
                                               "planpreviews"};
  scene_.fake.Serve(previews);
  std::string asked;
  scene_.fake.HandleCreate(previews, [&asked](const json::value& question) {
    asked = json::serialize(question.at("spec"));
    json::value answer = question;
    answer.as_object()["status"] =
        json::parse(R"({"steps":[],"conditions":[{"type":"Executable","status":"False",)"
                    R"("reason":"NobodyCopies","message":"nobody makes copies"}]})");
    return absl::StatusOr<json::value>(answer);
  });
  PutConfig("{}");
  EXPECT_OK(Toggle({.off = true, .dry_run = true}));
  EXPECT_EQ(asked, R"({"copiedCSVs":{"enabled":false}})");
  EXPECT_THAT(scene_.screen, HasSubstr("0 steps\nNobodyCopies: nobody makes copies\n"));
  scene_.screen.clear();
  scene_.fake.Delete(kCsvs, {"red", "etcd.v1"});
  EXPECT_OK(Toggle({.off = false, .dry_run = true}));
  EXPECT_EQ(asked, R"({"copiedCSVs":{"enabled":true}})");
  EXPECT_THAT(scene_.screen, HasSubstr("NobodyCopies: nobody makes copies\n"));
}

TEST_F(ToggleTest, LossesOfManyNamespacesAreShort) {
  PutConfig("{}");
  for (int i = 10; i < 50; ++i) {
    scene_.fake.Put(kNamespaces, StrCat(R"({"metadata":{"name":"n)", i, R"("}})"));
    PutCsv(StrCat("n", i), "etcd.v1", "home");
  }
  EXPECT_OK(Toggle({.off = true, .dry_run = true}));
  EXPECT_THAT(scene_.screen,
              HasSubstr("  blue, few, n10, n11, n12, n13, n14, n15, n16, n17, n18, n19 and 31 more "
                        "namespaces: home/etcd.v1\n"));
}

TEST_F(ToggleTest, NoIsNo) {
  PutConfig("{}");
  scene_.yes = false;
  scene_.answers = {"n"};
  EXPECT_EQ(ExitOf(Toggle({.off = true})), Exit::kRefused);
  EXPECT_EQ(Writes(), 0);
}

TEST_F(ToggleTest, AnOlmConfigIsMadeWhereThereIsNone) {
  EXPECT_OK(Toggle({.off = true, .wait = false}));
  EXPECT_EQ(Features(), json::parse(R"({"disableCopiedCSVs":true})"));
}

TEST_F(ToggleTest, OnIsWhatIsWithoutAnOlmConfig) {
  EXPECT_OK(Toggle({.off = false}));
  EXPECT_THAT(scene_.screen, HasSubstr("All copies are there, and there is no OLMConfig cluster"));
  EXPECT_EQ(Writes(), 0);
}

// The controllers may run with --disable-copied-csvs.
TEST_F(ToggleTest, R_004_26_WhereCopiesAreMissingOnSaysSoInAnOlmConfig) {
  scene_.fake.Delete(kCsvs, {"red", "etcd.v1"});
  EXPECT_OK(Toggle({.off = false, .wait = false}));
  EXPECT_EQ(Features(), json::parse(R"({"disableCopiedCSVs":false})"));
}

TEST_F(ToggleTest, CopiesThatStayAreNamedAndTheCommandSaysThatItIsNotDone) {
  struct Case {
    const char* name;
    const char* condition;
  };
  for (const Case& c : {
           Case{"Steward's controllers say so", olm::kUnexplainedCopies.data()},
           Case{"OLM's do not", kDone},
       }) {
    SCOPED_TRACE(c.name);
    scene_.screen.clear();
    PutConfig("{}");
    PutCsv("lost", "etcd.v1", "");  // in a namespace without OperatorGroup
    PutCsv("red", "etcd.v1", "lost");
    PutCsv("blue", "etcd.v1", "never-was");
    const bool done = c.condition == kDone;
    CarryOutAfter(scene_.clock.Monotonic() + absl::Seconds(5),
                  Condition(done ? "True" : "False", "CopiedCSVsDisabled", c.condition));
    const absl::Status status = Toggle({.off = true});
    EXPECT_EQ(ExitOf(status), Exit::kStalled);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("copies are turned off, and 2 copies are left"));
    EXPECT_THAT(scene_.screen, HasSubstr("  1 copy of lost/etcd.v1 stays: its namespace has not "
                                         "exactly one valid OperatorGroup\n"));
    EXPECT_THAT(scene_.screen, HasSubstr("  1 copy of never-was/etcd.v1 (gone) stays\n"));
    EXPECT_THAT(scene_.screen, Not(HasSubstr("Done")));
    EXPECT_EQ(scene_.document.at("left"), 2);
  }
}

TEST_F(ToggleTest, WhatIsSaidAlreadyIsNotWrittenAgain) {
  PutConfig(R"({"disableCopiedCSVs":true})", Condition("True", "CopiedCSVsDisabled", kDone));
  EXPECT_OK(Toggle({.off = true}));
  EXPECT_EQ(Writes(), 0);
  EXPECT_THAT(scene_.screen, HasSubstr("says already that copies are off"));
}

TEST_F(ToggleTest, ControllersThatSayNothingAreAStall) {
  PutConfig("{}");
  const absl::Status status = Toggle({.off = true, .timeout = absl::Minutes(1)});
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Does olm-operator run"));
  EXPECT_EQ(scene_.document.at("changed"), true);
}

TEST_F(ToggleTest, SomebodyElsesChoiceEndsTheWait) {
  PutConfig("{}");
  scene_.clock.on_sleep = [this] { PutConfig(R"({"disableCopiedCSVs":false})"); };
  EXPECT_EQ(ExitOf(Toggle({.off = true})), Exit::kRefused);
}

TEST_F(ToggleTest, WhoMayNotIsRefused) {
  PutConfig("{}");
  const kube::GroupVersionResource* gvrs[] = {&kNamespaces, &kOperatorGroups, &kCsvs};
  for (const auto* gvr : gvrs) {
    scene_.client.FailNext({kube::ClientVerb::kList, *gvr},
                           kube::ToStatus(kube::Forbidden(*gvr, "", "no")));
    EXPECT_EQ(ExitOf(Toggle({.off = true})), Exit::kRefused) << gvr->resource;
  }
  scene_.client.FailNext({kube::ClientVerb::kGet, kOlmConfigs},
                         kube::ToStatus(kube::Forbidden(kOlmConfigs, "cluster", "no")));
  EXPECT_EQ(ExitOf(Toggle({.off = true})), Exit::kRefused);
  scene_.client.FailNext({kube::ClientVerb::kPatch, kOlmConfigs},
                         kube::ToStatus(kube::Forbidden(kOlmConfigs, "cluster", "no")));
  EXPECT_EQ(ExitOf(Toggle({.off = true})), Exit::kRefused);
  EXPECT_EQ(Features(), json::parse("{}"));
}

TEST_F(ToggleTest, AClusterWithoutTheKindSaysSo) {
  scene_.fake.Withdraw(kOlmConfigs);
  EXPECT_THAT(Toggle({.off = true}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Show(), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(ToggleTest, WithoutTheViewNobodySeesThem) {
  PutConfig("{}");
  scene_.fake.Withdraw(kInstalledOperators);
  EXPECT_OK(Toggle({.off = true, .dry_run = true}));
  EXPECT_THAT(scene_.screen, HasSubstr("Nobody sees these operators there any more"));
}

TEST_F(ToggleTest, StatusCountsEachOperator) {
  scene_.fake.Delete(kCsvs, {"red", "etcd.v1"});
  EXPECT_OK(Show());
  EXPECT_THAT(scene_.screen, HasSubstr("there is no OLMConfig cluster\n"
                                       "  home/etcd.v1: 2 copies, 1 missing\n"));
  EXPECT_THAT(scene_.screen, Not(HasSubstr("single.v1")));
  scene_.screen.clear();
  PutConfig(R"({"disableCopiedCSVs":true})");
  EXPECT_OK(Show());
  EXPECT_THAT(scene_.screen, HasSubstr("turned off\nNo controller has said yet"));
  EXPECT_THAT(scene_.screen, HasSubstr("  home/etcd.v1: 2 copies, 2 to be deleted\n"));
  EXPECT_EQ(scene_.document.at("operators").at(0),
            json::parse(R"({"namespace":"home","name":"etcd.v1","copies":2,"missing":0,)"
                        R"("unexpected":2})"));
  scene_.screen.clear();
  PutConfig(R"({"disableCopiedCSVs":true})", Condition("True", "CopiedCSVsDisabled", kDone));
  EXPECT_OK(Show());
  EXPECT_THAT(scene_.screen, HasSubstr(kDone));
}

TEST_F(ToggleTest, R_004_26_AChoiceThatIsNotUnderstoodIsSaidToBe) {
  for (const char* choice : {R"("true")", "1", "[]"}) {
    SCOPED_TRACE(choice);
    scene_.screen.clear();
    PutConfig(StrCat(R"({"disableCopiedCSVs":)", choice, "}"));
    EXPECT_OK(Show());
    EXPECT_THAT(scene_.screen, HasSubstr("is not understood: its disableCopiedCSVs is neither"));
    EXPECT_FALSE(scene_.document.contains("copiesTurnedOff"));
  }
}

}  // namespace
}  // namespace steward::plugin
