// The limit on how slowly a client may take waiting data. Lives on the thread of its DeadlineSet.
#ifndef APISERVER_HTTP_LIMITS_DRAIN_DEADLINE_H_
#define APISERVER_HTTP_LIMITS_DRAIN_DEADLINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/options.h"

namespace steward::http {

// Gives a client up that takes waiting bytes too slowly. In each window, the client must take all
// bytes, or at least Pace::rate bytes per second; and it must not pause for a whole window. The
// rule is the same for TLS, plain TCP and HTTP/2 streams.
class DrainDeadline {
 public:
  // `give_up` may destroy the DrainDeadline.
  DrainDeadline(DeadlineSet& set, std::function<void()> give_up);

  // Call it when data waits for the client. Starts a window, unless one is under way.
  void Begin(Pace pace);
  // Restarts the window that is under way, if any, with this pace.
  void Change(Pace pace);
  // Records that the client took `bytes`. Costs next to nothing.
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
  int64_t last_taken_ = 0;  // the tick of the last Took with bytes
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_LIMITS_DRAIN_DEADLINE_H_
