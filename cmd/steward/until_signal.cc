#include "cmd/steward/until_signal.h"

#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log/log.h"

namespace steward {
namespace asio = boost::asio;

VoidTask UntilSignal(asio::signal_set& signals) {
  boost::system::error_code error;
  const int signal = co_await signals.async_wait(asio::redirect_error(asio::use_awaitable, error));
  if (!error) log::Info("Stopping", {{"signal", signal}});
  signals.async_wait([](boost::system::error_code failed, int) {
    if (!failed) _exit(1);
  });
}

}  // namespace steward
