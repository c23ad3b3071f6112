// A one-shot event that tasks on different executors may wait for.
#ifndef APISERVER_FILTERS_LATCH_H_
#define APISERVER_FILTERS_LATCH_H_

#include <memory>

#include "base/async/task.h"

namespace steward::filters {

// Thread-safe. Waiters resume on their own executors. What was written before Open is visible after
// Wait. May be destroyed while tasks wait; they then wait until they are cancelled.
class Latch {
 public:
  Latch();
  ~Latch();
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;

  // Idempotent.
  void Open();
  // Returns at once when open. Cancellable.
  VoidTask Wait();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_LATCH_H_
