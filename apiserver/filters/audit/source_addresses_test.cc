#include "apiserver/filters/audit/source_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/filters/testing/requests.h"

namespace steward::filters {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(SourceAddressesTest, AsKubernetesReadsThem) {
  struct Row {
    std::string forwarded;
    std::string real;
    std::string peer;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"", "", "10.0.0.9:1", {"10.0.0.9"}},
      {"", "", "[::1]:1", {"::1"}},
      {"1.1.1.1, 2.2.2.2 ,x,,", "", "10.0.0.9:1", {"1.1.1.1", "2.2.2.2", "10.0.0.9"}},
      {"1.1.1.1", "1.1.1.1", "10.0.0.9:1", {"1.1.1.1", "10.0.0.9"}},
      {"1.1.1.1", "3.3.3.3", "10.0.0.9:1", {"1.1.1.1", "3.3.3.3", "10.0.0.9"}},
      {"10.0.0.9", "", "10.0.0.9:1", {"10.0.0.9"}},
      {"<script>", "y", "10.0.0.9:1", {"10.0.0.9"}},
      {"", "", "", {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.forwarded);
    http::Request request = MakeRequest("GET", "/");
    request.remote_address = row.peer;
    if (!row.forwarded.empty()) request.headers.Add("X-Forwarded-For", row.forwarded);
    if (!row.real.empty()) request.headers.Add("X-Real-Ip", row.real);
    EXPECT_EQ(SourceAddresses(request), row.want);
  }
}

TEST(SourceAddressesTest, AreBounded) {
  http::Request request = MakeRequest("GET", "/");
  request.remote_address = "10.0.0.9:1";
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "1.1.1.1,";
  request.headers.Add("X-Forwarded-For", many);
  const std::vector<std::string> addresses = SourceAddresses(request);
  EXPECT_THAT(addresses, SizeIs(16));
  EXPECT_EQ(addresses.back(), "10.0.0.9");
}

}  // namespace
}  // namespace steward::filters
