#include "plugin/copied_csvs/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Two namespaces in which operators of "ops" work, as OLM's copies and as InstalledOperators.
class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    for (const kube::GroupVersionResource& gvr : {kInstalledOperators, kOlmConfigs, kNamespaces}) {
      scene.fake.Serve(gvr);
    }
    scene.clock.on_sleep = nullptr;
    for (const char* ns : {"a", "a-b", "ops"}) PutNamespace(ns);
  }

  void PutNamespace(const std::string& name, const std::string& more = "") {
    scene.fake.Put(kNamespaces, StrCat(R"({"metadata":{"name":")", name, "\"", more, "}}"));
  }
  // `team` is the value of a label, in which the two sides may differ.
  void PutCopy(const std::string& ns, const std::string& name, const std::string& team = "x") {
    scene.fake.Put(
        kCsvs,
        StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
               R"("metadata":{"generation":3,)", Named(ns, name, team), "},", Content(), "}"));
  }
  void PutView(const std::string& ns, const std::string& name, const std::string& mode,
               const std::string& team = "x") {
    scene.fake.Put(
        kInstalledOperators,
        StrCat(R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"InstalledOperator",)",
               R"("metadata":{)", Named(ns, name, team), R"(},"scope":{"installMode":")", mode,
               R"("},)", Content(), "}"));
  }
  void PutBoth(const std::string& ns, const std::string& name,
               const std::string& mode = "AllNamespaces") {
    PutCopy(ns, name);
    PutView(ns, name, mode);
  }
  void TurnOff() {
    scene.fake.Put(kOlmConfigs, R"({"metadata":{"name":"cluster"},)"
                                R"("spec":{"features":{"disableCopiedCSVs":true}}})");
  }

  absl::Status Verify(const std::string& ns = "") {
    VerifyOptions options;
    options.ns = ns;
    options.timeout = absl::Minutes(1);
    Session session = scene.session();
    return scene.Run(VerifyCopies(session, options));
  }
  int64_t Number(const char* field) { return scene.document.at(field).to_number<int64_t>(); }

  TestScene scene;

 private:
  static std::string Named(const std::string& ns, const std::string& name,
                           const std::string& team) {
    return StrCat(R"("namespace":")", ns, R"(","name":")", name,
                  R"(","labels":{"olm.copiedFrom":"ops","team":")", team, R"("})");
  }
  static std::string Content() {
    return R"("spec":{"displayName":"Widgets"},"status":{"phase":"Succeeded","reason":"Copied"})";
  }
};

TEST_F(VerifyTest, R_004_43_WhatIsFound) {
  struct Case {
    const char* name;
    std::function<void()> put;
    const char* said;   // expected on the screen
    const char* error;  // "" = none
  };
  for (const Case& c : {
           Case{"nothing", [] {}, "No copies in 3 namespaces\n", ""},
           Case{"the same",
                [this] {
                  PutBoth("a", "w.v1");
                  PutBoth("a-b", "w.v1");
                },
                "Compared 2 copies in 3 namespaces with InstalledOperators: all the same\n", ""},
           Case{"a label",
                [this] {
                  PutCopy("a", "w.v1", "x");
                  PutView("a", "w.v1", "AllNamespaces", "y");
                },
                "a/w.v1: metadata.labels.team\n"
                "  copy               \"x\"\n"
                "  InstalledOperator  \"y\"\n",
                "1 copy differs from the InstalledOperator"},
           Case{"only a copy", [this] { PutCopy("a", "w.v1"); },
                "a/w.v1: a copy, but no InstalledOperator\n", "1 copy has no InstalledOperator"},
           Case{"only an InstalledOperator", [this] { PutView("a", "w.v1", "AllNamespaces"); },
                "a/w.v1: an InstalledOperator, but no copy\n"
                "No copies in 3 namespaces\n"
                "There are no copies at all, though no OLMConfig turns them off\n",
                "1 InstalledOperator has no copy"},
           Case{"a copy that lost its label",
                [this] {
                  PutView("a", "w.v1", "AllNamespaces");
                  scene.fake.Put(kCsvs, R"({"metadata":{"namespace":"a","name":"w.v1"},)"
                                        R"("spec":{"displayName":"Widgets"},)"
                                        R"("status":{"phase":"Succeeded","reason":"Copied"}})");
                },
                "a/w.v1: metadata.labels\n  copy               nothing\n",
                "1 copy differs from the InstalledOperator"},
           Case{"everything at once, in one namespace",
                [this] {
                  PutBoth("a", "1");
                  PutCopy("a", "2");
                  PutBoth("a", "3");
                  PutView("a", "4", "AllNamespaces");
                  PutCopy("a", "5", "y");
                  PutView("a", "5", "AllNamespaces");
                  PutCopy("a", "6");
                },
                "Compared 5 copies in 3 namespaces with InstalledOperators: 2 the same\n",
                "1 copy differs from the InstalledOperator, 2 copies have no InstalledOperator, 1 "
                "InstalledOperator has no copy"},
       }) {
    SCOPED_TRACE(c.name);
    for (const kube::GroupVersionResource& gvr : {kCsvs, kInstalledOperators}) {
      for (const auto& [name, text] : scene.fake.Objects(gvr)) scene.fake.Delete(gvr, name);
    }
    scene.screen.clear();
    scene.document.clear();
    c.put();
    const absl::Status status = Verify();
    EXPECT_THAT(scene.screen, HasSubstr(c.said));
    EXPECT_EQ(status.message(), c.error);
    EXPECT_EQ(ExitOf(status), *c.error == '\0' ? Exit::kDone : Exit::kError);
    EXPECT_EQ(scene.document.at("differences").as_array().empty(), status.ok());
  }
}

