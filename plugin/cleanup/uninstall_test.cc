#include "plugin/cleanup/uninstall.h"

#include <sys/stat.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/uuid.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fault_script.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"
#include "plugin/cleanup/preview.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/saving/save_folder.h"
#include "plugin/saving/save_index.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace fs = std::filesystem;

const std::string kOptIn(olm::kCleanupFinalizer);
const std::string kOlmFinalizer = R"("operators.coreos.com/csv-cleanup")";
const std::string kBothFinalizers = StrCat(kOlmFinalizer, ",\"", kOptIn, "\"");
constexpr char kHeld[] = R"({"reason":"RightsHeld","message":"held"})";

class UninstallTest : public ::testing::Test {
 protected:
  UninstallTest() {
    scene.PutWidget("a", "w1");
    scene.PutWidget("b", "w2");
    scene.PutWidget("elsewhere", "w3");
    scene.PutGadget("g1");
    scene.PutSubscription("sub", "{}", R"({"installedCSV":"widget.v1"})");
    scene.PutSubscription("other", "{}", R"({"installedCSV":"other.v1"})");
    scene.PutInstallPlan("install-1", "widget.v1", "RequiresApproval");
    scene.PutInstallPlan("install-2", "widget.v1", "Complete");
    options.csv = kCsv;
    options.policy = OperandPolicy::kDelete;
    options.folder = folder / "saved";
    options.timeout = absl::Minutes(5);
    scene.yes = true;
  }

  absl::Status Uninstall() {
    Session session = scene.session();
    return scene.Run(plugin::Uninstall(session, options));
  }
  Exit UninstallExit() { return ExitOf(Uninstall()); }

  void ExpectNothingChanged() {
    EXPECT_THAT(scene.Names(kSubscriptions), ElementsAre("ops/other", "ops/sub"));
    EXPECT_THAT(scene.Names(kInstallPlans), ElementsAre("ops/install-1", "ops/install-2"));
    EXPECT_TRUE(scene.Has(kCsvs, kCsv));
    EXPECT_FALSE(scene.CsvIsDeleting());
    EXPECT_THAT(scene.Names(kWidgets), ElementsAre("a/w1", "b/w2", "elsewhere/w3"));
  }

  TestScene scene;
  TestFolder folder;
  UninstallOptions options;
};

TEST_F(UninstallTest, CleansUp) {
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("elsewhere/w3"));
  EXPECT_THAT(scene.Names(kGadgets), ElementsAre("g1"));
  EXPECT_THAT(scene.Names(kSubscriptions), ElementsAre("ops/other"));
  EXPECT_THAT(scene.Names(kInstallPlans), ElementsAre("ops/install-2"));
  ASSERT_OK_AND_ASSIGN(const SaveIndex index, SaveFolder(options.folder).ReadIndex());
  EXPECT_TRUE(index.complete);
  EXPECT_EQ(index.objects(), 2u);
  EXPECT_TRUE(fs::exists(options.folder + "/widgets.example.com/a/w1.yaml"));
  EXPECT_THAT(scene.screen, HasSubstr("widgets.example.com  1 in a, 1 in b"));
  EXPECT_THAT(scene.screen, HasSubstr("gadgets.example.com  1: cluster-scoped"));
  EXPECT_THAT(scene.screen, HasSubstr("Subscription ops/sub"));
  // Case 73-kept-said-gone.
  EXPECT_THAT(scene.screen,
              HasSubstr("widget.v1 is gone, and so are the 2 custom resources that were to be "
                        "deleted; 2 were kept"));
  EXPECT_EQ(scene.document.at("left"), 0);
  EXPECT_EQ(scene.document.at("kept"), 2);
  EXPECT_EQ(scene.document.at("deletionRequested"), true);
  EXPECT_EQ(Serialize(scene.document.at("deletedRelated")),
            R"(["Subscription ops/sub","InstallPlan ops/install-1"])");
}

// Operands that are gone before the first look count as deleted.
TEST_F(UninstallTest, CountsFromWhatWasShown) {
  scene.clock.on_sleep = [this] {
    if (scene.Has(kWidgets, {"a", "w1"})) scene.fake.Delete(kWidgets, {"a", "w1"});
    scene.ControllersStep();
  };
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.screen, HasSubstr("widgets.example.com 2 of 2 deleted"));
}

