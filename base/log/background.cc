#include "base/log/background.h"

#include <unistd.h>

#include <atomic>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/lines/descriptor_sink.h"
#include "base/log/output.h"
#include "base/metrics/families.h"
#include "base/text/str_cat.h"

namespace steward::log {
namespace {

std::atomic<Background*> current{nullptr};

std::string_view NameOf(char severity) {
  return severity == 'I' ? "info" : severity == 'W' ? "warning" : "error";
}

void AppendMember(std::string_view key, std::string_view value, std::string& line) {
  bool was_cut = false;
  const std::string_view kept = Cut(value, was_cut);
  line += ',';
  AppendJsonString(key, line);
  line += ':';
  AppendJsonString(was_cut ? StrCat(kept, "...") : std::string(kept), line);
}

std::string JsonLine(char severity, int level, std::string_view message, Fields fields) {
  const int64_t micros = absl::ToUnixMicros(absl::Now());
  std::string line = StrCat("{\"ts\":", micros / 1000, ".",
                            absl::Dec(micros % 1000, absl::kZeroPad3), ",\"v\":", level);
  AppendMember("level", NameOf(severity), line);
  AppendMember("msg", message, line);
  for (const Field& field : fields) AppendMember(field.key, field.value, line);
  line += "}\n";
  return line;
}

}  // namespace

Format FormatOf(std::string_view name) { return name == "json" ? Format::kJson : Format::kText; }

Background::Background(Format format, prometheus::Registry& registry)
    : Background(format, std::make_unique<DescriptorSink>(STDERR_FILENO), registry) {}

Background::Background(Format format, std::unique_ptr<LineSink> sink,
                       prometheus::Registry& registry, size_t max_bytes)
    : format_(format),
      lost_(CounterFamily(registry, "steward_log_lines_lost_total",
                          "Log lines that were not written: nobody read as fast as they came.")
                .Add({})),
      lines_(std::move(sink), max_bytes,
             {.dropped = [this] { lost_.Increment(); },
              .unwritten =
                  [this](size_t lines, const absl::Status&) {
                    lost_.Increment(static_cast<double>(lines));
                  }}) {
  current.store(this);
  SetOutput(&Take);
}

Background::~Background() {
  SetOutput(nullptr);
  current.store(nullptr);
}

void Background::Take(char severity, int level, std::string_view message, Fields fields) {
  Background* self = current.load();
  if (self == nullptr) return;
  self->lines_.Offer(self->format_ == Format::kJson ? JsonLine(severity, level, message, fields)
                                                    : TextLine(severity, message, fields));
}

}  // namespace steward::log
