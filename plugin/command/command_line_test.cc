#include "plugin/command/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/status/matchers.h"

namespace steward::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A command that takes a word, and refuses it together with a namespace.
class Greet : public Command {
 public:
  void AddFlags(CLI::App& app) override { app.add_option("NAME", name, "Whom")->required(); }
  absl::Status Check(const CommonFlags& common) const override {
    return common.ns == name ? absl::InvalidArgumentError("nobody greets a namespace")
                             : absl::OkStatus();
  }
  StatusTask Run(Session&) override { co_return absl::OkStatus(); }

  std::string name;
};

KnownCommand Known(const std::string& name, bool asks) {
  return {.name = name,
          .description = "Greet in the " + name,
          .report = name + "Report",
          .examples = {{"Greet Ann", name + " ann"}},
          .asks = asks,
          .make = [] { return std::make_unique<Greet>(); }};
}

const std::vector<KnownCommand>& Commands() {
  static const auto& known = *new std::vector<KnownCommand>{
      Known("morning", true),
      {.name = "at", .description = "Greet at a place", .commands = {Known("home", false)}}};
  return known;
}

absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& args) {
  return ParseCommandLine(Commands(), args);
}

std::string NameIn(const CommandLine& line) {
  return dynamic_cast<const Greet&>(*line.command).name;
}

TEST(CommandLineTest, ACommandHasItsFlagsAndThoseOfAll) {
  ASSERT_OK_AND_ASSIGN(const CommandLine line,
                       Parse({"morning", "ann", "-n", "ops", "-y", "-o", "json", "--context=c",
                              "--kubeconfig", "file"}));
  EXPECT_EQ(line.name, "morning");
  EXPECT_EQ(line.report, "morningReport");
  EXPECT_EQ(NameIn(line), "ann");
  EXPECT_EQ(line.common.ns, "ops");
  EXPECT_EQ(line.common.output, "json");
  EXPECT_EQ(line.common.cluster.context, "c");
  EXPECT_EQ(line.common.kubeconfig, "file");
  EXPECT_TRUE(line.common.yes);
  EXPECT_EQ(line.help, "");
}

TEST(CommandLineTest, Outputs) {
  for (const char* output : {"json", "yaml", "wide", "jsonpath={.a}", "jsonpath-as-json={.a}",
                             "jsonpath=", "jsonpath"}) {
    ASSERT_OK_AND_ASSIGN(const CommandLine line, Parse({"morning", "ann", "-o", output}));
    EXPECT_EQ(line.common.output, output);
  }
}

TEST(CommandLineTest, ClusterAndUserAsWithKubectl) {
  ASSERT_OK_AND_ASSIGN(
      const CommandLine line,
      Parse({"morning", "ann", "--cluster=c", "--user=u", "-s", "https://h", "--token=t",
             "--as=jane", "--as-uid=1", "--as-group=a,b", "--as-group=c", "--request-timeout=5",
             "--insecure-skip-tls-verify", "--tls-server-name=n", "--certificate-authority=f"}));
  const kube::KubeconfigOverrides& cluster = line.common.cluster;
  EXPECT_EQ(cluster.cluster, "c");
  EXPECT_EQ(cluster.user, "u");
  EXPECT_EQ(cluster.server, "https://h");
  EXPECT_EQ(cluster.token, "t");
  EXPECT_EQ(cluster.as, "jane");
  EXPECT_EQ(cluster.as_uid, "1");
  EXPECT_THAT(cluster.as_groups, ElementsAre("a,b", "c"));
  EXPECT_TRUE(cluster.insecure_skip_tls_verify);
  EXPECT_EQ(cluster.tls_server_name, "n");
  EXPECT_EQ(cluster.certificate_authority, "f");
  EXPECT_EQ(line.common.request_timeout, absl::Seconds(5));
  ASSERT_OK_AND_ASSIGN(const CommandLine minute, Parse({"morning", "ann", "--request-timeout=1m"}));
  EXPECT_EQ(minute.common.request_timeout, absl::Minutes(1));
}