TEST_F(VerifyTest, OneNamespaceOnly) {
  PutBoth("a", "w.v1");
  PutCopy("a-b", "w.v1");
  EXPECT_OK(Verify("a"));
  EXPECT_EQ(Number("namespaces"), 1);
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kList, kNamespaces}), 0);
  EXPECT_FALSE(Verify("a-b").ok());
}

TEST_F(VerifyTest, WhatTurningThemOffWouldSave) {
  PutBoth("a", "w.v1");
  PutBoth("a-b", "w.v1");
  PutBoth("a", "some.v1", "MultiNamespace");
  EXPECT_OK(Verify());
  const int64_t bytes = static_cast<int64_t>(scene.fake.Objects(kCsvs).at({"a", "w.v1"}).size() +
                                             scene.fake.Objects(kCsvs).at({"a-b", "w.v1"}).size());
  const boost::json::value& savings = scene.document.at("savings");
  EXPECT_EQ(savings.at("copies"), 2);
  EXPECT_EQ(savings.at("etcdBytes"), bytes);
  EXPECT_EQ(savings.at("memoryBytes"), 5 * bytes);
  EXPECT_EQ(savings.at("copiesThatStay"), 1);
  EXPECT_THAT(
      scene.screen,
      HasSubstr("Turning copies off would delete 2 copies of operators for all namespaces: "));
  EXPECT_THAT(scene.screen, HasSubstr("1 copy stays, of operators for some namespaces\n"));
}

TEST_F(VerifyTest, R_004_07_WhereCopiesAreOffThoseOfAllNamespacesNeedNone) {
  TurnOff();
  PutView("a", "w.v1", "AllNamespaces");
  PutView("a-b", "w.v1", "AllNamespaces");
  PutBoth("ops", "protected.v1");
  EXPECT_OK(Verify());
  EXPECT_THAT(scene.screen, HasSubstr("Copies are turned off by the OLMConfig cluster: 2 "
                                      "InstalledOperators have none, as it should be\n"));
  EXPECT_THAT(scene.screen, HasSubstr("1 copy is left of operators for all namespaces"));
  EXPECT_EQ(scene.document.at("copiesTurnedOff"), true);
  EXPECT_EQ(Number("withoutCopyAsTurnedOff"), 2);

  PutView("a", "some.v1", "SingleNamespace");
  EXPECT_THAT(std::string(Verify().message()), HasSubstr("1 InstalledOperator has no copy"));
}

