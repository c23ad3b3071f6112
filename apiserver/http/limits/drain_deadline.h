// The limit on how slowly a client may take waiting data. Lives on the thread of its DeadlineSet.
#ifndef APISERVER_HTTP_LIMITS_DRAIN_DEADLINE_H_
#define APISERVER_HTTP_LIMITS_DRAIN_DEADLINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/options.h"

namespace steward::http {

// While something waits for a client, it has to take all of it, or as many bytes per second as the
// pace says, in each window, and never nothing for as long as a window; otherwise it is given up.
// One rule for TLS, plain TCP and the streams of HTTP/2. On the thread of its DeadlineSet.
class DrainDeadline {
 public:
  // `give_up` may destroy the DrainDeadline.
  DrainDeadline(DeadlineSet& set, std::function<void()> give_up);

  // Something waits: a window begins now, unless one is under way.
  void Begin(Pace pace);
  // Restarts the window that is under way, if any, with this pace.
  void Change(Pace pace);
  // Costs next to nothing.
  void Took(size_t bytes);
  // To be called when no data waits any more.
  void End();

 private:
  void StartWindow();
  void JudgeWindow();
  void JudgeStall();
  void GiveUp();

  DeadlineSet& set_;
  const std::function<void()> give_up_;
  Deadline stall_;
  Deadline window_end_;
  Pace pace_;
  size_t taken_ = 0;        // in this window
  int64_t last_taken_ = 0;  // the tick at which something was
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_LIMITS_DRAIN_DEADLINE_H_