// The plugin itself deletes no custom resource, and requests a background deletion of the state
// that it read.
TEST_F(UninstallTest, OnlyTheControllersDeleteOperands) {
  EXPECT_OK(Uninstall());
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kDelete, kWidgets}), 0);
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kDelete, kGadgets}), 0);
}

TEST_F(UninstallTest, SavedFilesAreForTheirOwnerOnly) {
  EXPECT_OK(Uninstall());
  const auto mode = [](const std::string& path) {
    struct stat info;
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 0777;
  };
  EXPECT_EQ(mode(options.folder), 0700);
  EXPECT_EQ(mode(options.folder + "/widgets.example.com/a"), 0700);
  EXPECT_EQ(mode(options.folder + "/widgets.example.com/a/w1.yaml"), 0600);
  EXPECT_EQ(mode(options.folder + "/index.json"), 0600);
}

TEST_F(UninstallTest, KeepsOperandsWhereNobodyAskedForCleanup) {
  options.policy = OperandPolicy::kAsItIs;
  scene.PutCsv("", true);
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("a/w1", "b/w2", "elsewhere/w3"));
  EXPECT_FALSE(fs::exists(options.folder));
  EXPECT_THAT(scene.screen, HasSubstr("No custom resource is deleted. Nobody opted in"));
  EXPECT_THAT(scene.Names(kSubscriptions), ElementsAre("ops/other"));
}

TEST_F(UninstallTest, KeepTakesTheOptInAway) {
  options.policy = OperandPolicy::kKeep;
  scene.PutCsv(kBothFinalizers, true, kHeld);
  scene.PutView("Ready", true);
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("a/w1", "b/w2", "elsewhere/w3"));
}

TEST_F(UninstallTest, AnOptInOfBeforeCounts) {
  options.policy = OperandPolicy::kAsItIs;
  scene.PutCsv(kBothFinalizers, true, kHeld);
  scene.PutView("Ready", true);
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("elsewhere/w3"));
  EXPECT_TRUE(fs::exists(options.folder + "/widgets.example.com/a/w1.yaml"));
}

TEST_F(UninstallTest, RefusesCleanupThatTheAuthorDoesNotSupport) {
  scene.PutCsv(kOlmFinalizer, false);
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(std::string(status.message()), HasSubstr("spec.cleanup.enabled is not true"));
  ExpectNothingChanged();
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kPatch, kCsvs}), 0);
}

TEST_F(UninstallTest, AsksOnceAndTakesNoForAnAnswer) {
  scene.yes = false;
  scene.answers = {"n"};
  EXPECT_EQ(UninstallExit(), Exit::kRefused);
  EXPECT_THAT(scene.screen, HasSubstr("Uninstall widget.v1 and delete 2 custom resources? [y/N]"));
  ExpectNothingChanged();
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
  EXPECT_FALSE(fs::exists(options.folder));
  scene.answers = {"y"};
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.answers, IsEmpty());
}

TEST_F(UninstallTest, WithoutATerminalYesIsNeeded) {
  scene.yes = false;
  scene.can_ask = false;
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kUsage);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--yes"));
  ExpectNothingChanged();
}

// Deleting the plan would take the other operator's installation away.
TEST_F(UninstallTest, AnInstallPlanThatAlsoCarriesAnotherOperatorIsKeptAndNamed) {
  scene.PutInstallPlan("both", R"(widget.v1","other.v2)", "RequiresApproval");
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.Names(kInstallPlans), ElementsAre("ops/both", "ops/install-2"));
  EXPECT_THAT(scene.screen, HasSubstr("InstallPlan ops/both: it also installs other.v2"));
  EXPECT_EQ(Serialize(scene.document.at("deletedRelated")),
            R"(["Subscription ops/sub","InstallPlan ops/install-1"])");
  const boost::json::array& kept = scene.document.at("preview").at("keptRelated").as_array();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(Serialize(kept[0].at("alsoInstalls")), R"(["other.v2"])");
}

TEST_F(UninstallTest, DryRunChangesNothing) {
  options.dry_run = true;
  EXPECT_OK(Uninstall());
  ExpectNothingChanged();
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
  EXPECT_FALSE(fs::exists(options.folder));
}