TEST(CommandLineTest, FlagsOfAllCommandsMayComeFirst) {
  ASSERT_OK_AND_ASSIGN(const CommandLine line,
                       Parse({"-n", "ops", "at", "--context=c", "home", "ann"}));
  EXPECT_EQ(line.common.ns, "ops");
  EXPECT_EQ(line.common.cluster.context, "c");
}

TEST(CommandLineTest, ACommandOfAGroup) {
  ASSERT_OK_AND_ASSIGN(const CommandLine line, Parse({"at", "home", "ann"}));
  EXPECT_EQ(line.name, "at home");
  EXPECT_EQ(line.report, "homeReport");
  EXPECT_EQ(NameIn(line), "ann");
  EXPECT_FALSE(line.common.yes);
}

TEST(CommandLineTest, Help) {
  struct Case {
    std::vector<std::string> args;
    const char* usage;
    const char* shows;
    const char* hides;
  };
  for (const Case& c : {
           Case{{}, "Usage:\n  kubectl steward COMMAND [flags]\n", "Greet at a place", "home"},
           Case{{"--help"}, "  kubectl steward COMMAND [flags]\n", "-s, --server string", "NAME"},
           Case{{"morning", "--help"},
                "Usage:\n  kubectl steward morning NAME [flags]\n",
                "  -y, --yes",
                "--server"},
           Case{{"at"}, "  kubectl steward at COMMAND [flags]\n", "Greet in the home", "morning"},
           Case{{"at", "home", "-h"},
                "  kubectl steward at home NAME [flags]\n",
                "Examples:\n  # Greet Ann\n  kubectl steward home ann\n",
                "--yes"},
       }) {
    SCOPED_TRACE(c.usage);
    ASSERT_OK_AND_ASSIGN(const CommandLine line, Parse(c.args));
    EXPECT_EQ(line.command, nullptr);
    EXPECT_THAT(line.help, HasSubstr(c.usage));
    EXPECT_THAT(line.help, HasSubstr(c.shows));
    EXPECT_THAT(line.help, HasSubstr("--namespace string"));
    EXPECT_THAT(line.help, HasSubstr("Exit codes: 0 done"));
    EXPECT_THAT(line.help, Not(HasSubstr(c.hides)));
    for (const char* dialect : {"[OPTIONS]", "SUBCOMMAND", "REQUIRED", "TEXT", "{", "Excludes"}) {
      EXPECT_THAT(line.help, Not(HasSubstr(dialect)));
    }
  }
}

TEST(CommandLineTest, WrongUsage) {
  struct Case {
    const char* name;
    std::vector<std::string> args;
    const char* message;
  };
  for (const Case& c : {
           Case{"unknown command", {"evening"}, "evening"},
           Case{"unknown command of a group", {"at", "work"}, "work"},
           Case{"two commands", {"morning", "ann", "at", "home", "bob"}, "unknown argument \"at\""},
           Case{"argument missing", {"morning"}, "NAME"},
           Case{"no namespace's name", {"morning", "ann", "-n", "a/b"}, "is no namespace's name"},
           Case{"output", {"morning", "ann", "-o", "xml"}, "xml is none of json,yaml"},
           Case{"it lists no objects", {"morning", "ann", "-o", "name"}, "lists no objects"},
           Case{"neither if said before", {"-o", "name", "at", "home", "ann"}, "lists no objects"},
           Case{"timeout", {"morning", "ann", "--request-timeout=soon"}, "--request-timeout"},
           Case{"it never asks", {"at", "home", "ann", "--yes"}, "--yes"},
           Case{"not together", {"morning", "ops", "-n", "ops"}, "nobody greets a namespace"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Parse(c.args).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

}  // namespace
}  // namespace steward::plugin
