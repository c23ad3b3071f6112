#include "base/text/ip_address.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace steward {
namespace {

TEST(IpAddressTest, IsOne) {
  struct Row {
    std::string text;
    bool want;
  };
  const Row rows[] = {
      {"192.0.2.1", true}, {"2001:db8::1", true},   {"::", true},
      {"", false},         {"192.0.2", false},      {"192.0.2.1:55", false},
      {"[::1]", false},    {"fe80::1%eth0", false}, {"host.example", false},
  };
  for (const Row& row : rows) EXPECT_EQ(IsIpAddress(row.text), row.want) << row.text;
}

TEST(IpAddressTest, OfAnAddressWithPort) {
  struct Row {
    std::string_view text;
    std::string_view address;
    std::string_view host;
  };
  const Row rows[] = {
      {"192.0.2.1:55", "192.0.2.1", "192.0.2.1"},
      {"[2001:db8::1]:55", "[2001:db8::1]", "2001:db8::1"},
      {"", "", ""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(WithoutPort(row.text), row.address);
    EXPECT_EQ(HostOf(row.text), row.host);
  }
}

}  // namespace
}  // namespace steward
