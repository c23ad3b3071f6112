// Log lines written by a thread of their own. Any thread may log meanwhile.
#ifndef BASE_LOG_BACKGROUND_H_
#define BASE_LOG_BACKGROUND_H_

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/lines/line_queue.h"
#include "base/lines/line_sink.h"
#include "base/log/log.h"

namespace steward::log {

enum class Format {
  kText,
  kJson,  // as Kubernetes' components write it: ts in milliseconds, msg, v, and each field
};

// kJson for "json", else kText.
Format FormatOf(std::string_view name);

// While this object lives, a thread of its own writes all log lines of the process, which wait in
// memory until then. So a slow reader never blocks a thread that logs. Lines beyond `max_bytes` are
// dropped, and counted in steward_log_lines_lost_total. Only one may exist in a process at a time;
// it is created before the threads that log, and destroyed after them.
class Background {
 public:
  static constexpr size_t kMaxBytes = 4 << 20;

  // Writes to standard error.
  Background(Format format, prometheus::Registry& registry);
  Background(Format format, std::unique_ptr<LineSink> sink, prometheus::Registry& registry,
             size_t max_bytes = kMaxBytes);
  // Writes the lines that still wait.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  static void Take(char severity, int level, std::string_view message, Fields fields);

  const Format format_;
  prometheus::Counter& lost_;
  LineQueue lines_;
};

}  // namespace steward::log

#endif  // BASE_LOG_BACKGROUND_H_