TEST_F(UninstallTest, EverythingIsTriedBeforeAnythingIsChanged) {
  struct Case {
    const char* name;
    kube::ClientVerb verb;
    kube::GroupVersionResource gvr;
  };
  for (const Case& c : {Case{"opt-in", kube::ClientVerb::kPatch, kCsvs},
                        Case{"Subscription", kube::ClientVerb::kDelete, kSubscriptions},
                        Case{"InstallPlan", kube::ClientVerb::kDelete, kInstallPlans},
                        Case{"CSV", kube::ClientVerb::kDelete, kCsvs}}) {
    SCOPED_TRACE(c.name);
    scene.client.FailNext({c.verb, c.gvr},
                          kube::ToStatus(kube::Forbidden(c.gvr, "x", "you may not")));
    EXPECT_EQ(UninstallExit(), Exit::kRefused);
    EXPECT_THAT(scene.screen, HasSubstr("It is refused: nothing is deleted or changed.\n"));
    EXPECT_THAT(scene.screen, Not(HasSubstr("Deleted")));
    ExpectNothingChanged();
    EXPECT_FALSE(scene.HasFinalizer(kOptIn));
    EXPECT_FALSE(fs::exists(options.folder));
  }
}

TEST_F(UninstallTest, DeniedOptInSaysWhoMay) {
  scene.client.FailNext({kube::ClientVerb::kPatch, kCsvs},
                        kube::ToStatus(kube::Forbidden(kCsvs, "widget.v1", "policy says no")));
  const absl::Status status = Uninstall();
  EXPECT_THAT(std::string(status.message()), HasSubstr("policy says no"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--clusterrole=steward-cleanup-opt-in"));
}

// One write contains the user's opt-in and its confirmation.
TEST_F(UninstallTest, R_000_76_ConfirmsTheOptInByTheSameWrite) {
  const auto confirmed = [this] {
    const boost::json::value csv = scene.Object(kCsvs, kCsv);
    const boost::json::object& metadata = csv.at("metadata").as_object();
    EXPECT_FALSE(metadata.contains("annotations")) << "OLM starts the operator anew";
    if (!metadata.contains("labels")) return std::string("nothing");
    return std::string(metadata.at("labels").at(olm::kConfirmedLabel).as_string());
  };
  struct Case {
    std::string name;
    std::function<void()> before;
    std::string confirmed;
    std::string says;
  };
  for (const Case& test : std::vector<Case>{
           {"may not read it",
            [this] {
              scene.client.FailNext({kube::ClientVerb::kGet, kPolicies},
                                    kube::ToStatus(kube::Forbidden(kPolicies, "x", "no")));
            },
            "nothing", "You may not read the admission policy steward-cleanup-opt-in"},
           {"there is none",
            [this] {
              scene.fake.Delete(kPolicies, {"", std::string(olm::kOptInPolicy)});
            },
            "nothing", ""},
           {"there is one", [this] { scene.PutOptInPolicy(); }, "the proof", ""},
           {"it is not bound",
            [this] {
              scene.fake.Delete(kPolicyBindings, {"", std::string(olm::kOptInPolicy)});
            },
            "nothing", ""},
       }) {
    SCOPED_TRACE(test.name);
    test.before();
    scene.screen.clear();
    scene.PutCsv(kOlmFinalizer, true);
    scene.holds_rights = false;  // keeps the object, so that the test can look at it
    EXPECT_EQ(UninstallExit(), Exit::kStalled);
    EXPECT_TRUE(scene.HasFinalizer(kOptIn));
    std::string wanted = test.confirmed;
    if (wanted == "the proof") {
      const boost::json::value binding =
          scene.Object(kPolicyBindings, {"", std::string(olm::kOptInPolicy)});
      wanted = kube::UuidV5("policy-uid",
                            StrCat("binding-uid/", kube::MetadataText(binding, "resourceVersion")));
    }
    EXPECT_EQ(confirmed(), wanted);
    EXPECT_THAT(scene.screen, HasSubstr(test.says));
  }
}

TEST_F(UninstallTest, ThePolicyThatCannotBeReadEndsIt) {
  scene.client.FailNext({kube::ClientVerb::kGet, kPolicies},
                        kube::ToStatus(kube::InternalError("no")));
  EXPECT_EQ(UninstallExit(), Exit::kError);
  ExpectNothingChanged();
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
}

// R-000-77: a user who may opt in may still not be allowed to delete the opted-in operator. Nothing
// else is deleted before that is known.
TEST_F(UninstallTest, R_000_77_DeniedDeletionTakesTheOptInBack) {
  const kube::Calls deletions{kube::ClientVerb::kDelete, kCsvs};
  scene.client.FailNext(deletions, absl::OkStatus());
  scene.client.FailNext(deletions, kube::ToStatus(kube::Forbidden(kCsvs, "widget.v1", "ask")));
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ask"));
  ExpectNothingChanged();
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
}

TEST_F(UninstallTest, BlockersOfAnOptedInOperatorRefuseAtOnce) {
  scene.PutCsv(kBothFinalizers, true, kHeld);
  scene.PutView("Refused", true, R"(["a","b"])",
                R"({"reason":"SharedOwner","message":"another owns it","objects":["ops/x"],)"
                R"("objectsElsewhere":2})");
  EXPECT_EQ(UninstallExit(), Exit::kRefused);
  EXPECT_THAT(scene.screen, HasSubstr("SharedOwner: another owns it (ops/x, 2 more)"));
  EXPECT_THAT(scene.screen, HasSubstr("It is refused: nothing is deleted or changed.\n"));
  EXPECT_THAT(scene.screen, Not(HasSubstr("Deleted")));
  ExpectNothingChanged();
  EXPECT_TRUE(scene.HasFinalizer(kOptIn));
}

TEST_F(UninstallTest, RefusedAfterOptingInTakesTheOptInBack) {
  for (const char* phase : {"Refused", "Unknown"}) {
    SCOPED_TRACE(phase);
    scene.phase_when_opted_in = phase;
    scene.blockers_when_opted_in = R"({"reason":"SharedOwner","message":"another owns it"})";
    const absl::Status status = Uninstall();
    EXPECT_EQ(ExitOf(status), Exit::kRefused);
    EXPECT_THAT(std::string(status.message()), HasSubstr("SharedOwner: another owns it"));
    ExpectNothingChanged();
    EXPECT_FALSE(scene.HasFinalizer(kOptIn));
    scene.PutView("NotOptedIn", false);
  }
}

TEST_F(UninstallTest, WithoutControllersItIsNotDeleted) {
  scene.holds_rights = false;
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("not ready within 5m"));
  ExpectNothingChanged();
  EXPECT_TRUE(scene.HasFinalizer(kOptIn));
  // The command continues once the controllers run.
  scene.holds_rights = true;
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
}

// The condition may still be about an opt-in that was removed since.
TEST_F(UninstallTest, RightsThatAreNotHeldAreWaitedFor) {
  const kube::GroupVersionResource roles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
  const auto put = [&](const std::string& name, const std::string& owner,
                       const std::string& finalizers) {
    scene.fake.Put(roles, StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"olm.owner":")",
                                 owner, R"(","olm.owner.namespace":"ops","olm.owner.kind":)",
                                 R"("ClusterServiceVersion"},"finalizers":[)", finalizers, "]}}"));
  };
  scene.fake.Serve(roles);
  put("other", "other.v1", "");
  put("mine", "widget.v1", "");
  scene.PutCsv(kOlmFinalizer, true, kHeld);
  EXPECT_EQ(UninstallExit(), Exit::kStalled);
  ExpectNothingChanged();
  put("mine", "widget.v1", R"("steward.operatorframework.io/hold-rights")");
  EXPECT_OK(Uninstall());
}

