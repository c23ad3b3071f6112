// Tests of the commands by their command lines, and of abort, restore and status directly.
#include "plugin/commands.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_split.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fault_script.h"
#include "olm/cleanup/opt_in.h"
#include "olm/copy.h"
#include "plugin/cleanup/abort.h"
#include "plugin/cleanup/preview.h"
#include "plugin/cleanup/status_command.h"
#include "plugin/cleanup/uninstall.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/command_line.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/nouns.h"
#include "plugin/saving/restore.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

namespace fs = std::filesystem;

const std::string kOptIn(olm::kCleanupFinalizer);
const std::string kBothFinalizers = StrCat(R"("operators.coreos.com/csv-cleanup",")", kOptIn, "\"");

class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() { scene.yes = true; }

  absl::Status RunAbort(bool wait = true) {
    AbortOptions options;
    options.csv = kCsv;
    options.wait = wait;
    options.timeout = absl::Minutes(1);
    Session session = scene.session();
    return scene.Run(Abort(session, options));
  }
  absl::Status RunRestore(bool dry_run = false) {
    RestoreOptions options;
    options.folder = folder / "saved";
    options.dry_run = dry_run;
    Session session = scene.session();
    return scene.Run(Restore(session, options));
  }
  absl::Status RunStatus(const std::string& ns, const std::string& name) {
    StatusOptions options;
    options.ns = ns;
    if (!name.empty()) options.names = {name};
    Session session = scene.session();
    return scene.Run(ShowStatus(session, options));
  }
  // Runs a command line, in the namespace "ops" unless it names another.
  absl::Status RunLine(const std::vector<std::string>& args) {
    const absl::StatusOr<CommandLine> line = ParseCommandLine(KnownCommands(), args);
    if (!line.ok()) return line.status();
    Session session = scene.session();
    session.yes = line->common.yes;
    session.ns = line->common.ns.empty() ? "ops" : line->common.ns;
    return scene.Run(line->command->Run(session));
  }
  void UninstallWithCleanup() {
    UninstallOptions options;
    options.csv = kCsv;
    options.policy = OperandPolicy::kDelete;
    options.folder = folder / "saved";
    Session session = scene.session();
    ASSERT_OK(scene.Run(Uninstall(session, options)));
    scene.screen.clear();
  }

  TestScene scene;
  TestFolder folder;
};

