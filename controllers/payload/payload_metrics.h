// The metrics of payloads. Thread-safe.
#ifndef CONTROLLERS_PAYLOAD_PAYLOAD_METRICS_H_
#define CONTROLLERS_PAYLOAD_PAYLOAD_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "olm/payload/payload_record.h"

namespace steward::controllers {

// Series: steward_payload_removals{state}, steward_payload_upgradeable (1: no removal holds minor
// updates back), steward_payload_refused (1: the payload has faults, or may not begin),
// steward_payload_failed_objects (in the last pass), steward_payload_applied_total,
// steward_payload_deleted_total and steward_payload_reappeared_total.
class PayloadMetrics {
 public:
  // REQUIRES: `registry` outlives this object.
  explicit PayloadMetrics(prometheus::Registry& registry);

  void SetRecord(const olm::PayloadRecord& record);

  prometheus::Gauge& refused;
  prometheus::Gauge& failed;
  prometheus::Counter& applied;
  prometheus::Counter& deleted;
  prometheus::Counter& reappeared;

 private:
  prometheus::Family<prometheus::Gauge>& removals_;
  prometheus::Gauge& upgradeable_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_PAYLOAD_METRICS_H_
