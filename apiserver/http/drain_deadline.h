// How slowly a client may take what waits for it.
#ifndef APISERVER_HTTP_DRAIN_DEADLINE_H_
#define APISERVER_HTTP_DRAIN_DEADLINE_H_

#include <cstddef>
#include <functional>

#include "absl/time/time.h"
#include "apiserver/http/deadline.h"

namespace steward::http {

// While something waits for a client, it has to take all of it, or `rate` bytes per second on
// average, in each window, and never nothing for as long as a window; otherwise it is given up. One
// rule for TLS, plain TCP and the streams of HTTP/2. On the thread of its DeadlineSet.
class DrainDeadline {
 public:
  // `give_up` may destroy the DrainDeadline.
  DrainDeadline(DeadlineSet& set, size_t rate, std::function<void()> give_up);

  // Something waits: a window begins now. While one is under way nothing changes, unless the new
  // one is shorter.
  void Begin(absl::Duration window);
  void Took(size_t bytes);
  // Nothing waits any more.
  void End();

 private:
  void StartWindow();
  void JudgeWindow();
  void GiveUp();

  const size_t rate_;
  const std::function<void()> give_up_;
  Deadline stall_;
  Deadline window_end_;
  absl::Duration window_;
  size_t taken_ = 0;  // in this window
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_DRAIN_DEADLINE_H_
