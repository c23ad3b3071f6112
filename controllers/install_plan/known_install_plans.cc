#include "controllers/install_plan/known_install_plans.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/families.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "controllers/install_plan/install_plan_metrics.h"
#include "controllers/install_plan/plan_executor.h"

namespace steward::controllers {
namespace {

// The number of plans that are reconciled at the same time.
constexpr size_t kWorkers = 4;

void AddFlags(FlagAdder& adder, FlagValues& values) {
  adder.Duration("--install-plan-retry-timeout", values.Of<InstallPlanFlags>().retry_timeout,
                 "The time since the first try of an InstallPlan after which an error makes it "
                 "Failed; until then, and for ever where rights are missing, it is tried again");
  adder.Text("--bundle-preview-token-file", values.Of<InstallPlanFlags>().bundle_preview_token_file,
             "File with the token of an account that may impersonate whoever asks by gRPC for the "
             "preview of a bundle, read again as it is rotated; empty: bundles are not previewed");
}

absl::Status CheckFlags(const FlagValues& values, bool runs) {
  if (runs || values.Get<InstallPlanFlags>().bundle_preview_token_file.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--bundle-preview-token-file: previews are made by the reconciler install-plans' process");
}

}  // namespace

KnownReconciler KnownInstallPlans() {
  KnownReconciler known;
  known.options.name = "install-plans";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Milliseconds(500);
  // Short delays make a plan Failed soon after its time is over.
  known.options.limits.max = absl::Seconds(5);
  known.family = kInstallPlansFamily;
  known.conflicts_with = {PeerOperator::kCatalogOperator};
  known.add_flags = AddFlags;
  known.check_flags = CheckFlags;
  known.prepare = PrepareReconciler<PlanExecutor, InstallPlanMetrics, InstallPlanFlags>;
  return known;
}

}  // namespace steward::controllers
