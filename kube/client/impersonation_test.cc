#include "kube/client/impersonation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;

TEST(ImpersonationTest, SaysEverythingThatIsKnownOfTheUser) {
  const UserInfo user{"alice",
                      "u-1",
                      {"dev", "ops and more"},
                      {{"example.com/Scopes", {"a", ""}}, {"empty", {}}, {"plain-key", {"b"}}}};
  EXPECT_OK(CheckActingUser(user));
  EXPECT_EQ(ImpersonationHeaders(user),
            "Impersonate-User: alice\r\n"
            "Impersonate-Uid: u-1\r\n"
            "Impersonate-Group: dev\r\n"
            "Impersonate-Group: ops and more\r\n"
            "Impersonate-Extra-example.com%2F%53copes: a\r\n"
            "Impersonate-Extra-example.com%2F%53copes: \r\n"
            "Impersonate-Extra-plain-key: b\r\n");
}

TEST(ImpersonationTest, ANameAlone) {
  const UserInfo user{"system:serviceaccount:ns:name"};
  EXPECT_OK(CheckActingUser(user));
  EXPECT_EQ(ImpersonationHeaders(user), "Impersonate-User: system:serviceaccount:ns:name\r\n");
}

TEST(ImpersonationTest, ActsAsNobodyElseThanWhoIsNamed) {
  struct Row {
    UserInfo user;
    std::string_view why;
  };
  const std::vector<Row> rows = {
      {{""}, "empty name"},
      {{"alice", "", {"dev", "system:masters"}}, "system:masters"},
      {{"alice\r\nImpersonate-Group: system:masters"}, "name has a control character"},
      {{std::string("a\0b", 3)}, "name has a control character"},
      {{"a\tb"}, "name has a control character"},
      {{" alice"}, "name begins or ends with a space"},
      {{"alice "}, "name begins or ends with a space"},
      {{"alice", "u\n1"}, "uid has a control character"},
      {{"alice", "", {""}}, "empty group"},
      {{"alice", "", {"system:masters "}}, "group begins or ends with a space"},
      {{"alice", "", {}, {{"", {"v"}}}}, "empty extra key"},
      {{"alice", "", {}, {{"k", {"v\r"}}}}, "extra value has a control character"},
  };
  for (const Row& row : rows) {
    const absl::Status status = CheckActingUser(row.user);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.why;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(row.why)));
  }
}

}  // namespace
}  // namespace steward::kube
