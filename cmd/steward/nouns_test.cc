// The way of a command `steward NOUN VERB` from its entry in the list to its exit code.
#include "cmd/steward/nouns.h"

#include <stdlib.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "kube/meta/names.h"
#include "plugin/command/command.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/nouns.h"

namespace steward {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Looks at a folder; if the folder is called "cluster", asks the cluster instead.
class Look : public plugin::Command {
 public:
  void AddFlags(CLI::App& app) override { app.add_option("DIR", folder_, "Folder")->required(); }
  StatusTask Run(plugin::Session& session) override {
    session.document["folder"] = folder_;
    session.terminal.Line("looked at " + folder_);
    if (folder_ == "bad") co_return plugin::Refused("bad is refused");
    if (folder_ != "cluster") co_return absl::OkStatus();
    const kube::GroupVersion core{"", "v1"};
    co_return (co_await session.client.Discover(core)).status();
  }

 private:
  std::string folder_;
};

std::vector<plugin::KnownCommand> Nouns() {
  const auto look = [] { return std::make_unique<Look>(); };
  return {{.name = "folder",
           .description = "Folders of all sorts",
           .commands = {{.name = "look",
                         .description = "Look at a folder",
                         .report = "LookReport",
                         .needs_cluster = false,
                         .make = look},
                        {.name = "send",
                         .description = "Send a folder to the cluster",
                         .report = "SendReport",
                         .make = look}}}};
}

struct Ran {
  int exit = 0;
  std::string out;
  std::string error;
};

class NounsTest : public ::testing::Test {
 protected:
  NounsTest() {
    setenv("HOME", directory_.path().c_str(), /*overwrite=*/1);
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
  }
  Ran Run(const std::vector<std::string>& args) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Ran ran;
    ran.exit = RunNoun(Nouns(), args);
    ran.out = ::testing::internal::GetCapturedStdout();
    ran.error = ::testing::internal::GetCapturedStderr();
    return ran;
  }

  TestDirectory directory_;  // a home without a kubeconfig
};

TEST_F(NounsTest, AVerbRunsWithoutACluster) {
  const Ran ran = Run({"folder", "look", "here"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out, "looked at here\n");
  EXPECT_EQ(ran.error, "");
}

TEST_F(NounsTest, ItsReportIsForPrograms) {
  const Ran ran = Run({"folder", "look", "bad", "-o", "json"});
  EXPECT_EQ(ran.exit, 3);
  EXPECT_THAT(ran.error, HasSubstr("error: bad is refused\n"));
  ASSERT_OK_AND_ASSIGN(const boost::json::value report, ParseJson(ran.out));
  EXPECT_EQ(report.at("kind"), "LookReport");
  EXPECT_EQ(report.at("folder"), "bad");
  EXPECT_EQ(report.at("exitCode"), 3);
}

TEST_F(NounsTest, OneThatNeedsNoClusterHasNone) {
  const Ran ran = Run({"folder", "look", "cluster"});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.error, HasSubstr("error: this command asks no cluster"));
  EXPECT_EQ(Run({"folder", "look", "here", "--kubeconfig=x"}).exit, 2);
}

TEST_F(NounsTest, TheOthersLookForAKubeconfig) {
  const Ran ran = Run({"folder", "send", "here"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.error, HasSubstr("error: there is no kubeconfig"));
}

TEST_F(NounsTest, WrongUsage) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"folder", "eat"},
                                               {"folder", "look"},
                                               {"folder", "look", "a", "b"},
                                               {"folder", "look", "a", "--nope"}}) {
    const Ran ran = Run(args);
    EXPECT_EQ(ran.exit, 2);
    EXPECT_THAT(ran.error, StartsWith("error: "));
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(NounsTest, Help) {
  const Ran noun = Run({"folder", "--help"});
  EXPECT_EQ(noun.exit, 0);
  EXPECT_THAT(noun.out, HasSubstr("Usage:\n  steward folder COMMAND ["));
  EXPECT_THAT(noun.out, HasSubstr("Look at a folder"));
  EXPECT_EQ(Run({"folder"}).out, noun.out);
  const Ran verb = Run({"folder", "look", "--help"});
  EXPECT_THAT(verb.out, HasSubstr("Usage:\n  steward folder look DIR ["));
  EXPECT_THAT(verb.out, HasSubstr("Exit codes: 0 done"));
  EXPECT_THAT(verb.out, HasSubstr("--output"));
  EXPECT_THAT(verb.out, Not(HasSubstr("--kubeconfig")));
  EXPECT_THAT(Run({"folder", "send", "--help"}).out, HasSubstr("--kubeconfig"));
}

TEST_F(NounsTest, AreInTheHelpOfTheProgram) {
  EXPECT_TRUE(IsNoun(Nouns(), "folder"));
  EXPECT_FALSE(IsNoun(Nouns(), "look"));
  EXPECT_FALSE(IsNoun(Nouns(), ""));
  EXPECT_EQ(NounsHelp(Nouns()),
            "\nNouns, each with verbs ('steward NOUN --help' lists them):\n"
            "  folder      Folders of all sorts\n");
  EXPECT_EQ(NounsHelp({}), "");
}

TEST_F(NounsTest, EachKnownNounIsAGroup) {
  for (const plugin::KnownCommand& noun : plugin::KnownNouns()) {
    EXPECT_FALSE(noun.make) << noun.name;
    EXPECT_FALSE(noun.commands.empty()) << noun.name;
    for (const char* taken : {"up", "apiserver", "controllers", "kubectl", "version", "help"}) {
      EXPECT_NE(noun.name, taken);
    }
  }
}

}  // namespace
}  // namespace steward
