#include "base/process/descriptor_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace steward {
namespace {

TEST(DescriptorLimitTest, IsRaisedToTheHardOne) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlim_t hard = limit.rlim_max;
  limit.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(RaiseDescriptorLimit(), hard);
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, hard);
  EXPECT_EQ(RaiseDescriptorLimit(), hard) << "it stays";
}

}  // namespace
}  // namespace steward
