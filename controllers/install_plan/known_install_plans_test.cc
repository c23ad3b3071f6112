#include "controllers/install_plan/known_install_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/flags/flag_values.h"
#include "base/status/matchers.h"
#include "controllers/install_plan/install_plan_flags.h"

namespace steward::controllers {
namespace {

using ::testing::HasSubstr;

TEST(KnownInstallPlansTest, BundlesArePreviewedByItsOwnProcess) {
  const KnownReconciler known = KnownInstallPlans();
  FlagValues values;
  EXPECT_OK(known.check_flags(values, false));
  values.Of<InstallPlanFlags>().bundle_preview_token_file = "/token";
  EXPECT_OK(known.check_flags(values, true));
  EXPECT_THAT(
      known.check_flags(values, false),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--bundle-preview-token-file: ")));
}

}  // namespace
}  // namespace steward::controllers