TEST_F(VerifyTest, WhatChangesMeanwhileIsNoDifference) {
  struct Case {
    const char* name;
    std::function<void()> before;
    std::function<void()> meanwhile;
  };
  for (const Case& c : {
           Case{"the view follows",
                [this] {
                  PutCopy("a", "w.v1", "new");
                  PutView("a", "w.v1", "AllNamespaces", "old");
                },
                [this] { PutView("a", "w.v1", "AllNamespaces", "new"); }},
           Case{"a copy is made", [this] { PutView("a", "w.v1", "AllNamespaces"); },
                [this] { PutCopy("a", "w.v1"); }},
           Case{"a copy is deleted", [this] { PutCopy("a", "w.v1"); },
                [this] {
                  scene.fake.Delete(kCsvs, {"a", "w.v1"});
                }},
           Case{"both go",
                [this] {
                  PutCopy("a", "w.v1", "1");
                  PutView("a", "w.v1", "AllNamespaces", "2");
                },
                [this] {
                  scene.fake.Delete(kCsvs, {"a", "w.v1"});
                  scene.fake.Delete(kInstalledOperators, {"a", "w.v1"});
                }},
           Case{"copies are turned off", [this] { PutView("a", "w.v1", "AllNamespaces"); },
                [this] { TurnOff(); }},
           Case{"the namespace goes", [this] { PutView("a", "w.v1", "AllNamespaces"); },
                [this] { PutNamespace("a", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"); }},
           Case{"the namespace is gone", [this] { PutView("a", "w.v1", "AllNamespaces"); },
                [this] {
                  scene.fake.Delete(kNamespaces, {"", "a"});
                }},
       }) {
    SCOPED_TRACE(c.name);
    PutNamespace("a");
    for (const kube::GroupVersionResource& gvr : {kCsvs, kInstalledOperators, kOlmConfigs}) {
      for (const auto& [name, text] : scene.fake.Objects(gvr)) scene.fake.Delete(gvr, name);
    }
    c.before();
    scene.clock.on_sleep = nullptr;
    EXPECT_FALSE(Verify().ok());
    scene.clock.on_sleep = c.meanwhile;
    EXPECT_OK(Verify());
    EXPECT_THAT(scene.document.at("differences").as_array(), IsEmpty());
    EXPECT_EQ(Number("copies"), scene.Has(kCsvs, {"a", "w.v1"}) ? 1 : 0);
    scene.clock.on_sleep = nullptr;
  }
}

TEST_F(VerifyTest, NamespacesThatAreBeingDeletedAreLeftOut) {
  PutNamespace("a", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  PutCopy("a", "w.v1");
  EXPECT_OK(Verify());
  EXPECT_THAT(scene.screen, HasSubstr("Left out: 1 namespace being deleted\n"));
  EXPECT_EQ(Number("namespacesBeingDeleted"), 1);
}

TEST_F(VerifyTest, BothShowAnOriginalThatLiesThere) {
  PutCopy("a", "w.v1", "x");
  PutView("a", "w.v1", "AllNamespaces", "y");
  scene.clock.on_sleep = [this] {
    scene.fake.Put(kCsvs, R"({"metadata":{"namespace":"a","name":"w.v1","finalizers":["f"]}})");
    scene.fake.Put(kInstalledOperators, R"({"metadata":{"namespace":"a","name":"w.v1"}})");
  };
  EXPECT_OK(Verify());
}

// One page of each side is held, for any number of operators.
TEST_F(VerifyTest, ListsAreReadInPages) {
  for (int i = 100; i < 160; ++i) PutBoth("a", StrCat("w", i, ".v1"));
  EXPECT_OK(Verify("a"));
  EXPECT_EQ(Number("copies"), 60);
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kList, kCsvs}), 3);
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kList, kInstalledOperators}), 3);
}

TEST_F(VerifyTest, TheFirstDifferencesAreShownAndAllAreCounted) {
  for (int i = 1000; i < 2100; ++i) PutCopy("a", StrCat("w", i, ".v1"));
  const absl::Status status = Verify();
  EXPECT_EQ(status.message(), "1100 copies have no InstalledOperator");
  EXPECT_THAT(scene.document.at("differences").as_array(), SizeIs(kMostShown));
  EXPECT_THAT(scene.screen,
              HasSubstr("a/w1099.v1: a copy, but no InstalledOperator\nand 1000 more\n"));
  EXPECT_THAT(scene.screen, Not(HasSubstr("w1100")));
}

TEST_F(VerifyTest, WhatPassesIsTriedAgain) {
  PutBoth("a", "w.v1");
  PutCopy("a-b", "w.v1", "x");
  PutView("a-b", "w.v1", "AllNamespaces", "y");
  const absl::Status busy = kube::ToStatus(kube::ServiceUnavailable("filling caches", 1));
  for (const kube::Calls& calls : {
           kube::Calls{kube::ClientVerb::kList, kNamespaces},
           kube::Calls{kube::ClientVerb::kList, kCsvs},
           kube::Calls{kube::ClientVerb::kList, kInstalledOperators},
           kube::Calls{kube::ClientVerb::kGet, kOlmConfigs},
           kube::Calls{kube::ClientVerb::kGet, kCsvs},
           kube::Calls{kube::ClientVerb::kGet, kInstalledOperators},
       }) {
    scene.client.FailNext(calls, busy);
  }
  EXPECT_EQ(Verify().message(), "1 copy differs from the InstalledOperator");
  EXPECT_EQ(Number("copies"), 2);
  EXPECT_EQ(Number("namespaces"), 3);

  scene.client.FailNext({kube::ClientVerb::kList, kCsvs}, busy, 10);
  EXPECT_THAT(Verify(), StatusIs(absl::StatusCode::kUnavailable,
                                 HasSubstr("listing clusterserviceversions.operators.coreos.com")));
  EXPECT_EQ(scene.document.at("complete"), false);
}

