// The metrics of copies. Not thread-safe.
#ifndef CONTROLLERS_COPIED_CSV_COPIED_CSV_METRICS_H_
#define CONTROLLERS_COPIED_CSV_COPIED_CSV_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>
#include <cstddef>

#include "controllers/copied_csv/copy_retries.h"

namespace steward::controllers {

// Series: steward_copied_csvs (the known objects with the label of a copy),
// steward_copied_csv_slots_in_trouble{reason}, and
// steward_copied_csv_writes_total{operation=create|update|delete}, of writes that succeeded.
class CopiedCsvMetrics {
 public:
  using Counts = std::array<size_t, kTroubles>;

  // REQUIRES: `registry` outlives this object.
  explicit CopiedCsvMetrics(prometheus::Registry& registry);

  void SetCopies(size_t count) { copies_.Set(static_cast<double>(count)); }
  // Replaces one name's part of the counts.
  void ChangeTroubles(const Counts& before, const Counts& after);
  void CountCreated() { created_.Increment(); }
  void CountUpdated() { updated_.Increment(); }
  void CountDeleted() { deleted_.Increment(); }
  // Called at the end of a term, because nothing is known from then on.
  void ForgetAll();

 private:
  prometheus::Gauge& copies_;
  std::array<prometheus::Gauge*, kTroubles> troubles_;
  prometheus::Counter& created_;
  prometheus::Counter& updated_;
  prometheus::Counter& deleted_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_COPIED_CSV_METRICS_H_
