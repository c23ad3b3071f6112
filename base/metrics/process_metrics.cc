#include "base/metrics/process_metrics.h"

#include <dirent.h>
#include <prometheus/client_metric.h>
#include <prometheus/metric_type.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace steward {
namespace {

prometheus::MetricFamily Family(const char* name, const char* help, prometheus::MetricType type,
                                double value) {
  prometheus::ClientMetric metric;
  if (type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  prometheus::MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  family.metric = {std::move(metric)};
  return family;
}

std::string Read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The system's boot time in seconds since 1970; 0 when it is not known.
double BootTime() {
  static const double since = [] {
    const std::string stat = Read("/proc/stat");
    for (const absl::string_view line : absl::StrSplit(stat, '\n')) {
      double value = 0;
      if (line.substr(0, 6) == "btime " && absl::SimpleAtod(line.substr(6), &value)) return value;
    }
    return 0.0;
  }();
  return since;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

// The open descriptors, without the one that counting needs.
std::optional<double> OpenDescriptors() {
  const std::unique_ptr<DIR, CloseDirectory> directory(opendir("/proc/self/fd"));
  if (directory == nullptr) return std::nullopt;
  double count = 0;
  while (const dirent* entry = readdir(directory.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count - 1;
}

}  // namespace

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 1);
  const std::vector<absl::string_view> fields = absl::StrSplit(
      absl::string_view(text.data(), text.size()), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  // fields[0] is the third field in proc(5), the state.
  const auto field = [&fields](size_t number, double& value) {
    const size_t index = number - 3;
    return index < fields.size() && absl::SimpleAtod(fields[index], &value);
  };
  ProcessStat stat;
  double user = 0;
  double system = 0;
  if (!field(14, user) || !field(15, system) || !field(22, stat.start_ticks) ||
      !field(23, stat.virtual_bytes) || !field(24, stat.resident_pages)) {
    return std::nullopt;
  }
  stat.cpu_ticks = user + system;
  return stat;
}

std::vector<prometheus::MetricFamily> CollectProcessMetrics() {
  using prometheus::MetricType;
  static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::vector<prometheus::MetricFamily> families;
  if (const auto stat = ParseProcessStat(Read("/proc/self/stat")); stat.has_value()) {
    families.push_back(Family("process_cpu_seconds_total", "CPU time, of user and system.",
                              MetricType::Counter, stat->cpu_ticks / ticks));
    families.push_back(Family("process_resident_memory_bytes", "Resident memory.",
                              MetricType::Gauge, stat->resident_pages * page));
    families.push_back(Family("process_virtual_memory_bytes", "Virtual memory.", MetricType::Gauge,
                              stat->virtual_bytes));
    if (BootTime() > 0) {
      families.push_back(Family("process_start_time_seconds",
                                "When the process was started, in seconds since 1970.",
                                MetricType::Gauge, BootTime() + stat->start_ticks / ticks));
    }
  }
  if (const auto open = OpenDescriptors(); open.has_value()) {
    families.push_back(
        Family("process_open_fds", "Open file descriptors.", MetricType::Gauge, *open));
  }
  if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    families.push_back(Family("process_max_fds", "As many may be open.", MetricType::Gauge,
                              static_cast<double>(limit.rlim_cur)));
  }
  return families;
}

}  // namespace steward
