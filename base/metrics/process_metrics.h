// The process's own metrics, under the names that all Prometheus client libraries use. Thread-safe.
#ifndef BASE_METRICS_PROCESS_METRICS_H_
#define BASE_METRICS_PROCESS_METRICS_H_

#include <prometheus/metric_family.h>

#include <optional>
#include <string_view>
#include <vector>

namespace steward {

// The fields of /proc/PID/stat (proc(5)) that the metrics need.
struct ProcessStat {
  double cpu_ticks = 0;    // user and system
  double start_ticks = 0;  // since the system's start
  double virtual_bytes = 0;
  double resident_pages = 0;
};
// nullopt when `text` is not such a line. The program's name in `text` may have any characters.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// process_cpu_seconds_total, process_start_time_seconds, process_resident_memory_bytes,
// process_virtual_memory_bytes, process_open_fds and process_max_fds with their current values,
// without those that the system does not provide. Takes some tens of microseconds, and one more for
// each hundred open descriptors.
std::vector<prometheus::MetricFamily> CollectProcessMetrics();

}  // namespace steward

#endif  // BASE_METRICS_PROCESS_METRICS_H_
