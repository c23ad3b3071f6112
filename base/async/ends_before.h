// A task that is given up when somebody says stop.
#ifndef BASE_ASYNC_ENDS_BEFORE_H_
#define BASE_ASYNC_ENDS_BEFORE_H_

#include <boost/asio/awaitable.hpp>

#include "base/async/stop_signal.h"
#include "base/async/task.h"

namespace steward {

// Runs `task`, and cancels it once `stop` is set; it has ended when this returns. Whether it ended
// rather than `stop` being set. Cancelling the returned task cancels it, too. REQUIRES: `stop`
// outlives the call.
boost::asio::awaitable<bool> EndsBefore(StopSignal& stop, VoidTask task);

}  // namespace steward

#endif  // BASE_ASYNC_ENDS_BEFORE_H_
