// A task that is cancelled when a StopSignal is set.
#ifndef BASE_ASYNC_ENDS_BEFORE_H_
#define BASE_ASYNC_ENDS_BEFORE_H_

#include <boost/asio/awaitable.hpp>

#include "base/async/stop_signal.h"
#include "base/async/task.h"

namespace steward {

// Runs `task`, and cancels it once `stop` is set. Returns after `task` has ended: true if it ended
// by itself, false if `stop` was set. Cancelling the returned task cancels `task`, too. REQUIRES:
// `stop` outlives the call.
boost::asio::awaitable<bool> EndsBefore(StopSignal& stop, VoidTask task);

}  // namespace steward

#endif  // BASE_ASYNC_ENDS_BEFORE_H_
