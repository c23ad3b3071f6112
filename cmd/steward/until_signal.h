// The end of the long-running commands. Runs on the executor of its signal set.
#ifndef CMD_STEWARD_UNTIL_SIGNAL_H_
#define CMD_STEWARD_UNTIL_SIGNAL_H_

#include <boost/asio/signal_set.hpp>

#include "base/async/task.h"

namespace steward {

// Returns when the process receives a signal, or `signals` is cancelled. From then on another
// signal ends the process at once, because a user who repeats it does not want to wait. REQUIRES:
// `signals` lives as long as its executor runs.
VoidTask UntilSignal(boost::asio::signal_set& signals);

}  // namespace steward

#endif  // CMD_STEWARD_UNTIL_SIGNAL_H_