TEST(CommandLinesTest, WrongUsage) {
  struct Case {
    const char* name;
    std::vector<std::string> args;
    const char* message;
  };
  for (const Case& c : {
           Case{"no name", {"uninstall"}, "CSV"},
           Case{"no object's name", {"uninstall", "../x"}, "is no object's name"},
           Case{"two names", {"abort", "a", "b"}, "b"},
           Case{"--keep and --cleanup", {"uninstall", "x", "--keep", "--cleanup"}, "--cleanup"},
           Case{"--save and --no-save", {"uninstall", "x", "--save=d", "--no-save"}, "--save"},
           Case{"--save of nothing", {"uninstall", "x", "--save="}, "must not be empty"},
           Case{"duration", {"abort", "x", "--timeout=soon"}, "soon"},
           Case{"another kind", {"uninstall", "pod/x"}, "is no object's name"},
           Case{"all and one", {"status", "x", "-A"}, "--all-namespaces"},
           Case{"some and one", {"status", "x", "-l", "a=b"}, "--selector"},
           Case{"dry run of something", {"uninstall", "x", "--dry-run=maybe"}, "none, client or"},
           Case{"a flag of another command", {"status", "--cleanup"}, "--cleanup"},
           Case{"status asks nothing", {"status", "--yes"}, "--yes"},
           Case{"restore elsewhere", {"restore", "d", "-n", "a"}, "--namespace"},
           Case{"no folder", {"restore"}, "DIR"},
           Case{"a name where none is taken", {"copied-csvs", "verify", "w.v1"}, "w.v1"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParseCommandLine(KnownCommands(), c.args).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(CommandLinesTest, EachCommandHasHelpAndAReport) {
  for (const char* name : {"uninstall", "status", "abort", "restore"}) {
    ASSERT_OK_AND_ASSIGN(const CommandLine help,
                         ParseCommandLine(KnownCommands(), {name, "--help"}));
    EXPECT_THAT(help.help, HasSubstr(StrCat("Usage:\n  kubectl steward ", name, " ")));
    ASSERT_OK_AND_ASSIGN(const CommandLine line, ParseCommandLine(KnownCommands(), {name, "x"}));
    EXPECT_EQ(line.name, name);
    EXPECT_THAT(line.report, EndsWith("Report"));
  }
}

void ExpectExamplesThatParse(const std::vector<KnownCommand>& all,
                             const std::vector<KnownCommand>& known) {
  for (const KnownCommand& each : known) {
    SCOPED_TRACE(each.name);
    if (!each.make) {
      ExpectExamplesThatParse(all, each.commands);
      continue;
    }
    EXPECT_FALSE(each.examples.empty());
    for (const Example& example : each.examples) {
      const std::vector<std::string> words = absl::StrSplit(example.arguments, ' ');
      ASSERT_OK_AND_ASSIGN(const CommandLine line, ParseCommandLine(all, words));
      EXPECT_EQ(line.report, each.report);
    }
  }
}

TEST(CommandLinesTest, EachCommandHasExamplesThatParse) {
  ExpectExamplesThatParse(KnownCommands(), KnownCommands());
  ExpectExamplesThatParse(KnownNouns(), KnownNouns());
}

TEST(CommandLinesTest, ACommandOfTwoWordsSaysWhatItLeavesOut) {
  ASSERT_OK_AND_ASSIGN(const CommandLine line,
                       ParseCommandLine(KnownCommands(), {"copied-csvs", "verify", "-A"}));
  EXPECT_EQ(line.name, "copied-csvs verify");
  EXPECT_EQ(line.report, "VerifyReport");
  ASSERT_OK_AND_ASSIGN(const CommandLine help,
                       ParseCommandLine(KnownCommands(), {"copied-csvs", "verify", "--help"}));
  EXPECT_THAT(help.help, HasSubstr("metadata.managedFields, metadata.resourceVersion"));
  EXPECT_THAT(help.help, HasSubstr("Exit codes: 0 done"));
}

TEST(CommandLinesTest, WhatUninstallTakes) {
  struct Case {
    const char* name;
    std::vector<std::string> flags;
    bool opted_in;  // before
    Exit exit;
    bool gone;
    bool cleaned_up;
    bool saved;
  };
  const TestFolder folders;
  for (const Case& c : {
           Case{"no flag", {"-y"}, false, Exit::kDone, true, false, false},
           Case{"--cleanup", {"-y", "--cleanup"}, false, Exit::kDone, true, true, true},
           Case{"nobody is there", {"--cleanup"}, false, Exit::kUsage, false, false, false},
           Case{"--no-save",
                {"-y", "--cleanup", "--no-save"},
                false,
                Exit::kDone,
                true,
                true,
                false},
           Case{"--keep", {"-y", "--keep"}, true, Exit::kDone, true, false, false},
           Case{"--dry-run", {"--cleanup", "--dry-run"}, false, Exit::kDone, false, false, false},
           Case{"--dry-run of kubectl",
                {"--cleanup", "--dry-run=server"},
                false,
                Exit::kDone,
                false,
                false,
                false},
           Case{"no dry run", {"-y", "--dry-run=none"}, false, Exit::kDone, true, false, false},
           Case{"--wait=false",
                {"-y", "--cleanup", "--wait=false"},
                false,
                Exit::kDone,
                false,
                false,
                true},
           Case{"--timeout",
                {"-y", "--cleanup", "--timeout=1s"},
                false,
                Exit::kStalled,
                false,
                false,
                true},
       }) {
    SCOPED_TRACE(c.name);
    TestScene scene;
    scene.can_ask = false;
    scene.PutWidget("a", "w1");
    if (c.opted_in) scene.PutCsv(kBothFinalizers, true, R"({"reason":"RightsHeld"})");
    const std::string folder = folders / c.name;
    std::vector<std::string> args = {"uninstall", "widget.v1"};
    args.insert(args.end(), c.flags.begin(), c.flags.end());
    if (std::find(args.begin(), args.end(), "--no-save") == args.end()) {
      args.push_back(StrCat("--save=", folder));
    }
    ASSERT_OK_AND_ASSIGN(const CommandLine line, ParseCommandLine(KnownCommands(), args));
    Session session = scene.session();
    session.yes = line.common.yes;
    session.ns = "ops";
    EXPECT_EQ(ExitOf(scene.Run(line.command->Run(session))), c.exit);
    EXPECT_EQ(scene.Has(kCsvs, kCsv), !c.gone);
    EXPECT_EQ(scene.Has(kWidgets, {"a", "w1"}), !c.cleaned_up);
    EXPECT_EQ(fs::exists(folder), c.saved);
  }
}

TEST_F(CommandsTest, WhatTheOthersTake) {
  EXPECT_EQ(ExitOf(RunLine({"uninstall", "nope", "-y"})), Exit::kError);
  EXPECT_OK(RunLine({"uninstall", "nope", "-y", "--ignore-not-found"}));
  EXPECT_EQ(ExitOf(RunLine({"status", "widget.v1", "-n", "elsewhere"})), Exit::kError);
  EXPECT_OK(RunLine({"status", "widget.v1"}));
  scene.screen.clear();
  EXPECT_EQ(ExitOf(RunLine({"status", "nope", "csv/widget.v1"})), Exit::kError);
  EXPECT_THAT(scene.screen, HasSubstr("ops/widget.v1"));
  scene.screen.clear();
  EXPECT_OK(RunLine({"status", "-A", "-n", "elsewhere"}));
  EXPECT_THAT(scene.screen, HasSubstr("NAMESPACE"));
  EXPECT_THAT(scene.screen, HasSubstr("widget.v1"));
  scene.screen.clear();
  EXPECT_OK(RunLine({"status", "--no-headers"}));
  EXPECT_THAT(scene.screen, StartsWith("widget.v1   "));

  scene.PutCsv(kBothFinalizers, true);
  ASSERT_OK(scene.Run(scene.fake.Delete(kCsvs, kCsv, kube::DeleteOptions())));
  scene.clock.on_sleep = nullptr;
  EXPECT_EQ(ExitOf(RunLine({"abort", "widget.v1", "-y", "--timeout=1s"})), Exit::kStalled);
  EXPECT_OK(RunLine({"abort", "widget.v1", "-y", "--wait=false"}));

  scene.can_ask = false;
  fs::create_directory(folder / "saved");
  EXPECT_EQ(ExitOf(RunLine({"restore", folder / "saved"})), Exit::kUsage);
}

TEST_F(CommandsTest, AbortOfWhatIsNotDeletedRemovesTheOptIn) {
  scene.PutCsv(kBothFinalizers, true);
  EXPECT_OK(RunAbort());
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
  EXPECT_TRUE(scene.HasFinalizer("operators.coreos.com/csv-cleanup"));
  EXPECT_EQ(scene.Object(kCsvs, kCsv).at("spec").at("cleanup").at("enabled"), true);
  EXPECT_EQ(scene.document.at("aborted"), true);
}

TEST_F(CommandsTest, AbortOfADeletionTakesTheAuthorsWordBackAndWaits) {
  scene.PutCsv(kBothFinalizers, true);
  scene.PutWidget("a", "w1");
  ASSERT_OK(scene.Run(scene.fake.Delete(kCsvs, kCsv, kube::DeleteOptions())));
  EXPECT_OK(RunAbort());
  EXPECT_FALSE(scene.Has(kCsvs, kCsv));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("a/w1"));
  EXPECT_THAT(scene.screen, HasSubstr("has let go of it"));
}

TEST_F(CommandsTest, AbortWithoutControllersSaysSo) {
  scene.PutCsv(kBothFinalizers, true);
  ASSERT_OK(scene.Run(scene.fake.Delete(kCsvs, kCsv, kube::DeleteOptions())));
  scene.clock.on_sleep = nullptr;
  const absl::Status status = RunAbort();
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_EQ(scene.Object(kCsvs, kCsv).at("spec").at("cleanup").at("enabled"), false);
}

TEST_F(CommandsTest, AbortOfNothing) {
  EXPECT_OK(RunAbort());
  EXPECT_EQ(scene.document.at("aborted"), false);
  EXPECT_EQ(scene.client.calls({kube::ClientVerb::kPatch, kCsvs}), 0);
  scene.fake.Delete(kCsvs, kCsv);
  EXPECT_EQ(ExitOf(RunAbort()), Exit::kError);
}

TEST_F(CommandsTest, AbortAsks) {
  scene.PutCsv(kBothFinalizers, true);
  scene.yes = false;
  scene.answers = {"no"};
  EXPECT_EQ(ExitOf(RunAbort()), Exit::kRefused);
  scene.can_ask = false;
  EXPECT_EQ(ExitOf(RunAbort()), Exit::kUsage);
  EXPECT_TRUE(scene.HasFinalizer(kOptIn));
}

TEST_F(CommandsTest, AbortGoesOnWhereOthersWriteMeanwhile) {
  scene.PutCsv(kBothFinalizers, true);
  scene.client.FailNext({kube::ClientVerb::kPatch, kCsvs},
                        kube::ToStatus(kube::Conflict(kCsvs, "widget.v1", "changed")), 2);
  EXPECT_OK(RunAbort());
  EXPECT_FALSE(scene.HasFinalizer(kOptIn));
}

TEST_F(CommandsTest, RestoresWhatWasSaved) {
  scene.PutWidget("a", "w1");
  scene.PutWidget("b", "w2");
  UninstallWithCleanup();
  EXPECT_THAT(scene.Names(kWidgets), IsEmpty());
  scene.PutWidget("b", "w2", R"(,"mine":true)");
  EXPECT_OK(RunRestore());
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("a/w1", "b/w2"));
  EXPECT_TRUE(scene.Object(kWidgets, {"b", "w2"}).as_object().contains("mine"));
  const boost::json::value restored = scene.Object(kWidgets, {"a", "w1"});
  EXPECT_EQ(restored.at("spec").at("size"), 3);
  EXPECT_FALSE(restored.as_object().contains("status"));
  EXPECT_FALSE(restored.at("metadata").as_object().contains("finalizers"));
  EXPECT_THAT(scene.screen, HasSubstr("Left as it is: widgets.example.com b/w2 exists"));
  EXPECT_EQ(scene.document.at("created"), 1);
  EXPECT_EQ(Serialize(scene.document.at("existing")), R"(["widgets.example.com b/w2"])");
  EXPECT_OK(RunRestore());
  EXPECT_EQ(scene.document.at("created"), 0);
}

TEST_F(CommandsTest, RestoreBeginsWithClusterScopedObjects) {
  scene.PutWidget("a", "w1");
  scene.PutGadget("g1");
  scene.PutView("NotOptedIn", false, R"(["*"])");
  scene.clock.on_sleep = [this] {
    scene.ControllersStep();
    if (!scene.Has(kCsvs, kCsv)) return;
    const bool opted_in = scene.HasFinalizer(kOptIn);
    scene.PutView(opted_in ? "Ready" : "NotOptedIn", opted_in, R"(["*"])");
    if (scene.CsvIsDeleting() && scene.Has(kGadgets, {"", "g1"})) {
      scene.fake.Delete(kGadgets, {"", "g1"});
    }
  };
  UninstallWithCleanup();
  EXPECT_THAT(scene.Names(kGadgets), IsEmpty());
  scene.client.FailNext({kube::ClientVerb::kCreate, kGadgets},
                        absl::UnavailableError("connection lost"));
  EXPECT_EQ(ExitOf(RunRestore()), Exit::kError);
  EXPECT_THAT(scene.Names(kWidgets), IsEmpty());
  EXPECT_OK(RunRestore());
  EXPECT_THAT(scene.Names(kGadgets), ElementsAre("g1"));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("a/w1"));
}

TEST_F(CommandsTest, AMissingNamespaceKeepsNothingElseFromBeingRestored) {
  scene.PutWidget("a", "w1");
  scene.PutWidget("b", "w2");
  UninstallWithCleanup();
  scene.client.FailNext({kube::ClientVerb::kCreate, kWidgets, "w1"},
                        kube::ToStatus(kube::NotFound({"", "v1", "namespaces"}, "a")));
  EXPECT_EQ(ExitOf(RunRestore()), Exit::kError);
  EXPECT_THAT(scene.screen, HasSubstr("there is no namespace a; create it first"));
  EXPECT_THAT(scene.Names(kWidgets), ElementsAre("b/w2"));
}

TEST_F(CommandsTest, AMissingDefinitionSaysToInstallTheOperator) {
  scene.PutWidget("a", "w1");
  UninstallWithCleanup();
  scene.fake.Withdraw(kWidgets);
  EXPECT_EQ(ExitOf(RunRestore()), Exit::kError);
  EXPECT_THAT(scene.screen, HasSubstr("install the operator first"));
}

TEST_F(CommandsTest, EverythingIsReadBeforeAnythingIsRestored) {
  scene.PutWidget("a", "w1");
  scene.PutWidget("b", "w2");
  UninstallWithCleanup();
  const std::string file = folder / "saved/widgets.example.com/b/w2.yaml";
  std::ofstream(file) << "apiVersion: v1\nkind: Secret\nmetadata: {name: w2, namespace: b}\n";
  const absl::Status status = RunRestore();
  EXPECT_THAT(std::string(status.message()), HasSubstr("b/w2.yaml: not what was saved"));
  EXPECT_THAT(scene.Names(kWidgets), IsEmpty());
  fs::remove(file);
  EXPECT_FALSE(RunRestore().ok());
  EXPECT_THAT(scene.Names(kWidgets), IsEmpty());
}

TEST_F(CommandsTest, RestoreOfAnythingElseIsMisuse) {
  EXPECT_EQ(ExitOf(RunRestore()), Exit::kUsage);
  fs::create_directory(folder / "saved");
  std::ofstream(folder / "saved/index.json") << "{}";
  EXPECT_EQ(ExitOf(RunRestore()), Exit::kUsage);
}

TEST_F(CommandsTest, RestoreTriedOnly) {
  scene.PutWidget("a", "w1");
  UninstallWithCleanup();
  scene.yes = false;
  EXPECT_OK(RunRestore(/*dry_run=*/true));
  EXPECT_THAT(scene.Names(kWidgets), IsEmpty());
  EXPECT_THAT(scene.screen, HasSubstr("Would restore 1 custom resource"));
}

TEST_F(CommandsTest, StatusAsATable) {
  scene.PutView("Refused", true, R"(["a"])",
                R"({"reason":"SharedOwner","message":"m"},{"reason":"Copied","message":"m"})");
  EXPECT_OK(RunStatus("", ""));
  EXPECT_EQ(scene.screen,
            "NAMESPACE   NAME        PHASE     PENDING   BLOCKERS             AGE\n"
            "ops         widget.v1   Refused   0         SharedOwner,Copied   120m\n");
  scene.screen.clear();
  EXPECT_OK(RunStatus("ops", ""));
  EXPECT_EQ(scene.screen,
            "NAME        PHASE     PENDING   BLOCKERS             AGE\n"
            "widget.v1   Refused   0         SharedOwner,Copied   120m\n");
  const boost::json::value& item = scene.document.at("items").at(0);
  EXPECT_EQ(item.at("phase"), "Refused");
  EXPECT_EQ(item.at("blockers").at(0).at("reason"), "SharedOwner");
}

TEST_F(CommandsTest, StatusOfOne) {
  EXPECT_OK(RunStatus("ops", "widget.v1"));
  EXPECT_THAT(scene.screen, HasSubstr("Works in          a, b\n"));
  EXPECT_THAT(scene.screen, HasSubstr("Cleanup           supported by its author, not opted in\n"));
  EXPECT_EQ(ExitOf(RunStatus("ops", "nope")), Exit::kError);
}

// The opt-in is not confirmed, so it is not known whether its author was allowed to opt in. The
// output says so, and what to do.
TEST_F(CommandsTest, R_000_76_StatusOfAnUnconfirmedOptIn) {
  scene.PutView(
      "Refused", true, R"(["a"])",
      StrCat(R"({"reason":"OptInUnconfirmed","message":")", olm::UnconfirmedMessage(), R"("})"));
  EXPECT_OK(RunStatus("", ""));
  EXPECT_THAT(scene.screen, HasSubstr("Refused   0         OptInUnconfirmed"));
  scene.screen.clear();
  EXPECT_OK(RunStatus("ops", "widget.v1"));
  EXPECT_THAT(scene.screen, HasSubstr(StrCat("Blocker           OptInUnconfirmed: nobody knows "
                                             "whether who added finalizer ",
                                             kOptIn, " was allowed to")));
  EXPECT_THAT(scene.screen, HasSubstr("has to take it off and add it again"));
  EXPECT_EQ(scene.document.at("items").at(0).at("blockers").at(0).at("reason"), "OptInUnconfirmed");
}

TEST_F(CommandsTest, StatusWithoutSteward) {
  scene.fake.Withdraw(kCleanupStatuses);
  for (const char* name : {"", "widget.v1"}) {
    EXPECT_THAT(std::string(RunStatus("ops", name).message()),
                HasSubstr("install Steward's API server"));
  }
}

TEST_F(CommandsTest, VerifyTakesTheNamespaceOrAll) {
  for (const kube::GroupVersionResource& gvr : {kInstalledOperators, kNamespaces}) {
    scene.fake.Serve(gvr);
  }
  EXPECT_OK(RunLine({"copied-csvs", "verify"}));
  EXPECT_EQ(scene.screen, "No copies in 1 namespace\n");
  scene.screen.clear();
  EXPECT_OK(RunLine({"copied-csvs", "verify", "-A"}));
  EXPECT_EQ(scene.screen, "No copies in 0 namespaces\n");
}

TEST_F(CommandsTest, NoOperators) {
  EXPECT_OK(RunStatus("empty", ""));
  EXPECT_EQ(scene.screen, "No operators found\n");
  EXPECT_EQ(Serialize(scene.document.at("items")), "[]");
}

}  // namespace
}  // namespace steward::plugin
