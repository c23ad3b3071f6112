#include "plugin/removal/remove.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using kube::FakeClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const kube::GroupVersionResource kPods = {"", "v1", "pods"};
const kube::GroupVersionResource kBindings = {"rbac.authorization.k8s.io", "v1",
                                              "clusterrolebindings"};
const kube::GroupVersionResource kLevels = {"flowcontrol.apiserver.k8s.io", "v1",
                                            "prioritylevelconfigurations"};
const kube::GroupVersionResource kPriorities = {"scheduling.k8s.io", "v1", "priorityclasses"};
const kube::GroupVersionResource kConsolePlugins = {"console.openshift.io", "v1", "consoleplugins"};
const kube::GroupVersionResource kVolumes = {"", "v1", "persistentvolumeclaims"};
constexpr char kOwn[] = R"("app.kubernetes.io/part-of":"steward")";
constexpr char kApi[] = "v1alpha1.views.operators.coreos.com";
constexpr char kOptIn[] = R"("operatorframework.io/delete-custom-resources")";

// Steward as deploy/ installs it, with one operator in a cluster that has more.
class RemoveTest : public ::testing::Test {
 protected:
  RemoveTest() {
    for (const auto& gvr :
         {kube::kApiServices, kNamespaces, kube::kDeployments, kPods, kube::kClusterRoles,
          kBindings, kube::kRoleBindings, kLevels, kPriorities, kVolumes}) {
      scene_.fake.Serve(gvr);
    }
    Put(kPolicies, "", "steward-cleanup-opt-in", kOwn);
    Put(kPolicyBindings, "", "steward-cleanup-opt-in", kOwn);
    Put(kube::kApiServices, "", kApi, kOwn);
    Put(kube::kApiServices, "", "v1.apps", "");
    Put(kNamespaces, "", "steward-system", kOwn);
    Put(kNamespaces, "", "ops", "");
    Put(kLevels, "", "steward", kOwn);
    Put(kPriorities, "", "steward-critical", kOwn);
    Put(kPriorities, "", "other", "");
    Put(kube::kClusterRoles, "", "steward-view", kOwn);
    Put(kube::kClusterRoles, "", "other", kOwn);
    Put(kube::kClusterRoles, "", "steward-friend", "");
    Put(kube::kClusterRoles, "", "cleanup-example",
        R"("steward.operators.coreos.com/aggregate-to-cleanup":"true")");
    Put(kBindings, "", "steward-apiserver", kOwn);
    const std::string view = R"(,"roleRef":{"kind":"ClusterRole","name":"steward-view"})";
    Put(kBindings, "", "greta", "", view);
    Put(kBindings, "", "hans", "", R"(,"roleRef":{"kind":"ClusterRole","name":"view"})");
    Put(kube::kRoleBindings, "ops", "viewers", "", view);
    Put(kube::kRoleBindings, "kube-system", "steward-apiserver:authentication-reader", kOwn);
    Put(kube::kRoleBindings, "steward-system", "steward-apiserver", kOwn);
    for (const char* name : {"steward-apiserver", "steward-controllers"}) {
      Put(kube::kDeployments, "steward-system", name, kOwn, R"(,"spec":{"replicas":2})");
      Put(kPods, "steward-system", StrCat(name, "-1"),
          StrCat(R"("app.kubernetes.io/name":"steward","app.kubernetes.io/component":")",
                 std::string(name).substr(8), "\""));
    }
    // The pods end when the Deployment has no replicas.
    scene_.clock.on_sleep = [this] {
      const json::value deployment =
          scene_.Object(kube::kDeployments, {"steward-system", "steward-controllers"});
      if (deployment.at("spec").at("replicas").as_int64() == 0 &&
          scene_.Has(kPods, {"steward-system", "steward-controllers-1"})) {
        scene_.fake.Delete(kPods, {"steward-system", "steward-controllers-1"});
      }
    };
    scene_.yes = true;
  }

  void Put(const kube::GroupVersionResource& gvr, const std::string& ns, const std::string& name,
           const std::string& labels, const std::string& more = "",
           const std::string& metadata = "") {
    scene_.fake.Put(gvr, StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns,
                                R"(","labels":{)", labels, "}", metadata, "}", more, "}"));
  }
  void PutOperator(const std::string& finalizers, bool deleting) {
    Put(kCsvs, "ops", "widget.v1", "", "",
        StrCat(R"(,"finalizers":[)", finalizers, "]",
               deleting ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : ""));
  }
  absl::Status Remove() {
    Session session = scene_.session();
    return scene_.Run(plugin::Remove(session, options_));
  }
  int64_t Replicas() {
    return scene_.Object(kube::kDeployments, {"steward-system", "steward-controllers"})
        .at("spec")
        .at("replicas")
        .as_int64();
  }
  void ExpectNothingLeft() {
    EXPECT_THAT(scene_.Names(kube::kApiServices), ElementsAre(HasSubstr("v1.apps")));
    EXPECT_THAT(scene_.Names(kNamespaces), ElementsAre(HasSubstr("ops")));
    EXPECT_THAT(scene_.Names(kPolicies), IsEmpty());
    EXPECT_THAT(scene_.Names(kPolicyBindings), IsEmpty());
    EXPECT_THAT(scene_.Names(kLevels), IsEmpty());
    EXPECT_THAT(scene_.Names(kPriorities), ElementsAre(HasSubstr("other")));
    EXPECT_THAT(scene_.Names(kBindings),
                UnorderedElementsAre(HasSubstr("greta"), HasSubstr("hans")));
    EXPECT_FALSE(scene_.Has(kube::kRoleBindings,
                            {"kube-system", "steward-apiserver:authentication-reader"}));
    EXPECT_THAT(scene_.Names(kube::kClusterRoles),
                UnorderedElementsAre(HasSubstr("cleanup-example"), HasSubstr("other"),
                                     HasSubstr("steward-friend")))
        << "what is marked or named as Steward's alone is not";
  }

  TestScene scene_;
  RemoveOptions options_;
};

