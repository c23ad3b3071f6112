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

TEST(IpAddressTest, IsLoopback) {
  struct Row {
    std::string text;
    bool want;
  };
  const Row rows[] = {
      {"127.0.0.1", true},    {"127.8.9.10", true},
      {"::1", true},          {"::ffff:127.0.0.1", true},
      {"192.0.2.1", false},   {"0.0.0.0", false},
      {"::", false},          {"::ffff:192.0.2.1", false},
      {"::127.0.0.1", false}, {"", false},
      {"localhost", false},   {"127.0.0.1:80", false},
  };
  for (const Row& row : rows) EXPECT_EQ(IsLoopbackAddress(row.text), row.want) << row.text;
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
