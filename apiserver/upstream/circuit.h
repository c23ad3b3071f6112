// Leaves alone for a while whom it is no use to ask.
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
  int failures = 3;  // in a row, until it opens
  // For how long: longer each time until a call succeeds, with jitter.
  BackoffOptions open = {absl::Seconds(1), absl::Seconds(30), 2.0, 0.5};
};

// Closed: everybody may call. Open: nobody may, until its time is over; then one may try, and the
// others when that succeeded. Thread-safe.
class Circuit {
 public:
  // REQUIRES: `clock` and `random` outlive this object.
  Circuit(Clock& clock, Random& random, CircuitOptions options = {});

  // One call that was let through; it tells the circuit how it went, once. One that is destroyed
  // without a word was given up, and says nothing about the other side.
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

  // kUnavailable when nobody may call now: its message is why the last call failed.
  absl::StatusOr<Pass> Enter();
  // Until when nobody may call; zero when it is not open.
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
  absl::Duration until_ ABSL_GUARDED_BY(mutex_);  // monotonic; of an open one
  std::string why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_CIRCUIT_H_