TEST_F(RemoveTest, EverythingAndNothingElse) {
  ASSERT_OK(Remove());
  ExpectNothingLeft();
  EXPECT_THAT(scene_.screen, HasSubstr("These roles are yours, and stay: "));
  EXPECT_THAT(scene_.screen, HasSubstr("These bindings to Steward's roles are yours, and stay: "
                                       "clusterrolebindings.rbac.authorization.k8s.io greta, "
                                       "rolebindings.rbac.authorization.k8s.io ops/viewers\n"));
  // A second removal finds nothing to do.
  EXPECT_OK(Remove());
  EXPECT_THAT(scene_.screen, HasSubstr("There is nothing of Steward in this cluster"));
}

// The removal deletes the APIService before it waits for pods, which may never end; and again
// afterwards, because the guard may have made it again before it stopped.
TEST_F(RemoveTest, TheApiGoesBeforeThePodsAndAgainAfterThem) {
  const auto as_the_cluster_does = scene_.clock.on_sleep;
  bool there = true;
  scene_.clock.on_sleep = [&] {
    there = scene_.Has(kube::kApiServices, {"", kApi});
    Put(kube::kApiServices, "", kApi, kOwn);
    as_the_cluster_does();
  };
  ASSERT_OK(Remove());
  EXPECT_FALSE(there);
  ExpectNothingLeft();
}

TEST_F(RemoveTest, TheNamespaceIsProtectedForAMomentMore) {
  scene_.fake.FailNext(FakeClient::Verb::kDelete, kNamespaces,
                       kube::ToStatus(kube::Forbidden(kNamespaces, "steward-system", "no")), 3);
  ASSERT_OK(Remove());
  ExpectNothingLeft();
}

TEST_F(RemoveTest, ThePluginOfTheConsole) {
  scene_.fake.Serve(kConsolePlugins);
  Put(kConsolePlugins, "", "steward", kOwn);
  Put(kConsolePlugins, "", "monitoring-plugin", "");
  ASSERT_OK(Remove());
  EXPECT_THAT(scene_.Names(kConsolePlugins), ElementsAre(HasSubstr("monitoring-plugin")));
  ExpectNothingLeft();
}

TEST_F(RemoveTest, DryRunChangesNothing) {
  options_.dry_run = true;
  const uint64_t before = scene_.fake.revision();
  ASSERT_OK(Remove());
  EXPECT_EQ(scene_.fake.revision(), before);
  EXPECT_THAT(scene_.screen, HasSubstr("clusterroles.rbac.authorization.k8s.io steward-view"));
  EXPECT_THAT(scene_.screen, Not(HasSubstr("deleted")));
}