TEST_F(UninstallTest, MoreNamespacesThanWereShownAreRefused) {
  scene.clock.on_sleep = [this] {
    scene.ControllersStep();
    scene.PutView("Ready", true, R"(["a","b","c"])");
  };
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more namespaces"));
  ExpectNothingChanged();
}

// Others may make changes while the question is open, and while the command waits for the rights.
// Objects that the user was not shown are neither agreed to nor saved.
TEST_F(UninstallTest, WhatWasNotShownIsNotOptedInTo) {
  const auto remake = [](TestScene& scene, const kube::NamespacedName& crd) {
    boost::json::value definition = scene.Object(kCrds, crd);
    definition.at("metadata").as_object().erase("uid");
    scene.fake.Delete(kCrds, crd);
    scene.fake.Put(kCrds, Serialize(definition));
  };
  struct Case {
    const char* name;
    std::function<void(TestScene&)> change;
    const char* says;
  };
  const Case cases[] = {
      {"a definition more",
       [](TestScene& scene) {
         scene.Own("customresourcedefinitions", R"({"name":"gizmos.example.com"})");
       },
       "it owns gizmos.example.com now, which was not shown"},
      {"an API more",
       [](TestScene& scene) {
         scene.Own("apiservicedefinitions",
                   R"({"group":"example.com","version":"v1","kind":"Cog","name":"cogs"})");
       },
       "it owns cogs.example.com now, which was not shown"},
      {"a definition made anew",
       [&remake](TestScene& scene) {
         remake(scene, {"", "widgets.example.com"});
       },
       "widgets.example.com is another definition now than was shown"},
      {"a namespace more",
       [](TestScene& scene) { scene.PutView("NotOptedIn", false, R"(["a","b","c"])"); },
       "more namespaces"},
  };
  for (const Case& test : cases) {
    for (const bool asked : {true, false}) {
      SCOPED_TRACE(StrCat(test.name, asked ? ", while it is asked" : ", later"));
      // A new namespace while the command waits has a test of its own.
      if (!asked && test.says == std::string_view("more namespaces")) continue;
      TestScene fresh;
      TestFolder temporary;
      fresh.PutWidget("a", "w1");
      fresh.PutSubscription("sub", "{}", R"({"installedCSV":"widget.v1"})");
      fresh.answers = {"y"};
      if (asked) {
        fresh.on_ask = [&] { test.change(fresh); };
      } else {
        fresh.clock.on_sleep = [&] {
          test.change(fresh);
          fresh.clock.on_sleep = [&fresh] { fresh.ControllersStep(); };
        };
      }
      UninstallOptions again = options;
      again.folder = temporary / "saved";
      Session session = fresh.session();
      const absl::Status status = fresh.Run(plugin::Uninstall(session, again));
      EXPECT_EQ(ExitOf(status), Exit::kRefused);
      EXPECT_THAT(std::string(status.message()), HasSubstr(test.says));
      EXPECT_FALSE(fresh.HasFinalizer(kOptIn));
      EXPECT_FALSE(fresh.CsvIsDeleting());
      EXPECT_THAT(fresh.Names(kWidgets), ElementsAre("a/w1"));
      EXPECT_THAT(fresh.Names(kSubscriptions), ElementsAre("ops/sub"));
      EXPECT_TRUE(!asked || fresh.screen.find("Opted in") == std::string::npos);
    }
  }
}

