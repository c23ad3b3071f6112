#include "kube/audit/log.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/log/log.h"
#include "base/metrics/families.h"

namespace steward::audit {
namespace {

prometheus::Counter& Errors(prometheus::Registry& registry, const char* plugin) {
  return CounterFamily(
             registry, "apiserver_audit_error_total",
             "Audit events that were not recorded: no room for them (buffered), not written (log).")
      .Add({{"plugin", plugin}});
}

std::array<prometheus::Counter*, 3> Levels(prometheus::Registry& registry) {
  auto& family = CounterFamily(registry, "apiserver_audit_level_total",
                               "Requests by the level that the audit policy gives them.");
  const auto of = [&family](Level level) {
    return &family.Add({{"level", std::string(ToString(level))}});
  };
  return {of(Level::kNone), of(Level::kMetadata), of(Level::kRequest)};
}

}  // namespace

Log::Log(Policy policy, std::unique_ptr<LineSink> sink, prometheus::Registry& registry,
         size_t max_queued_bytes)
    : policy_(std::move(policy)),
      events_(CounterFamily(registry, "apiserver_audit_event_total",
                            "Audit events that were generated.")
                  .Add({})),
      dropped_(Errors(registry, "buffered")),
      unwritten_(Errors(registry, "log")),
      levels_(Levels(registry)),
      lines_(std::move(sink), max_queued_bytes,
             {.dropped = [this] { dropped_.Increment(); },
              .unwritten = [this](size_t lines,
                                  const absl::Status& error) { NoteUnwritten(lines, error); }}) {}

void Log::NoteUnwritten(size_t lines, const absl::Status& error) {
  unwritten_.Increment(static_cast<double>(lines));
  // A disk may stay full for long: only failures 1, 2, 4, 8, ... are logged.
  ++failed_writes_;
  if ((failed_writes_ & (failed_writes_ - 1)) != 0) return;
  log::Warning("Unable to write audit events",
               {{"failedWrites", failed_writes_}, {"error", error}});
}

PolicyDecision Log::Decide(const Attributes& attributes) {
  const PolicyDecision decision = policy_.Decide(attributes);
  levels_[static_cast<size_t>(decision.level)]->Increment();
  return decision;
}

void Log::Write(const Event& event) {
  std::string line;
  AppendJsonLine(event, line);
  events_.Increment();
  lines_.Offer(std::move(line));
}

}  // namespace steward::audit
