// A circuit breaker: it stops calls to a failing server for a while. Thread-safe.
#ifndef APISERVER_UPSTREAM_CIRCUIT_H_
#define APISERVER_UPSTREAM_CIRCUIT_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/backoff.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"

namespace steward::upstream {

struct CircuitOptions {
  int failures = 3;  // consecutive failures that open the circuit
  // The time for which the circuit stays open: longer each time until a call succeeds, with jitter.
  BackoffOptions open = {absl::Seconds(1), absl::Seconds(30), 2.0, 0.5};
};

// Closed: all calls are allowed. Open: none is, until the time is over; then a single call may
// probe the server, and the others follow when it succeeded.
class Circuit {
 public:
  // REQUIRES: `clock` and `random` outlive this object.
  Circuit(Clock& clock, Random& random, CircuitOptions options = {});

  // An allowed call, which reports its outcome to the circuit once. A Pass that is destroyed
  // without a report counts as an abandoned call, which tells nothing about the server.
  class Pass {
   public:
    Pass(Pass&& other) noexcept;
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    void Succeeded();
    void Failed(std::string why);

   private:
    friend class Circuit;
    Pass(Circuit* circuit, bool probe) : circuit_(circuit), probe_(probe) {}
    Circuit* circuit_;
    bool probe_;
  };

  // Allows a call, or fails with kUnavailable and the reason of the last failure.
  absl::StatusOr<Pass> Enter();
  // Returns the time for which no call is allowed; zero if the circuit is not open.
  absl::Duration OpenFor() const;
  bool open() const;

 private:
  void NoteSuccess();
  void NoteFailure(bool probe, std::string why);
  void NoteNothing(bool probe);

  Clock& clock_;
  const CircuitOptions options_;
  mutable Mutex mutex_;
  Backoff backoff_ ABSL_GUARDED_BY(mutex_);
  int failures_ ABSL_GUARDED_BY(mutex_) = 0;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
  bool probing_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration until_ ABSL_GUARDED_BY(mutex_);  // monotonic; valid while open
  std::string why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_CIRCUIT_H_