// The check right before the deletion decides, because deleting Subscriptions may take a while.
TEST_F(UninstallTest, WhatWasNotShownIsNotDeleted) {
  for (const bool opted_in_before : {true, false}) {
    TestScene fresh;
    TestFolder temporary;
    fresh.yes = true;
    fresh.PutWidget("a", "w1");
    if (opted_in_before) {
      fresh.PutCsv(kBothFinalizers, true, kHeld);
      fresh.PutView("Ready", true);
    }
    // The dry run of the deletion succeeds. The deletion itself finds a changed object, and reads
    // it again.
    fresh.client.FailNext({kube::ClientVerb::kDelete, kCsvs}, absl::OkStatus(),
                          opted_in_before ? 1 : 2);
    fresh.client.FailNext({kube::ClientVerb::kDelete, kCsvs},
                          kube::ToStatus(kube::Conflict(kCsvs, "widget.v1", "changed")));
    const int looks = opted_in_before ? 1 : 2;
    fresh.clock.on_sleep = [&] {
      fresh.ControllersStep();
      if (fresh.client.calls({kube::ClientVerb::kDelete, kCsvs}) <= looks) return;
      fresh.Own("customresourcedefinitions", R"({"name":"gizmos.example.com"})");
      fresh.clock.on_sleep = [&fresh] { fresh.ControllersStep(); };
    };
    UninstallOptions again = options;
    again.folder = temporary / "saved";
    Session session = fresh.session();
    const absl::Status status = fresh.Run(plugin::Uninstall(session, again));
    EXPECT_EQ(ExitOf(status), Exit::kRefused);
    EXPECT_THAT(std::string(status.message()), HasSubstr("it owns gizmos.example.com now"));
    EXPECT_FALSE(fresh.CsvIsDeleting());
    EXPECT_EQ(fresh.HasFinalizer(kOptIn), opted_in_before)
        << "what this run added is taken back, and nothing else";
  }
}

