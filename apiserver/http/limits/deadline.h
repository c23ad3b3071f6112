// Coarse timeouts that cost nothing to set: thousands of connections share one tick. Used by one
// thread.
#ifndef APISERVER_HTTP_LIMITS_DEADLINE_H_
#define APISERVER_HTTP_LIMITS_DEADLINE_H_

#include <cstdint>
#include <functional>

#include "absl/time/time.h"

namespace steward::http {

class Deadline;

namespace deadline_internal {
struct Link {
  Link* previous = nullptr;
  Link* next = nullptr;
};
}  // namespace deadline_internal

// The deadlines of one thread. Their time is the number of ticks, so changes of the wall clock do
// not matter. REQUIRES: outlives its deadlines.
class DeadlineSet {
 public:
  // `resolution` is the time between two ticks.
  explicit DeadlineSet(absl::Duration resolution);
  DeadlineSet(const DeadlineSet&) = delete;
  DeadlineSet& operator=(const DeadlineSet&) = delete;

  // The most callbacks of one call, so that other work of the thread gets turns: thousands of
  // connections may expire in the same tick.
  static constexpr int kCallbacksPerTurn = 16;

  // Must be called every `resolution`. Runs the callbacks of expired deadlines, which may set,
  // clear and destroy any deadline. Returns true if callbacks are left to RunDue.
  bool Tick();
  // Runs callbacks that Tick has left. Returns the same as Tick.
  bool RunDue();

  absl::Duration resolution() const { return resolution_; }
  // Ticks so far.
  int64_t now() const { return now_; }

 private:
  friend class Deadline;

  const absl::Duration resolution_;
  int64_t now_ = 0;
  deadline_internal::Link armed_;  // circular
  deadline_internal::Link due_;    // circular: expired ones, whose callbacks have not run yet
};

// Calls `expired` once, at the first tick that is at least the set duration later.
class Deadline : private deadline_internal::Link {
 public:
  Deadline(DeadlineSet& set, std::function<void()> expired);
  ~Deadline() { Clear(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // Replaces an earlier setting.
  void Set(absl::Duration duration);
  void Clear();
  bool armed() const { return next != nullptr; }

 private:
  friend class DeadlineSet;
  void InsertBefore(deadline_internal::Link& position);

  DeadlineSet& set_;
  const std::function<void()> expired_;
  int64_t when_ = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_LIMITS_DEADLINE_H_