TEST_F(VerifyTest, APageThatExpiresBeginsTheNamespaceAgain) {
  for (int i = 100; i < 160; ++i) PutBoth("a", StrCat("w", i, ".v1"));
  scene.client.Expire(kCsvs);
  EXPECT_OK(Verify());
  EXPECT_EQ(Number("copies"), 60);
}

TEST_F(VerifyTest, WhatTheUserMayNotReadIsOneSentence) {
  PutView("a", "w.v1", "AllNamespaces");
  struct Case {
    kube::Calls calls;
    const char* message;
  };
  for (const Case& c : {
           Case{{kube::ClientVerb::kList, kNamespaces},
                "namespaces is forbidden: no; without --all-namespaces, -n verifies one namespace"},
           Case{{kube::ClientVerb::kList, kCsvs},
                "listing clusterserviceversions.operators.coreos.com in a: "
                "clusterserviceversions.operators.coreos.com is forbidden: no"},
           Case{{kube::ClientVerb::kList, kInstalledOperators},
                "listing installedoperators.views.operators.coreos.com in a: "
                "installedoperators.views.operators.coreos.com is forbidden: no"},
           Case{{kube::ClientVerb::kGet, kCsvs},
                "reading clusterserviceversions.operators.coreos.com a/w.v1: "
                "clusterserviceversions.operators.coreos.com is forbidden: no"},
       }) {
    scene.client.FailNext(c.calls, kube::ToStatus(kube::Forbidden(c.calls.gvr, "", "no")));
    const absl::Status status = Verify();
    EXPECT_EQ(status.message(), c.message);
    EXPECT_EQ(ExitOf(status), Exit::kRefused);
  }
}

TEST_F(VerifyTest, WithoutRightsOnTheOlmConfigItSaysSo) {
  PutBoth("a", "w.v1");
  const absl::Status forbidden = kube::ToStatus(kube::Forbidden(kOlmConfigs, "cluster", "no"));
  const kube::Calls gets{kube::ClientVerb::kGet, kOlmConfigs};
  scene.client.FailNext(gets, forbidden, 1);
  EXPECT_OK(Verify());
  EXPECT_FALSE(scene.document.contains("copiesTurnedOff"));
  EXPECT_THAT(scene.screen, Not(HasSubstr("OLMConfig")));
  PutView("a", "x.v1", "AllNamespaces");
  scene.client.FailNext(gets, forbidden, 2);
  EXPECT_FALSE(Verify().ok());
  EXPECT_THAT(scene.screen, HasSubstr("You may not read the OLMConfig cluster"));
}

TEST_F(VerifyTest, WithoutStewardOrWithoutOlm) {
  scene.fake.Withdraw(kInstalledOperators);
  EXPECT_THAT(std::string(Verify().message()), HasSubstr("install Steward's API server"));
  scene.fake.Withdraw(kCsvs);
  EXPECT_THAT(std::string(Verify().message()), HasSubstr("it has no OLM, and no copies"));
}

TEST_F(VerifyTest, OutOfTime) {
  PutCopy("a", "w.v1");
  scene.clock.on_sleep = nullptr;
  scene.client.FailNext({kube::ClientVerb::kList, kCsvs}, absl::UnavailableError("gone"));
  VerifyOptions options;
  options.timeout = absl::Seconds(1);  // too short for the second try
  Session session = scene.session();
  const absl::Status status = scene.Run(VerifyCopies(session, options));
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_EQ(status.message(), "not all was compared within 1s: 1 of 3 namespaces were read");
  EXPECT_EQ(scene.document.at("complete"), false);
  EXPECT_THAT(scene.screen, Not(HasSubstr("Turning copies off")));
}

TEST_F(VerifyTest, HostileNamesCannotControlTheTerminal) {
  PutCopy("a", R"(w\u001b[2J)");
  EXPECT_FALSE(Verify().ok());
  EXPECT_THAT(scene.screen, HasSubstr(R"(a/w\x1b[2J: a copy)"));
}

}  // namespace
}  // namespace steward::plugin