// Fewer targets or definitions need no new agreement.
TEST_F(UninstallTest, ADefinitionThatItOwnsNoMoreIsKept) {
  scene.yes = false;
  scene.answers = {"y"};
  scene.on_ask = [this] {
    boost::json::value csv = scene.Object(kCsvs, kCsv);
    csv.at("spec").at("customresourcedefinitions").at("owned").as_array().pop_back();
    scene.fake.Put(kCsvs, Serialize(csv));
  };
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
}

TEST_F(UninstallTest, AnotherObjectOfTheNameIsNeverTouched) {
  scene.clock.on_sleep = [this] {
    if (!scene.HasFinalizer(kOptIn)) return;
    scene.fake.Delete(kCsvs, kCsv);
    scene.PutCsv(kBothFinalizers, true, kHeld);
    scene.PutView("Ready", true);
    scene.clock.on_sleep = nullptr;
  };
  EXPECT_EQ(UninstallExit(), Exit::kRefused);
  EXPECT_TRUE(scene.Has(kCsvs, kCsv));
  EXPECT_FALSE(scene.CsvIsDeleting());
}

TEST_F(UninstallTest, AChangeBetweenLookAndDeletionIsLookedAtAgain) {
  // The first call is the dry run, the next ones are the deletion itself.
  scene.client.FailNext({kube::ClientVerb::kDelete, kCsvs}, absl::OkStatus());
  scene.client.FailNext({kube::ClientVerb::kDelete, kCsvs},
                        kube::ToStatus(kube::Conflict(kCsvs, "widget.v1", "changed")), 3);
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
}

TEST_F(UninstallTest, WhatCannotBeReadIsNotDeleted) {
  // The preview counts successfully; then saving fails.
  scene.client.FailNext({kube::ClientVerb::kList, kWidgets}, absl::OkStatus());
  scene.client.FailNext({kube::ClientVerb::kList, kWidgets},
                        kube::ToStatus(kube::InternalError("conversion webhook is gone")), 100);
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nothing is deleted"));
  ExpectNothingChanged();
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
  ASSERT_OK_AND_ASSIGN(const SaveIndex index, SaveFolder(options.folder).ReadIndex());
  EXPECT_FALSE(index.complete);
}

TEST_F(UninstallTest, SavesWhatChangesUntilItIsDeleted) {
  scene.clock.on_sleep = [this] {
    scene.PutWidget("b", "late");
    scene.ControllersStep();
    scene.clock.on_sleep = [this] { scene.ControllersStep(); };
  };
  EXPECT_OK(Uninstall());
  EXPECT_TRUE(fs::exists(options.folder + "/widgets.example.com/b/late.yaml"));
  ASSERT_OK_AND_ASSIGN(const SaveIndex index, SaveFolder(options.folder).ReadIndex());
  EXPECT_EQ(index.objects(), 3);
}

TEST_F(UninstallTest, ForeignFoldersAreLeftAlone) {
  fs::create_directory(options.folder);
  std::ofstream(options.folder + "/diary.txt") << "dear diary";
  const absl::Status status = Uninstall();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("is not empty"));
  ExpectNothingChanged();
}

TEST_F(UninstallTest, AnIndexThatWasBeingWrittenIsNobodys) {
  fs::create_directory(options.folder);
  std::ofstream(options.folder + "/index.json.4711.tmp") << "{";
  EXPECT_OK(Uninstall());
}

