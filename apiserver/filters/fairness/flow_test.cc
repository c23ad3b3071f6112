#include "apiserver/filters/fairness/flow.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/http/message/message.h"

namespace steward::filters {
namespace {

TEST(FlowTest, UsersAreFlowsAndStrangersAreAddresses) {
  struct Row {
    std::string user;
    std::vector<std::string> groups;
    std::string address;
    std::string name;
    bool stranger;
  } const rows[] = {
      {"alice", {"system:authenticated"}, "10.0.0.1:1234", "alice", false},
      {"system:serviceaccount:a:b", {}, "10.0.0.1:1234", "system:serviceaccount:a:b", false},
      {"system:anonymous", {"system:unauthenticated"}, "10.0.0.1:1234", "10.0.0.1", true},
      {"system:anonymous", {}, "10.0.0.1:99", "10.0.0.1", true},
      {"alice", {"system:unauthenticated"}, "[fd00::1]:1234", "[fd00::1]", true},
      {"", {}, "10.0.0.2:1234", "10.0.0.2", true},
      {"", {}, "", "", true},
  };
  for (const Row& row : rows) {
    http::Request request;
    request.user.name = row.user;
    request.user.groups = row.groups;
    request.remote_address = row.address;
    const Flow flow = FlowOf(request);
    EXPECT_EQ(flow.name, row.name) << row.user;
    EXPECT_EQ(flow.stranger, row.stranger) << row.user;
  }
}

}  // namespace
}  // namespace steward::filters
