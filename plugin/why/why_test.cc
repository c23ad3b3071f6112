#include "plugin/why/why.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/session.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The scene's operator widget.v1 of "ops", whose OperatorGroup selects namespaces by a label, in a
// cluster with the namespaces "red", which has it, and "blue".
class WhyTest : public ::testing::Test {
 protected:
  WhyTest() {
    scene.fake.Serve(kNamespaces);
    scene.fake.Serve(kInstalledOperators);
    for (const char* name : {"ops", "red", "blue"}) {
      scene.fake.Put(kNamespaces, StrCat(R"({"metadata":{"name":")", name, R"(","uid":"ns-)", name,
                                         R"(","creationTimestamp":"2026-11-01T00:00:00Z",)",
                                         R"("labels":{"team":")", name, R"("}}})"));
    }
    scene.fake.Put(kOperatorGroups, R"({"metadata":{"name":"group","namespace":"ops","uid":"g",)"
                                    R"("creationTimestamp":"2026-11-01T00:00:00Z"},)"
                                    R"("spec":{"selector":{"matchLabels":{"team":"red"}}}})");
    PutOperator("ops", "2026-11-01T00:00:00Z");
  }

  void PutOperator(const std::string& ns, const std::string& created) {
    scene.fake.Put(
        kCsvs, StrCat(R"({"metadata":{"name":"widget.v1","namespace":")", ns, R"(","uid":"csv-)",
                      ns, R"(","creationTimestamp":")", created, R"("},"spec":{"installModes":)",
                      R"([{"type":"SingleNamespace","supported":true}]},)",
                      R"("status":{"phase":"Succeeded"}})"));
  }
  void Show(const std::string& ns) {
    scene.fake.Put(kInstalledOperators,
                   StrCat(R"({"metadata":{"name":"widget.v1","namespace":")", ns, R"(","uid":"i-)",
                          ns, R"("},"scope":{"installNamespace":"ops"}})"));
  }
  void Forbid(kube::ClientVerb verb, const kube::GroupVersionResource& gvr) {
    scene.client.FailNext({verb, gvr}, kube::ToStatus(kube::Forbidden(gvr, "", "no")), 100);
  }
  absl::Status Ask(const std::string& ns, const std::string& csv = "") {
    scene.screen.clear();
    Session session = scene.session();
    return scene.Run(ExplainWhy(session, {ns, csv}));
  }

  TestScene scene;
};

TEST_F(WhyTest, OneThatWatches) {
  Show("red");
  ASSERT_OK(Ask("red"));
  EXPECT_THAT(scene.screen,
              AllOf(HasSubstr("ops/widget.v1 watches red, which shows it\n"),
                    HasSubstr("  yes      OperatorGroup ops/group selects red by its labels\n"),
                    HasSubstr("  yes      team=red: red has team=red\n"),
                    HasSubstr("  yes      SingleNamespace is supported by the operator\n")));
  const boost::json::object& item = scene.document.at("items").as_array()[0].as_object();
  EXPECT_EQ(item.at("watches"), "yes");
  EXPECT_EQ(item.at("shown"), "yes");
  EXPECT_EQ(scene.document.at("targetNamespace"), "red");
}

TEST_F(WhyTest, OneThatDoesNot) {
  ASSERT_OK(Ask("blue", "widget.v1"));
  EXPECT_THAT(scene.screen,
              AllOf(HasSubstr("ops/widget.v1 does not watch blue, which does not show it\n"),
                    HasSubstr("  no       team=red: blue has team=blue\n")));
  ASSERT_OK(Ask("blue"));
  EXPECT_EQ(scene.screen, "No operators found in blue\n");
  EXPECT_THAT(Ask("blue", "nope"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(WhyTest, OfTwoWithOneName) {
  Show("red");
  PutOperator("red", "2026-11-02T00:00:00Z");
  ASSERT_OK(Ask("red", "widget.v1"));
  EXPECT_THAT(scene.screen,
              AllOf(HasSubstr("ops/widget.v1 watches red, which does not show it\n"),
                    HasSubstr("red/widget.v1, which is installed here, is shown in its place\n"),
                    HasSubstr("It is shown in place of ops/widget.v1\n"),
                    HasSubstr("red has no OperatorGroup")));
}

TEST_F(WhyTest, WhatTheUserMayNotRead) {
  Show("red");
  Forbid(kube::ClientVerb::kGet, kNamespaces);
  Forbid(kube::ClientVerb::kList, kNamespaces);
  ASSERT_OK(Ask("red"));
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("ops/widget.v1 may watch red, which may show it\n"),
                                  HasSubstr("and the labels of red cannot be read\n")));
  Forbid(kube::ClientVerb::kList, kOperatorGroups);
  ASSERT_OK(Ask("red"));
  EXPECT_THAT(scene.screen, HasSubstr("The OperatorGroups of ops cannot be read\n"));
  Forbid(kube::ClientVerb::kList, kCsvs);
  ASSERT_OK(Ask("red"));
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("ops/widget.v1 is shown by red\n"),
                                  HasSubstr("Nothing of ops may be read\n")));
  EXPECT_THAT(Ask("blue", "widget.v1"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("that you may read")));
}

TEST_F(WhyTest, ANamespaceThatIsNotThere) {
  EXPECT_THAT(Ask("nowhere"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward::plugin
