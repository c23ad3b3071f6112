#include "cmd/steward/console_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "console/server/access.h"

namespace steward {
namespace {

using console::Authentication;
using ::testing::HasSubstr;

TEST(ConsoleOptionsTest, Defaults) {
  ASSERT_OK_AND_ASSIGN(const ConsoleOptions options, ParseConsoleOptions({}));
  EXPECT_FALSE(options.standalone);
  EXPECT_EQ(options.bind_address, "0.0.0.0");
  EXPECT_EQ(options.secure_port, 9443);
  EXPECT_FALSE(options.http);
  EXPECT_EQ(options.Url(9443), "https://127.0.0.1:9443/");
}

TEST(ConsoleOptionsTest, Modes) {
  const struct {
    std::vector<std::string> more;
    Authentication authentication;
    std::string url;
  } kRows[] = {
      {{}, Authentication::kToken, "https://127.0.0.1:1/"},
      {{"--bind-address=::"}, Authentication::kToken, "https://[::1]:1/"},
      {{"--bind-address=192.0.2.1"}, Authentication::kToken, "https://192.0.2.1:1/"},
      {{"--http"}, Authentication::kToken, "http://127.0.0.1:1/"},
      {{"--http", "--bind-address=::1"}, Authentication::kToken, "http://[::1]:1/"},
      {{"--token-header=X-Forwarded-Access-Token"},
       Authentication::kTokenHeader,
       "https://127.0.0.1:1/"},
      {{"--as-kubeconfig-user"}, Authentication::kKubeconfig, "http://127.0.0.1:1/"},
      {{"--as-kubeconfig-user", "--tls-cert-file=c", "--tls-private-key-file=k"},
       Authentication::kKubeconfig,
       "https://127.0.0.1:1/"},
      {{"--as-kubeconfig-user", "--bind-address=127.0.0.2"},
       Authentication::kKubeconfig,
       "http://127.0.0.2:1/"},
  };
  for (const auto& row : kRows) {
    std::vector<std::string> args = {"--standalone", "--kubeconfig=k"};
    args.insert(args.end(), row.more.begin(), row.more.end());
    ASSERT_OK_AND_ASSIGN(const ConsoleOptions options, ParseConsoleOptions(args));
    EXPECT_EQ(options.authentication(), row.authentication) << row.url;
    EXPECT_EQ(options.Url(1), row.url);
  }
}

TEST(ConsoleOptionsTest, WhatIsRefused) {
  const struct {
    std::vector<std::string> args;
    const char* why;
  } kRows[] = {
      {{"--standalone"}, "needs --kubeconfig"},
      {{"--kubeconfig=k"}, "--kubeconfig needs --standalone"},
      {{"--context=c"}, "--context needs --standalone"},
      {{"--token-header=X"}, "--token-header needs --standalone"},
      {{"--as-kubeconfig-user"}, "--as-kubeconfig-user needs --standalone"},
      {{"--standalone", "--kubeconfig=k", "--as-kubeconfig-user", "--token-header=X"},
       "exclude one another"},
      {{"--standalone", "--kubeconfig=k", "--token-header=a b"}, "not a header's name"},
      {{"--standalone", "--kubeconfig=k", "--as-kubeconfig-user", "--bind-address=0.0.0.0"},
       "--as-kubeconfig-user is for loopback"},
      {{"--standalone", "--kubeconfig=k", "--as-kubeconfig-user", "--bind-address=192.0.2.1"},
       "--as-kubeconfig-user is for loopback"},
      {{"--http", "--bind-address=::"}, "--http is for loopback"},
      {{"--http", "--tls-cert-file=c", "--tls-private-key-file=k"}, "exclude one another"},
      {{"--tls-cert-file=c"}, "given together"},
      {{"--bind-address=localhost"}, "not an IP address"},
      {{"--secure-port=65536"}, "--secure-port"},
      {{"--tls-min-version=VersionTLS9"}, "--tls-min-version"},
      {{"--nonsense"}, "nonsense"},
      {{"extra"}, "extra"},
  };
  for (const auto& row : kRows) {
    EXPECT_THAT(ParseConsoleOptions(row.args),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.why)))
        << row.args.front();
  }
}

TEST(ConsoleOptionsTest, Help) {
  ASSERT_OK_AND_ASSIGN(const ConsoleOptions options, ParseConsoleOptions({"--help"}));
  EXPECT_TRUE(options.help);
  EXPECT_THAT(ConsoleHelpText(), HasSubstr("--as-kubeconfig-user"));
}

TEST(ConsoleOptionsTest, WhereThePagesAre) {
  const TestDirectory directory;
  const std::string program = "/opt/steward/steward";
  EXPECT_EQ(DefaultConsoleFiles(directory.path(), program), directory.path());
  EXPECT_EQ(DefaultConsoleFiles(directory.path() + "/absent", program), "/opt/steward/console");
}

}  // namespace
}  // namespace steward