TEST_F(RemoveTest, Refuses) {
  const struct {
    const char* what;
    std::function<void()> given;
    const char* says;
  } rows[] = {
      {"a cleanup", [this] { PutOperator(kOptIn, true); }, "kubectl steward abort"},
      {"an opt-in", [this] { PutOperator(kOptIn, false); }, "--release-opt-ins"},
      {"somebody else's volume", [this] { Put(kVolumes, "steward-system", "data", ""); },
       "persistentvolumeclaims steward-system/data"},
      {"somebody else's program",
       [this] { Put(kube::kDeployments, "steward-system", "other", ""); },
       "deployments.apps steward-system/other"},
  };
  for (const auto& row : rows) {
    row.given();
    const uint64_t before = scene_.fake.revision();
    const absl::Status refused = Remove();
    EXPECT_EQ(ExitOf(refused), Exit::kRefused) << row.what << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(row.says)) << row.what;
    EXPECT_EQ(scene_.fake.revision(), before) << row.what;
    if (scene_.Has(kCsvs, {"ops", "widget.v1"})) {
      PutOperator("", false);
    }
  }
}

TEST_F(RemoveTest, ACleanupThatBeginsMeanwhileIsNotLeftAlone) {
  scene_.clock.on_sleep = [this] {
    PutOperator(kOptIn, true);
    if (scene_.Has(kPods, {"steward-system", "steward-controllers-1"})) {
      scene_.fake.Delete(kPods, {"steward-system", "steward-controllers-1"});
    }
  };
  const absl::Status refused = Remove();
  EXPECT_EQ(ExitOf(refused), Exit::kRefused) << refused;
  EXPECT_EQ(Replicas(), 2) << "they are brought back";
  EXPECT_TRUE(scene_.Has(kPolicies, {"", "steward-cleanup-opt-in"}));
  EXPECT_TRUE(scene_.Has(kNamespaces, {"", "steward-system"}));
}

TEST_F(RemoveTest, LetsGoOfWhatItHeld) {
  PutOperator(StrCat(kOptIn, R"(,"a/b")"), false);
  Put(kube::kClusterRoles, "", "widget-role", "", "",
      R"(,"finalizers":["steward.operatorframework.io/hold-rights","c/d"])");
  options_.release_opt_ins = true;
  ASSERT_OK(Remove());
  EXPECT_EQ(Serialize(scene_.Object(kCsvs, kCsv).at("metadata").at("finalizers")), R"(["a/b"])");
  EXPECT_EQ(
      Serialize(
          scene_.Object(kube::kClusterRoles, {"", "widget-role"}).at("metadata").at("finalizers")),
      R"(["c/d"])");
}

TEST_F(RemoveTest, WhatMayNotBeReadIsNotTakenForAbsent) {
  for (const auto& gvr : {kCsvs, kube::kClusterRoles, kNamespaces, kVolumes}) {
    const auto verb = gvr == kNamespaces ? FakeClient::Verb::kGet : FakeClient::Verb::kList;
    scene_.fake.FailNext(verb, gvr, kube::ToStatus(kube::Forbidden(gvr, "", "no")));
    EXPECT_EQ(ExitOf(Remove()), Exit::kRefused) << gvr.resource;
    EXPECT_TRUE(scene_.Has(kube::kApiServices, {"", kApi}));
  }
}

// Each write of a removal fails once. The same command, run again, completes the removal.
TEST_F(RemoveTest, GoesOnWhereItEnded) {
  for (const auto& [verb, gvr] :
       std::vector<std::pair<FakeClient::Verb, kube::GroupVersionResource>>{
           {FakeClient::Verb::kPatch, kube::kDeployments},
           {FakeClient::Verb::kDelete, kube::kApiServices},
           {FakeClient::Verb::kDelete, kPolicyBindings},
           {FakeClient::Verb::kDelete, kPolicies},
           {FakeClient::Verb::kDelete, kLevels},
           {FakeClient::Verb::kDelete, kube::kRoleBindings},
           {FakeClient::Verb::kDelete, kBindings},
           {FakeClient::Verb::kDelete, kube::kClusterRoles},
           {FakeClient::Verb::kDelete, kNamespaces}}) {
    scene_.fake.FailNext(verb, gvr, absl::UnavailableError("away"));
    EXPECT_FALSE(Remove().ok()) << gvr.resource;
  }
  ASSERT_OK(Remove());
  ExpectNothingLeft();
}

}  // namespace
}  // namespace steward::plugin
