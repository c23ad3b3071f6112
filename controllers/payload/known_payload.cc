#include "controllers/payload/known_payload.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "controllers/families.h"
#include "controllers/payload/payload_flags.h"
#include "controllers/payload/payload_metrics.h"
#include "controllers/payload/payload_reconciler.h"
#include "kube/meta/names.h"

namespace steward::controllers {
namespace {

void AddFlags(FlagAdder& adder, FlagValues& values) {
  auto& flags = values.Of<PayloadFlags>();
  payload::PayloadOptions& options = flags.options;
  adder.Text("--payload-dir", flags.folder,
             "Folder of the payload: manifests/ and release-manifests/, or the files themselves");
  adder.Text("--payload-version", options.version,
             "Version of the payload; empty: that of its file release-metadata");
  adder.Text("--cluster-profile", options.choices.profile,
             "Profile for which manifests must be included; empty: all of them are");
  adder.Text("--payload-feature-set", options.choices.feature_set,
             "Feature set, where the cluster has no FeatureGate; empty: Default");
  adder.List("--payload-feature-gates", flags.gates,
             "Feature gates that are on, where the cluster has no FeatureGate");
  adder.List("--payload-capabilities", flags.capabilities,
             "Capabilities that are on, where the cluster has no ClusterVersion");
  adder.Switch("--payload-initial", options.initial,
               "The cluster is being installed: nothing is deleted");
  adder.Text("--payload-record-namespace", options.record_namespace,
             "Namespace of the ConfigMap in which removals are recorded");
  adder.Text("--payload-delete", flags.deletion,
             "non-blocking: go on while objects are being deleted; blocking: wait for their end");
  adder.Duration("--payload-delete-timeout", flags.deletion_timeout,
                 "The time after which a deletion that is waited for fails");
  adder.Switch("--payload-redelete", options.redelete,
               "Delete an object again that came back after it was removed");
  adder.Switch("--allow-stale-deletes", options.allow_stale_deletes,
               "Begin a minor update whose payload deletes what an earlier version removed");
  adder.Switch("--payload-force", options.force,
               "Begin a minor update although removals or operators hold it back");
  adder.Duration("--payload-interval", flags.interval,
                 "The time from one complete pass to the next");
}

absl::Status CheckFlags(const FlagValues& values, bool runs) {
  const auto flags = values.Get<PayloadFlags>();
  if (runs && flags.folder.empty()) {
    return absl::InvalidArgumentError("--payload-dir: the reconciler payload needs it");
  }
  if (flags.deletion != "blocking" && flags.deletion != "non-blocking") {
    return absl::InvalidArgumentError(
        StrCat("--payload-delete: \"", flags.deletion, "\" is neither blocking nor non-blocking"));
  }
  if (!kube::IsDns1123Label(flags.options.record_namespace)) {
    return absl::InvalidArgumentError(StrCat("--payload-record-namespace: \"",
                                             flags.options.record_namespace,
                                             "\" is no name of a namespace"));
  }
  if (flags.interval < absl::Seconds(1) || flags.deletion_timeout < absl::Seconds(1)) {
    return absl::InvalidArgumentError(
        "--payload-interval and --payload-delete-timeout: at least 1s");
  }
  return absl::OkStatus();
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
  known.check_flags = CheckFlags;
  known.prepare = [](const FlagValues& values,
                     prometheus::Registry& registry) -> ReconcilerFactory {
    const PayloadFlags flags = values.Get<PayloadFlags>();
    const auto metrics = std::make_shared<PayloadMetrics>(registry);
    return [flags, metrics](const ReconcilerDeps& deps) {
      return std::make_unique<PayloadReconciler>(deps, *metrics, flags);
    };
  };
  return known;
}

}  // namespace steward::controllers
