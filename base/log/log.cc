#include "base/log/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/text/str_cat.h"

// The functions of output.h are defined here: output.h depends on log.h, and not vice versa.
namespace steward::log {
namespace {

using Output = void (*)(char severity, int level, std::string_view message, Fields fields);

constexpr size_t kMaxValue = 1024;

std::atomic<int> verbosity{0};
std::atomic<Output> output{nullptr};

// Writes the whole line in one call, so that lines of several threads do not mix.
void WriteToStandardError(std::string_view line) {
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(STDERR_FILENO, line.data() + written, line.size() - written);
    if (n < 0 && errno != EINTR) return;  // nowhere to report it
    if (n > 0) written += static_cast<size_t>(n);
  }
}

}  // namespace

std::string_view Cut(std::string_view value, bool& was_cut) {
  was_cut = value.size() > kMaxValue;
  if (!was_cut) return value;
  size_t end = kMaxValue;
  // Never cuts within a character.
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;
  return value.substr(0, end);
}

std::string TextLine(char severity, std::string_view message, Fields fields) {
  bool was_cut = false;
  const std::string_view text = Cut(message, was_cut);
  std::string line = StrCat(std::string_view(&severity, 1),
                            absl::FormatTime("%m%d %H:%M:%E6S", absl::Now(), absl::UTCTimeZone()),
                            " ", absl::Dec(static_cast<unsigned>(getpid()), absl::kSpacePad7),
                            " \"", absl::CHexEscape(ToAbsl(text)), was_cut ? "...\"" : "\"");
  for (const Field& field : fields) {
    const std::string_view value = Cut(field.value, was_cut);
    StrAppend(&line, " ", field.key, "=\"", absl::Utf8SafeCHexEscape(ToAbsl(value)),
              was_cut ? "...\"" : "\"");
  }
  line.push_back('\n');
  return line;
}

void SetOutput(Output to) { output.store(to, std::memory_order_release); }

namespace {

void Write(char severity, int level, std::string_view message, Fields fields) {
  if (const Output to = output.load(std::memory_order_acquire)) {
    to(severity, level, message, fields);
  } else {
    WriteToStandardError(TextLine(severity, message, fields));
  }
}

}  // namespace

void Info(std::string_view message, Fields fields) { Write('I', 0, message, fields); }
void Warning(std::string_view message, Fields fields) { Write('W', 0, message, fields); }
void Error(std::string_view message, Fields fields) { Write('E', 0, message, fields); }

bool IsVerbose(int level) { return level <= verbosity.load(std::memory_order_relaxed); }

void Verbose(int level, std::string_view message, Fields fields) {
  if (IsVerbose(level)) Write('I', level, message, fields);
}

void SetVerbosity(int level) { verbosity.store(level, std::memory_order_relaxed); }

}  // namespace steward::log
