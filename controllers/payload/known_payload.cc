#include "controllers/payload/known_payload.h"

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/families.h"
#include "controllers/payload/payload_metrics.h"
#include "controllers/payload/payload_reconciler.h"
#include "payload/payload_flags.h"

namespace steward::controllers {
namespace {

void AddFlags(FlagAdder& adder, FlagValues& values) {
  auto& given = values.Of<ReconciledPayload>();
  adder.Text("--payload-dir", given.folder,
             "Folder of the payload: manifests/ and release-manifests/, or the files themselves");
  payload::AddClusterFlags(adder, given.flags);
  payload::AddPassFlags(adder, given.flags);
  payload::AddDeletionFlags(adder, given.flags);
  payload::AddWaitFlag(adder, given.flags);
  payload::AddForceFlag(adder, given.flags, "--payload-force");
  adder.Duration("--payload-interval", given.interval,
                 "The time from one complete pass to the next");
}

absl::Status CheckFlags(const FlagValues& values, bool runs) {
  const auto given = values.Get<ReconciledPayload>();
  if (runs && given.folder.empty()) {
    return absl::InvalidArgumentError("--payload-dir: the reconciler payload needs it");
  }
  if (given.interval < absl::Seconds(1)) {
    return absl::InvalidArgumentError("--payload-interval: at least 1s");
  }
  return given.flags.Check();
}

}  // namespace

KnownReconciler KnownPayload() {
  KnownReconciler known;
  known.options.name = "payload";
  known.options.limits.initial = absl::Seconds(1);
  known.options.limits.max = absl::Seconds(30);
  known.family = kPayloadFamily;
  known.conflicts_with = {PeerOperator::kClusterVersionOperator};
  known.add_flags = AddFlags;
  known.needs_flags = true;
  known.check_flags = CheckFlags;
  known.prepare = PrepareReconciler<PayloadReconciler, PayloadMetrics, ReconciledPayload>;
  return known;
}

}  // namespace steward::controllers
