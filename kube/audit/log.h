// The audit log of one server. Thread-safe.
#ifndef KUBE_AUDIT_LOG_H_
#define KUBE_AUDIT_LOG_H_

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <array>
#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "base/lines/line_queue.h"
#include "base/lines/line_sink.h"
#include "kube/audit/event.h"
#include "kube/audit/policy.h"

namespace steward::audit {

// Writes the events that a policy selects, on a thread of its own: a slow or full disk, or a reader
// that does not read, loses events but delays no request.
//
// The metrics are the kube-apiserver's: apiserver_audit_event_total,
// apiserver_audit_level_total{level} (one for each request), apiserver_audit_error_total{plugin}:
// "buffered" for events that were dropped because max_queued_bytes were waiting, "log" for those
// that could not be written.
class Log {
 public:
  static constexpr size_t kMaxQueuedBytes = 16 << 20;

  // `registry` outlives this object.
  Log(Policy policy, std::unique_ptr<LineSink> sink, prometheus::Registry& registry,
      size_t max_queued_bytes = kMaxQueuedBytes);

  // Must be called once for each request.
  PolicyDecision Decide(const Attributes& attributes);

  // Returns at once. REQUIRES: the level is not None.
  void Write(const Event& event);

 private:
  void NoteUnwritten(size_t lines, const absl::Status& error);

  const Policy policy_;
  prometheus::Counter& events_;
  prometheus::Counter& dropped_;
  prometheus::Counter& unwritten_;
  const std::array<prometheus::Counter*, 3> levels_;  // by Level
  size_t failed_writes_ = 0;                          // used by the writing thread only
  LineQueue lines_;
};

}  // namespace steward::audit

#endif  // KUBE_AUDIT_LOG_H_
