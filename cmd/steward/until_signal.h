// How the long-running commands end.
#ifndef CMD_STEWARD_UNTIL_SIGNAL_H_
#define CMD_STEWARD_UNTIL_SIGNAL_H_

#include <boost/asio/signal_set.hpp>

#include "base/async/task.h"

namespace steward {

// Returns when the process is told to end, or `signals` is cancelled. From then on a second signal
// ends the process at once: whoever asks twice does not want to wait. REQUIRES: `signals` outlives
// its executor's running.
VoidTask UntilSignal(boost::asio::signal_set& signals);

}  // namespace steward

#endif  // CMD_STEWARD_UNTIL_SIGNAL_H_