// After kill -9 at any step, the same command continues, and ends as an uninterrupted one does.
TEST_F(UninstallTest, GoesOnAfterAnEndAtAnyRequest) {
  for (int after = 0; after < 60; ++after) {
    SCOPED_TRACE(after);
    TestScene fresh;
    TestFolder temporary;
    fresh.PutWidget("a", "w1");
    fresh.PutWidget("b", "w2");
    fresh.PutSubscription("sub", "{}", R"({"installedCSV":"widget.v1"})");
    fresh.yes = true;
    UninstallOptions again = options;
    again.folder = temporary / "saved";
    // From this request on, no request gets through, as if the process had been killed.
    int left = after;
    bool ended = false;
    const absl::Status gone = kube::ToStatus(kube::BadRequest("killed"));
    for (const kube::GroupVersionResource& gvr :
         {kCsvs, kCleanupStatuses, kWidgets, kSubscriptions}) {
      for (const kube::ClientVerb verb : {kube::ClientVerb::kGet, kube::ClientVerb::kList,
                                          kube::ClientVerb::kPatch, kube::ClientVerb::kDelete}) {
        if (left > 0) fresh.client.FailNext({verb, gvr}, absl::OkStatus(), left);
        fresh.client.FailNext({verb, gvr}, gone, 1);
      }
    }
    Session first = fresh.session();
    ended = fresh.Run(plugin::Uninstall(first, again)).ok();
    for (const kube::GroupVersionResource& gvr :
         {kCsvs, kCleanupStatuses, kWidgets, kSubscriptions}) {
      fresh.client.ForgetFaults(gvr);
    }
    again.ignore_not_found = true;
    Session second = fresh.session();
    const absl::Status status = fresh.Run(plugin::Uninstall(second, again));
    EXPECT_OK(status);
    EXPECT_FALSE(fresh.Has(kCsvs, kCsv));
    EXPECT_THAT(fresh.Names(kWidgets), IsEmpty());
    EXPECT_THAT(fresh.Names(kSubscriptions), IsEmpty());
    ASSERT_OK_AND_ASSIGN(const SaveIndex index, SaveFolder(again.folder).ReadIndex());
    EXPECT_TRUE(index.complete);
    EXPECT_EQ(index.objects(), 2);
    if (ended) break;
  }
}

TEST_F(UninstallTest, WithoutWaitingItEndsWithTheDeletion) {
  options.wait = false;
  EXPECT_OK(Uninstall());
  EXPECT_TRUE(scene.CsvIsDeleting());
  EXPECT_EQ(scene.document.at("deletionRequested"), true);
}

TEST_F(UninstallTest, AStalledCleanupNamesWhatHolds) {
  scene.clock.on_sleep = [this] {
    if (!scene.CsvIsDeleting()) return scene.ControllersStep();
    scene.PutWidget("a", "w1", R"(,"x":1)");
    boost::json::value widget = scene.Object(kWidgets, {"a", "w1"});
    widget.at("metadata").as_object()["deletionTimestamp"] = "2023-11-14T22:13:20Z";
    scene.fake.Put(kWidgets, Serialize(widget));
    boost::json::value csv = scene.Object(kCsvs, kCsv);
    csv.at("status").as_object()["conditions"] = boost::json::array(
        {boost::json::object({{"reason", "CleanupStalled"}, {"message", "NoProgress: for 10m"}})});
    scene.fake.Put(kCsvs, Serialize(csv));
  };
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("NoProgress: for 10m"));
  EXPECT_THAT(scene.screen, HasSubstr("widgets.example.com a/w1: deleted 2023-11-14T22:13:20Z, "
                                      "held by example.com/f"));
  EXPECT_THAT(Serialize(scene.document.at("holding")), HasSubstr("example.com/f"));
}

// A user who watches a stalled cleanup again has time to see whether it continues.
TEST_F(UninstallTest, AStallOfBeforeIsGivenTime) {
  const std::string stalled =
      StrCat(kHeld, R"(,{"reason":"CleanupStalled","message":"NoProgress"})");
  scene.PutCsv(kBothFinalizers, true, stalled);
  scene.PutView("Stalled", true);
  const kube::DeleteOptions deletion;
  ASSERT_OK(scene.Run(scene.fake.Delete(kCsvs, kCsv, deletion)));
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
}

TEST_F(UninstallTest, AStallOfBeforeIsNotWatchedForEver) {
  scene.PutCsv(kBothFinalizers, true,
               StrCat(kHeld, R"(,{"reason":"CleanupStalled","message":"NoProgress"})"));
  scene.PutView("Stalled", true);
  const kube::DeleteOptions deletion;
  ASSERT_OK(scene.Run(scene.fake.Delete(kCsvs, kCsv, deletion)));
  scene.clock.on_sleep = nullptr;
  EXPECT_EQ(UninstallExit(), Exit::kStalled);
  EXPECT_EQ(scene.clock.Monotonic(), absl::Seconds(30));
}

