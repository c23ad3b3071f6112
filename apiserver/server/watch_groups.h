// Groups of watches that end one after the other at shutdown, so that their clients do not all come
// back at once. Thread-safe.
#ifndef APISERVER_SERVER_WATCH_GROUPS_H_
#define APISERVER_SERVER_WATCH_GROUPS_H_

#include <array>
#include <atomic>
#include <cstddef>

#include "absl/time/time.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::server {

class WatchGroups {
 public:
  static constexpr size_t kGroups = 32;

  // Returns the signal of the group for the next watch: the groups that have not ended take turns.
  // The signal lives as long as this object.
  const StopSignal* Next() {
    const size_t ended = ended_.load();
    const size_t left = kGroups - ended;
    return &groups_[left == 0 ? kGroups - 1 : ended + turn_.fetch_add(1) % left];
  }

  // Ends the groups one by one, evenly spread over the second half of `duration`; returns after the
  // last. To be called once.
  VoidTask End(Clock& clock, absl::Duration duration) {
    const absl::Duration half = clock.Monotonic() + duration / 2;
    for (size_t i = 0; i < kGroups; ++i) {
      const absl::Duration due = half + duration / 2 * (i + 1) / kGroups;
      const absl::Duration wait = due - clock.Monotonic();
      if (wait > absl::ZeroDuration()) co_await clock.Sleep(wait);
      ended_.store(i + 1);
      groups_[i].Set();
    }
  }

 private:
  std::array<StopSignal, kGroups> groups_;
  std::atomic<size_t> ended_{0};
  std::atomic<size_t> turn_{0};
};

}  // namespace steward::server

#endif  // APISERVER_SERVER_WATCH_GROUPS_H_
