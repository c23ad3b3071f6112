#include "base/flags/go_arguments.h"

#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GoArgumentsTest, FromTheEndAndInCli11sForm) {
  EXPECT_THAT(ForCli11({"--a=1", "-v=4", "--empty=", "--", "x", "-v", "2"}),
              ElementsAre("2", "-v", "x", "--", "", "--empty", "-v4", "--a=1"));
  EXPECT_THAT(ForCli11({}), IsEmpty());
}

}  // namespace
}  // namespace steward
