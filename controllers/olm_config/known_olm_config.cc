#include "controllers/olm_config/known_olm_config.h"

#include <utility>

#include "absl/time/time.h"
#include "base/flags/flag_values.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/toggle_flags.h"
#include "controllers/families.h"
#include "controllers/olm_config/olm_config.h"
#include "controllers/runtime/peer_presence.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

KnownReconciler KnownOlmConfig(std::shared_ptr<CopyState> copy_state) {
  KnownReconciler known;
  known.options.name = "olm-config";
  known.options.workers = 2;  // one for each of its two keys
  known.options.limits.initial = absl::Seconds(1);
  known.family = kCopiesFamily;
  known.needs = "copied-csvs";
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.prepare = [copy_state = std::move(copy_state)](
                      const FlagValues& values,
                      prometheus::Registry& registry) -> ReconcilerFactory {
    const auto metrics = std::make_shared<OlmConfigMetrics>(registry);
    return [copy_state, metrics, defaults = ToggleDefaultsOf(values)](const ReconcilerDeps& deps) {
      return std::make_unique<OlmConfigReconciler>(deps, *metrics, *copy_state, defaults);
    };
  };
  return known;
}

}  // namespace steward::controllers