TEST_F(UninstallTest, ATimeoutLeavesItGoingOn) {
  options.timeout = absl::Seconds(30);
  scene.clock.on_sleep = [this] {
    if (!scene.CsvIsDeleting()) scene.ControllersStep();
  };
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("not gone within 30s"));
  EXPECT_TRUE(scene.CsvIsDeleting());
}

TEST_F(UninstallTest, FollowsThroughOutages) {
  bool failed = false;
  scene.clock.on_sleep = [this, &failed] {
    if (scene.CsvIsDeleting() && !failed) {
      failed = true;
      scene.client.FailNext({kube::ClientVerb::kGet, kCsvs},
                            absl::UnavailableError("connection refused"), 10);
      return;
    }
    scene.ControllersStep();
  };
  EXPECT_OK(Uninstall());
  EXPECT_TRUE(failed);
  EXPECT_THAT(scene.screen, HasSubstr("no answer, trying again"));
}

TEST_F(UninstallTest, WhatIsLeftAtTheEndIsTold) {
  scene.clock.on_sleep = [this] {
    if (!scene.CsvIsDeleting()) return scene.ControllersStep();
    scene.fake.Delete(kCsvs, kCsv);  // the controllers refused
  };
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(std::string(status.message()), HasSubstr("2 custom resources of it are still there"));
  EXPECT_EQ(scene.document.at("left"), 2);
}

TEST_F(UninstallTest, FollowsWhatSomebodyElseDeleted) {
  scene.PutCsv(kBothFinalizers, true, kHeld);
  scene.PutView("Ready", true);
  const kube::DeleteOptions deletion;
  ASSERT_OK(scene.Run(scene.fake.Delete(kCsvs, kCsv, deletion)));
  scene.yes = false;
  scene.can_ask = true;
  scene.answers = {"yes"};  // for the Subscription
  EXPECT_OK(Uninstall());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
  EXPECT_THAT(scene.Names(kSubscriptions), ElementsAre("ops/other"));
  // If a cleanup is under way, the operands are not saved, because a part of them is gone.
  EXPECT_FALSE(fs::exists(options.folder));
  EXPECT_THAT(scene.screen, HasSubstr("They are not saved: there is nothing of it in"));
}

TEST_F(UninstallTest, WithoutTheVirtualApiItSaysWhatToDo) {
  scene.fake.Withdraw(kCleanupStatuses);
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()), HasSubstr("install Steward's API server"));
  ExpectNothingChanged();
}

TEST_F(UninstallTest, AMissingViewSaysSo) {
  scene.fake.Delete(kCleanupStatuses, kCsv);
  EXPECT_THAT(std::string(Uninstall().message()), HasSubstr("Steward does not know"));
}

TEST_F(UninstallTest, NotFound) {
  options.csv.name = "nope.v1";
  EXPECT_EQ(UninstallExit(), Exit::kError);
  options.ignore_not_found = true;
  EXPECT_OK(Uninstall());
}

TEST_F(UninstallTest, TargetsThatTheViewDoesNotTellComeFromTheOperatorGroup) {
  scene.PutView("NotOptedIn", false, "[]");
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.screen, HasSubstr("widgets.example.com  1 in a, 1 in b"));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("elsewhere/w3"));
}

TEST_F(UninstallTest, NamesCannotSteerTheTerminal) {
  scene.PutInstallPlan("evil\\u001b[2J\\n", "widget.v1", "Installing");
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.screen, HasSubstr("InstallPlan ops/evil\\x1b[2J\\x0a"));
  EXPECT_THAT(scene.screen, Not(HasSubstr("\x1b[2J")));
}

TEST_F(UninstallTest, ALiveTerminalIsRedrawn) {
  scene.live = true;
  EXPECT_OK(Uninstall());
  EXPECT_THAT(scene.screen, HasSubstr("[##########----------]  1 of 2 deleted"));
  EXPECT_THAT(scene.screen, HasSubstr("A\x1b[J"));
}

}  // namespace
}  // namespace steward::plugin
