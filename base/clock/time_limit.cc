#include "base/clock/time_limit.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <memory>

namespace steward {
namespace asio = boost::asio;
namespace {

// Cancels the task. Whoever calls `cancel` must hold a reference, because the task may end at once
// and drop its own.
struct Limit {
  asio::cancellation_signal cancel;
  bool expired = false;
};

// As long as this object lives, passes a cancellation of the calling task on to the limited task.
class Forwarding {
 public:
  Forwarding(asio::cancellation_slot from, const std::shared_ptr<Limit>& to) : from_(from) {
    if (!from_.is_connected()) return;
    from_.assign([to](asio::cancellation_type type) {
      const std::shared_ptr<Limit> alive = to;
      alive->cancel.emit(type);
    });
  }
  ~Forwarding() {
    if (from_.is_connected()) from_.clear();
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

 private:
  asio::cancellation_slot from_;
};

}  // namespace

// Uses an alarm, because an alarm that does not go off costs just a timer. A race of the task
// against a sleep would cost a second task, and an exception to end it.
asio::awaitable<Ending> RunWithin(Clock& clock, absl::Duration limit, VoidTask task) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const asio::cancellation_state outer = co_await asio::this_coro::cancellation_state;
  const auto limited = std::make_shared<Limit>();
  const std::unique_ptr<Clock::Alarm> alarm = clock.After(executor, limit, [limited] {
    const std::shared_ptr<Limit> alive = limited;
    alive->expired = true;
    alive->cancel.emit(asio::cancellation_type::terminal);
  });
  const Forwarding forwarding(outer.slot(), limited);
  bool returned = false;
  try {
    co_await asio::co_spawn(
        executor, std::move(task),
        asio::bind_cancellation_slot(limited->cancel.slot(), asio::use_awaitable));
    returned = true;
  } catch (const boost::system::system_error& error) {
    if (!limited->expired || error.code() != asio::error::operation_aborted) throw;
  }
  if (outer.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (!returned) co_return Ending::kCancelled;
  co_return limited->expired ? Ending::kLate : Ending::kInTime;
}

}  // namespace steward
