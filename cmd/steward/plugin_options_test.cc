#include "cmd/steward/plugin_options.h"

#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::HasSubstr;
using Command = PluginOptions::Command;

TEST(PluginOptionsTest, Uninstall) {
  ASSERT_OK_AND_ASSIGN(
      const PluginOptions options,
      ParsePluginOptions({"uninstall", "etcd.v1", "-n", "ops", "--cleanup", "--save=saved",
                          "--wait=false", "--timeout=1m30s", "-y", "-o", "json", "--context=c",
                          "--kubeconfig", "file", "--dry-run", "--ignore-not-found"}));
  EXPECT_EQ(options.command, Command::kUninstall);
  EXPECT_EQ(options.csv, "etcd.v1");
  EXPECT_EQ(options.ns, "ops");
  EXPECT_TRUE(options.cleanup && options.yes && options.dry_run && options.ignore_not_found);
  EXPECT_FALSE(options.wait || options.keep || options.no_save);
  EXPECT_EQ(options.folder, "saved");
  EXPECT_EQ(options.timeout, absl::Seconds(90));
  EXPECT_EQ(options.output, "json");
  EXPECT_EQ(options.context, "c");
  EXPECT_EQ(options.kubeconfig, "file");
}

TEST(PluginOptionsTest, FlagsOfAllCommandsMayComeFirst) {
  ASSERT_OK_AND_ASSIGN(const PluginOptions options,
                       ParsePluginOptions({"-n", "ops", "--context=c", "status", "etcd.v1"}));
  EXPECT_EQ(options.command, Command::kStatus);
  EXPECT_EQ(options.ns, "ops");
  EXPECT_EQ(options.context, "c");
  EXPECT_EQ(options.csv, "etcd.v1");
}

TEST(PluginOptionsTest, Defaults) {
  ASSERT_OK_AND_ASSIGN(const PluginOptions options, ParsePluginOptions({"abort", "etcd.v1"}));
  EXPECT_EQ(options.command, Command::kAbort);
  EXPECT_TRUE(options.wait);
  EXPECT_FALSE(options.yes);
  EXPECT_EQ(options.timeout, absl::Minutes(30));
  EXPECT_EQ(options.ns, "");
  ASSERT_OK_AND_ASSIGN(const PluginOptions restore, ParsePluginOptions({"restore", "folder"}));
  EXPECT_EQ(restore.command, Command::kRestore);
  EXPECT_EQ(restore.folder, "folder");
}

TEST(PluginOptionsTest, WrongUsage) {
  struct Case {
    const char* name;
    std::vector<std::string> args;
    const char* message;
  };
  for (const Case& c : {
           Case{"unknown command", {"remove", "x"}, "remove"},
           Case{"no name", {"uninstall"}, "CSV"},
           Case{"no object's name", {"uninstall", "../x"}, "is no object's name"},
           Case{"no namespace's name", {"status", "-n", "a/b"}, "is no namespace's name"},
           Case{"two names", {"abort", "a", "b"}, "b"},
           Case{"--keep and --cleanup", {"uninstall", "x", "--keep", "--cleanup"}, "--cleanup"},
           Case{"--save and --no-save", {"uninstall", "x", "--save=d", "--no-save"}, "--save"},
           Case{"output", {"status", "-o", "yaml"}, "yaml"},
           Case{"duration", {"abort", "x", "--timeout=soon"}, "soon"},
           Case{"all and one", {"status", "x", "-A"}, "--all-namespaces"},
           Case{"all and a namespace", {"status", "-A", "-n", "a"}, "--all-namespaces"},
           Case{"unknown flag", {"status", "--force"}, "--force"},
           Case{"a flag of another command", {"status", "--cleanup"}, "--cleanup"},
           Case{"restore elsewhere", {"restore", "d", "-n", "a"}, "--namespace"},
           Case{"no folder", {"restore"}, "DIR"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParsePluginOptions(c.args),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(PluginOptionsTest, Help) {
  ASSERT_OK_AND_ASSIGN(const PluginOptions none, ParsePluginOptions({}));
  EXPECT_THAT(none.help, HasSubstr("uninstall"));
  ASSERT_OK_AND_ASSIGN(const PluginOptions one, ParsePluginOptions({"uninstall", "--help"}));
  EXPECT_THAT(one.help, HasSubstr("--cleanup"));
  EXPECT_THAT(one.help, HasSubstr("kubectl steward uninstall"));
  EXPECT_THAT(one.help, HasSubstr("Exit codes: 0 done"));
}

}  // namespace
}  // namespace steward
