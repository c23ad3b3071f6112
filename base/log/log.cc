#include "base/log/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/text/str_cat.h"

namespace steward::log {
namespace {

std::atomic<int> verbosity{0};

void Write(char severity, std::string_view message, Fields fields) {
  std::string line = StrCat(std::string_view(&severity, 1),
                            absl::FormatTime("%m%d %H:%M:%E6S", absl::Now(), absl::UTCTimeZone()),
                            " ", absl::Dec(static_cast<unsigned>(getpid()), absl::kSpacePad7),
                            " \"", absl::CHexEscape(ToAbsl(message)), "\"");
  for (const Field& field : fields) {
    StrAppend(&line, " ", field.key, "=\"", absl::Utf8SafeCHexEscape(field.value), "\"");
  }
  line.push_back('\n');
  // One write, so that lines of several threads do not mix.
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(STDERR_FILENO, line.data() + written, line.size() - written);
    if (n < 0 && errno != EINTR) return;  // nowhere to report it
    if (n > 0) written += static_cast<size_t>(n);
  }
}

}  // namespace

void Info(std::string_view message, Fields fields) { Write('I', message, fields); }
void Warning(std::string_view message, Fields fields) { Write('W', message, fields); }
void Error(std::string_view message, Fields fields) { Write('E', message, fields); }

void Verbose(int level, std::string_view message, Fields fields) {
  if (level <= verbosity.load(std::memory_order_relaxed)) Write('I', message, fields);
}

void SetVerbosity(int level) { verbosity.store(level, std::memory_order_relaxed); }

}  // namespace steward::log
