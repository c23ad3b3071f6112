// The options of writes and deletes: the API's query parameters and bodies, as plain values.
#ifndef KUBE_META_WRITE_OPTIONS_H_
#define KUBE_META_WRITE_OPTIONS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"

namespace steward::kube {

// The caller's permission to send (R-000-78). For each try of a write, a client calls it right
// before the bytes leave, after every wait (for a connection, before a retry, for new credentials).
// An error means that nothing of that try is sent, and ends the call with exactly that error.
// Timers are no substitute: they stand still while the machine is suspended, and after that, or
// after a SIGSTOP, the completion of a socket can run before a timer that is long due.
//
// Called on the client's thread, perhaps several times: it must be thread-safe and quick, and
// everything it refers to must outlive the call of the client. Null = always permitted.
using SendCheck = std::function<absl::Status()>;

inline absl::Status MaySend(const SendCheck& check) { return check ? check() : absl::OkStatus(); }

// Receives a warning of the server about a write, such as the use of a deprecated API: one line of
// at most 1 KiB for people, at most 64 for each write (kube/client/warnings.h). Called on the
// caller's executor before the write ends, also for a write that the server refuses. Null =
// dropped.
using WarningSink = std::function<void(std::string text)>;

// The constructors are user-provided on purpose: g++ 12 destroys aggregates made in a co_await
// expression twice.
struct WriteOptions {
  WriteOptions() {}
  std::string subresource;  // "" or "status"
  bool dry_run = false;     // the server does everything but persist the change
  std::string field_manager;
  bool force = false;       // a server-side apply takes fields from other managers; else 409
  std::string traceparent;  // W3C Trace Context: the trace of the write; "" = none
  SendCheck may_send;
  WarningSink on_warning;
};

enum class PatchType {
  kJsonMerge,       // RFC 7396
  kStrategicMerge,  // Kubernetes' own; not for custom resources
  kJson,            // RFC 6902
  kApply,           // server-side apply
};

struct DeleteOptions {
  enum class Propagation { kDefault, kBackground, kForeground, kOrphan };

  DeleteOptions() {}
  std::string uid;               // "" = any object of that name; else 409 for another uid
  std::string resource_version;  // "" = the object in any state; else 409 for another version
  Propagation propagation = Propagation::kDefault;
  bool dry_run = false;
  SendCheck may_send;
};

}  // namespace steward::kube

#endif  // KUBE_META_WRITE_OPTIONS_H_
