#include "controllers/cleanup/cleanup_flags.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "base/flags/go_arguments.h"
#include "base/status/matchers.h"

namespace steward::controllers {
namespace {

using ::testing::HasSubstr;

CleanupFlags Parse(const std::vector<std::string>& args) {
  CleanupFlags values;
  CLI::App app;
  FlagAdder flags(app);
  AddCleanupFlags(flags, values);
  app.parse(ForCli11(args));
  return values;
}

TEST(CleanupFlagsTest, Defaults) {
  const CleanupFlags values = Parse({});
  EXPECT_OK(CheckCleanupFlags(values));
  EXPECT_EQ(values.stall_timeout, absl::Minutes(10));
  EXPECT_EQ(values.failure_condition, "");
  EXPECT_FALSE(values.release_all);
  const GuardOptions guards = GuardsOf(values);
  EXPECT_FALSE(guards.allow_unprotected);
  EXPECT_FALSE(guards.unmanaged_definitions);
  EXPECT_FALSE(guards.without_deployments);
  EXPECT_FALSE(guards.csvs_built_in);
  EXPECT_FALSE(guards.terms.supported_by_default);
  EXPECT_FALSE(guards.terms.owned_apiservices);
}

TEST(CleanupFlagsTest, Everything) {
  const CleanupFlags values = Parse({"--cleanup-stall-timeout=90s",
                                     "--cleanup-failure-condition=CleanupFailed", "--release-all"});
  EXPECT_OK(CheckCleanupFlags(values));
  EXPECT_EQ(values.stall_timeout, absl::Seconds(90));
  EXPECT_EQ(values.failure_condition, "CleanupFailed");
  EXPECT_TRUE(values.release_all);
}

// Each flag allows more deletions, and has no other effect.
TEST(CleanupFlagsTest, EachGuardHasAFlagOfItsOwn) {
  const struct {
    const char* flag;
    bool GuardOptions::*guard;
    bool olm::CsvTerms::*term;
  } rows[] = {
      {"--allow-unprotected-opt-in", &GuardOptions::allow_unprotected, nullptr},
      {"--cleanup-unmanaged-definitions", &GuardOptions::unmanaged_definitions, nullptr},
      {"--cleanup-supported-by-default", nullptr, &olm::CsvTerms::supported_by_default},
      {"--cleanup-owned-apiservices", nullptr, &olm::CsvTerms::owned_apiservices},
  };
  for (const auto& given : rows) {
    const GuardOptions guards = GuardsOf(Parse({given.flag}));
    for (const auto& row : rows) {
      const bool is = row.guard != nullptr ? guards.*row.guard : guards.terms.*row.term;
      EXPECT_EQ(is, &row == &given) << given.flag << " and " << row.flag;
    }
    EXPECT_FALSE(guards.without_deployments);
    EXPECT_FALSE(guards.csvs_built_in);
  }
}

TEST(CleanupFlagsTest, WithoutAFlag) {
  CleanupFlags values;
  values.without_deployments = true;
  EXPECT_TRUE(GuardsOf(values).without_deployments);
  EXPECT_FALSE(GuardsOf(values).csvs_built_in);
  values = {};
  values.csvs_built_in = true;
  EXPECT_TRUE(GuardsOf(values).csvs_built_in);
  EXPECT_FALSE(GuardsOf(values).without_deployments);
}

TEST(CleanupFlagsTest, Refused) {
  EXPECT_THAT(CheckCleanupFlags(Parse({"--cleanup-stall-timeout=0s"})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--cleanup-stall-timeout: must be longer")));
}

}  // namespace
}  // namespace steward::controllers
