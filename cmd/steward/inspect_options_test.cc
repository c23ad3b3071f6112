#include "cmd/steward/inspect_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status/matchers.h"

namespace steward {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(InspectOptionsTest, ADumpAndNothingElse) {
  const auto options = ParseInspectOptions({"must-gather"});
  ASSERT_OK(options);
  EXPECT_EQ(options->path, "must-gather");
  EXPECT_THAT(options->command, IsEmpty());
  EXPECT_EQ(options->show, 10);
  EXPECT_EQ(options->secure_port, 0);
}

TEST(InspectOptionsTest, WhatIsBehindTheDashesIsTheCommands) {
  const auto options =
      ParseInspectOptions({"--show=3", "d.tar", "--", "kubectl", "get", "--help", "--", "x"});
  ASSERT_OK(options);
  EXPECT_EQ(options->path, "d.tar");
  EXPECT_EQ(options->show, 3);
  EXPECT_THAT(options->command, ElementsAre("kubectl", "get", "--help", "--", "x"));
  EXPECT_FALSE(options->help);
}

TEST(InspectOptionsTest, WrongUsageIsOneSentence) {
  EXPECT_THAT(ParseInspectOptions({}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseInspectOptions({"d", "--"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseInspectOptions({"d", "e"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseInspectOptions({"d", "--show=-1"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseInspectOptions({"d", "--shout"}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(InspectOptionsTest, HelpNamesEveryFlag) {
  const auto options = ParseInspectOptions({"--help"});
  ASSERT_OK(options);
  EXPECT_TRUE(options->help);
  EXPECT_THAT(InspectHelpText(), AllOf(HasSubstr("--kubeconfig"), HasSubstr("--secure-port"),
                                       HasSubstr("--show"), HasSubstr("KUBECONFIG")));
}

}  // namespace
}  // namespace steward
