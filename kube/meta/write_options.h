// How a write or a delete is asked for: the query parameters and bodies of the API, as values.
#ifndef KUBE_META_WRITE_OPTIONS_H_
#define KUBE_META_WRITE_OPTIONS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"

namespace steward::kube {

// The caller's permission to send (R-000-78). A client asks right before the bytes of each try of a
// write leave it, after every wait: for a connection, before a retry, for new credentials. An error
// means that nothing of that try is sent, and ends the call with exactly that error. Timers are no
// substitute: they stand still while the machine is suspended, and after it, or after a SIGSTOP,
// the completion of a socket can run before a timer that is long due.
//
// Called on the client's thread, perhaps several times: it has to be thread-safe and quick, and
// what it refers to outlives the call of the client. Null = always.
using SendCheck = std::function<absl::Status()>;

inline absl::Status MaySend(const SendCheck& check) { return check ? check() : absl::OkStatus(); }

// User-provided constructors on purpose: g++ 12 destroys aggregates made in a co_await expression
// twice.
struct WriteOptions {
  WriteOptions() {}
  std::string subresource;  // "" or "status"
  bool dry_run = false;     // everything but the change itself happens
  std::string field_manager;
  std::string traceparent;  // W3C Trace Context: the trace that it belongs to; "" = none
  SendCheck may_send;
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
  std::string uid;               // "" = whichever object has the name; else 409 for another
  std::string resource_version;  // "" = in whichever state it is; else 409 for another
  Propagation propagation = Propagation::kDefault;
  bool dry_run = false;
  SendCheck may_send;
};

}  // namespace steward::kube

#endif  // KUBE_META_WRITE_OPTIONS_H_
