#include "plugin/tree/tree.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/session.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The scene's operator, in a cluster whose discovery knows widgets and ConfigMaps.
class TreeTest : public ::testing::Test {
 protected:
  TreeTest() {
    Publish(kWidgets, "Widget");
    Publish(kube::kConfigMaps, "ConfigMap");
  }

  void Publish(const kube::GroupVersionResource& gvr, const std::string& kind) {
    scene.fake.Serve(gvr);
    std::vector<kube::ApiResource> all = {{kind, gvr.resource, true, {"list", "delete"}}};
    scene.fake.Publish({gvr.group, gvr.version}, all);
  }
  void PutConfigMap(const std::string& ns, const std::string& name, const std::string& owner) {
    scene.fake.Put(
        kube::kConfigMaps,
        StrCat(R"({"metadata":{"namespace":")", ns, R"(","name":")", name, R"(","uid":"uid-)", name,
               R"(","ownerReferences":[{"uid":")", owner, R"("}]}})"));
  }
  std::string UidOf(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) {
    return std::string(scene.Object(gvr, name).at("metadata").at("uid").as_string());
  }
  std::string Show() {
    scene.screen.clear();
    Session session = scene.session();
    EXPECT_OK(scene.Run(ShowTree(session, kCsv)));
    return scene.screen;
  }

  TestScene scene;
};

TEST_F(TreeTest, DownToWhatResourcesOwn) {
  scene.PutSubscription("sub", R"({"name":"widget"})", R"({"installedCSV":"widget.v1"})");
  scene.PutInstallPlan("plan", "widget.v1", "Complete");
  scene.PutInstallPlan("other", "gadget.v1", "Complete");
  scene.PutWidget("a", "w1");
  scene.PutWidget("b", "w2");
  scene.PutGadget("g");
  PutConfigMap("a", "settings", UidOf(kWidgets, {"a", "w1"}));
  PutConfigMap("a", "deeper", "uid-settings");
  PutConfigMap("a", "nobodys", "uid-unknown");
  PutConfigMap("ops", "own", UidOf(kCsvs, kCsv));
  EXPECT_THAT(Show(), HasSubstr("ClusterServiceVersion ops/widget.v1"));
  EXPECT_THAT(scene.screen, HasSubstr("  Subscription ops/sub\n"));
  EXPECT_THAT(scene.screen, HasSubstr("  InstallPlan ops/plan  Complete\n"));
  EXPECT_THAT(scene.screen, HasSubstr("  ConfigMap ops/own\n"));
  EXPECT_THAT(scene.screen, HasSubstr("  CustomResourceDefinition gadgets.example.com  1\n"
                                      "    Gadget g\n"));
  EXPECT_THAT(scene.screen, HasSubstr("  CustomResourceDefinition widgets.example.com  2\n"
                                      "    Namespace a  1\n"
                                      "      Widget a/w1\n"
                                      "        ConfigMap a/settings\n"
                                      "          ConfigMap a/deeper\n"
                                      "    Namespace b  1\n"
                                      "      Widget b/w2\n"));
  EXPECT_THAT(scene.screen, Not(HasSubstr("nobodys")));
  EXPECT_THAT(scene.screen, Not(HasSubstr("other")));
  const boost::json::object& root = scene.document.at("root").as_object();
  EXPECT_EQ(root.at("kind"), "ClusterServiceVersion");
  EXPECT_EQ(root.at("children").as_array().size(), 5u);
  EXPECT_TRUE(scene.document.at("notRead").as_array().empty());
}

TEST_F(TreeTest, ManyAreCounted) {
  for (int i = 0; i < 25; ++i) scene.PutWidget("a", StrCat("w", i));
  EXPECT_THAT(Show(), HasSubstr("    Namespace a  25\n"));
  EXPECT_THAT(scene.screen, HasSubstr("\n      and 5 more\n"));
}

TEST_F(TreeTest, WhatMayNotBeReadIsNamed) {
  for (const auto& gvr : {kube::kConfigMaps, kSubscriptions, kWidgets}) {
    scene.client.FailNext({kube::ClientVerb::kList, gvr},
                          kube::ToStatus(kube::Forbidden(gvr, "", "no")), 100);
  }
  EXPECT_THAT(Show(), HasSubstr("Not read: configmaps in ops: "));
  EXPECT_THAT(scene.screen, HasSubstr("Not read: subscriptions: "));
  EXPECT_THAT(scene.screen, HasSubstr("Not read: widgets.example.com: "));
}

TEST_F(TreeTest, OneThatIsNotThere) {
  Session session = scene.session();
  EXPECT_THAT(scene.Run(ShowTree(session, {"ops", "nope"})), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward::plugin
