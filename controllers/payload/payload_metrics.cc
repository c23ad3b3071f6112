#include "controllers/payload/payload_metrics.h"

#include <map>
#include <string>

#include "base/metrics/families.h"
#include "olm/payload/removal.h"

namespace steward::controllers {
namespace {

using olm::RemovalState;

prometheus::Gauge& Gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return GaugeFamily(registry, name, help).Add({});
}
prometheus::Counter& Counter(prometheus::Registry& registry, const char* name, const char* help) {
  return CounterFamily(registry, name, help).Add({});
}

}  // namespace

PayloadMetrics::PayloadMetrics(prometheus::Registry& registry)
    : refused(Gauge(registry, "steward_payload_refused",
                    "1: nothing is done with the payload, for its faults or a precondition")),
      failed(Gauge(registry, "steward_payload_failed_objects",
                   "Objects of the payload that failed in the last pass")),
      applied(Counter(registry, "steward_payload_applied_total",
                      "Objects of payloads that were created or updated")),
      deleted(Counter(registry, "steward_payload_deleted_total",
                      "Objects whose removal by a payload was completed")),
      reappeared(Counter(registry, "steward_payload_reappeared_total",
                         "Objects that came back after a payload had removed them")),
      removals_(GaugeFamily(registry, "steward_payload_removals",
                            "Removals in the payload's record, by their state")),
      upgradeable_(Gauge(registry, "steward_payload_upgradeable",
                         "0: removals that have not ended hold minor updates back")) {
  upgradeable_.Set(1);
}

void PayloadMetrics::SetRecord(const olm::PayloadRecord& record) {
  std::map<RemovalState, int> counts;
  bool holds = false;
  for (const auto& [identity, removal] : record.removals) {
    ++counts[removal.state];
    holds = holds || removal.holds();
  }
  for (const RemovalState state :
       {RemovalState::kInitiated, RemovalState::kOngoing, RemovalState::kCompleted,
        RemovalState::kReappeared, RemovalState::kFailed}) {
    removals_.Add({{"state", std::string(NameOf(state))}}).Set(counts[state]);
  }
  upgradeable_.Set(holds ? 0 : 1);
}

}  // namespace steward::controllers
