#include "kube/client/exec_plugin.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kV1[] = "client.authentication.k8s.io/v1";

ExecPlugin Shell(std::string script) {
  ExecPlugin plugin;
  plugin.api_version = kV1;
  plugin.command = "sh";
  plugin.args = {"-c", std::move(script)};
  plugin.input = ExecPlugin::Input::kNever;
  return plugin;
}

std::string Says(std::string_view status) {
  return StrCat("echo '{\"apiVersion\":\"", kV1,
                "\",\"kind\":\"ExecCredential\",\"status\":", status, "}'");
}

TEST(ExecPluginTest, WhatItIsTold) {
  ExecPlugin plugin = Shell("");
  EXPECT_EQ(ExecInfo(plugin, true),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":true}})");
  plugin.cluster = R"({"server":"https://h"})";
  EXPECT_EQ(ExecInfo(plugin, false),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"cluster":{"server":"https://h"},"interactive":false}})");
}

TEST(ExecPluginTest, WhatItSays) {
  struct Row {
    const char* name;
    std::string script;
    ExecCredential credential;
  };
  ExecPlugin told = Shell("");
  const std::vector<Row> rows = {
      {"token", Says(R"({"token":"t"})"), {"t", "", "", std::nullopt}},
      {"certificate",
       Says(R"({"clientCertificateData":"C","clientKeyData":"K"})"),
       {"", "C", "K", std::nullopt}},
      {"expiry",
       Says(R"({"token":"t","expirationTimestamp":"2026-11-30T08:00:00Z"})"),
       {"t", "", "", absl::FromUnixSeconds(1796025600)}},
      {"YAML",
       "printf 'kind: ExecCredential\\napiVersion: client.authentication.k8s.io/v1\\n"
       "status: {token: t}\\n'",
       {"t", "", "", std::nullopt}},
      {"its variables", Says(R"({"token":"'$STEWARD_TEST'"})"), {"mine", "", "", std::nullopt}},
      {"what it is told",
       "case $KUBERNETES_EXEC_INFO in *ExecCredential*interactive*false*) " +
           Says(R"({"token":"told"})") + ";; esac",
       {"told", "", "", std::nullopt}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ExecPlugin plugin = Shell(row.script);
    plugin.env = {{"STEWARD_TEST", "mine"}};
    ASSERT_OK_AND_ASSIGN(const ExecCredential credential, RunExecPlugin(plugin, {}));
    EXPECT_EQ(credential, row.credential);
  }
}

// The message is one sentence that quotes the plugin's standard error, and never its output.
TEST(ExecPluginTest, Failures) {
  struct Row {
    const char* name;
    std::string script;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"fails", "echo secret; echo 'token\n\033[1m expired' >&2; exit 3",
       "the credential plugin sh failed with exit code 3: token [1m expired"},
      {"is killed", "kill -9 $$", "the credential plugin sh was ended by signal 9"},
      {"hangs", "echo secret; echo 'waiting for a browser' >&2; exec sleep 1000",
       "the credential plugin sh did not end within 500ms: waiting for a browser"},
      {"writes without end", "yes secret", "wrote far more than credentials"},
      {"lies", "echo secret; echo oops >&2", "no credentials, since its output is no Exec"},
      {"says nothing", "true", "its output is no ExecCredential"},
      {"another version",
       "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","
       "\"kind\":\"ExecCredential\",\"status\":{\"token\":\"secret\"}}'",
       "of another version than client.authentication.k8s.io/v1"},
      {"no status",
       "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
       "\"ExecCredential\"}'",
       "no status"},
      {"nothing in it", Says("{}"), "neither a token nor a certificate"},
      {"half a certificate", Says(R"({"clientCertificateData":"secret"})"), "without the other"},
      {"no time", Says(R"({"token":"secret","expirationTimestamp":"soon"})"), "is no time"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ExecPlugin plugin = Shell(row.script);
    plugin.env = {{"PASSWORD", "secret"}};
    const absl::Status status = RunExecPlugin(plugin, {.limit = absl::Milliseconds(500)}).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr(row.message)));
    EXPECT_THAT(status.message(), Not(HasSubstr("secret")));
  }
}

TEST(ExecPluginTest, OneThatIsNotThereIsNamedWithItsHint) {
  ExecPlugin plugin = Shell("");
  plugin.command = "no-such-plugin-of-steward";
  plugin.install_hint = "Install it\nby hand.";
  EXPECT_THAT(RunExecPlugin(plugin, {}),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       HasSubstr("the credential plugin no-such-plugin-of-steward was not found: "
                                 "Install it by hand.")));
}

TEST(ExecPluginTest, OneThatAsksNeedsATerminal) {
  ExecPlugin plugin = Shell(Says(R"({"token":"t"})"));
  plugin.input = ExecPlugin::Input::kAlways;
  if (::isatty(0) == 1) GTEST_SKIP() << "standard input is a terminal";
  EXPECT_THAT(RunExecPlugin(plugin, {}),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("is not a terminal")));
}

}  // namespace
}  // namespace steward::kube
