#include "plugin/cleanup/original.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "plugin/cleanup/abort.h"
#include "plugin/cleanup/status_command.h"
#include "plugin/cleanup/uninstall.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;

const kube::NamespacedName kShown = {"team", "widget.v1"};

class OriginalTest : public ::testing::Test {
 protected:
  OriginalTest() { scene.fake.Serve(kInstalledOperators); }

  void PutCopy(const std::string& metadata) {
    scene.fake.Put(kCsvs, StrCat(R"({"metadata":{"name":"widget.v1","namespace":"team",)", metadata,
                                 R"(},"spec":{},"status":{"phase":"Succeeded",)"
                                 R"("reason":"Copied"}})"));
  }
  void PutInstalledOperator(const std::string& ns) {
    scene.fake.Put(kInstalledOperators,
                   StrCat(R"({"metadata":{"name":"widget.v1","namespace":"team"},)",
                          R"("scope":{"installNamespace":")", ns, R"("}})"));
  }
  absl::Status Uninstall() {
    UninstallOptions options;
    options.csv = kShown;
    Session session = scene.session();
    return scene.Run(plugin::Uninstall(session, options));
  }
  absl::Status Abort() {
    AbortOptions options;
    options.csv = kShown;
    Session session = scene.session();
    return scene.Run(plugin::Abort(session, options));
  }
  absl::Status Status() {
    Session session = scene.session();
    return scene.Run(ShowStatus(session, {kShown.ns, {kShown.name}}));
  }

  TestScene scene;
};

TEST_F(OriginalTest, EachCommandNamesTheNamespaceAndWhatToRun) {
  struct Case {
    std::string name;
    std::function<void()> put;
    std::string says;
  };
  for (const Case& test : std::vector<Case>{
           {"an InstalledOperator, and no copy", [this] { PutInstalledOperator("ops"); },
            "team/widget.v1 is no ClusterServiceVersion, but an operator that works there"},
           {"the label alone", [this] { PutCopy(R"("labels":{"olm.copiedFrom":"ops"})"); },
            "team/widget.v1 is a copy"},
           {"the annotation alone",
            [this] { PutCopy(R"("annotations":{"olm.operatorNamespace":"ops"})"); },
            "team/widget.v1 is a copy"},
           {"the label counts",
            [this] {
              PutCopy(R"("labels":{"olm.copiedFrom":"ops"},)"
                      R"("annotations":{"olm.operatorNamespace":"elsewhere"})");
            },
            "team/widget.v1 is a copy"},
       }) {
    SCOPED_TRACE(test.name);
    test.put();
    const std::vector<std::pair<std::string, absl::Status>> results = {
        {"uninstall", Uninstall()}, {"abort", Abort()}, {"status", Status()}};
    for (const auto& [command, status] : results) {
      EXPECT_EQ(ExitOf(status), Exit::kRefused);
      const std::string message(status.message());
      EXPECT_THAT(message, HasSubstr(test.says));
      EXPECT_THAT(message, HasSubstr(StrCat("the original is in namespace ops: kubectl steward ",
                                            command, " widget.v1 -n ops")));
    }
  }
}

TEST_F(OriginalTest, ACopyThatNamesNoOriginalSaysHowToFindIt) {
  PutCopy(R"("labels":{"olm.copiedFrom":""})");
  const absl::Status status = Uninstall();
  EXPECT_EQ(ExitOf(status), Exit::kRefused);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("kubectl get csv -A --field-selector metadata.name=widget.v1"));
}

// The view may show an operator for a moment after its deletion.
TEST_F(OriginalTest, AViewOfItsOwnNamespaceIsNoOther) {
  PutInstalledOperator("team");
  EXPECT_EQ(ExitOf(Uninstall()), Exit::kError);
}

TEST_F(OriginalTest, WhatIsNowhereIsNotFound) { EXPECT_EQ(ExitOf(Uninstall()), Exit::kError); }

}  // namespace
}  // namespace steward::plugin
