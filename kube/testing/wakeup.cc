#include "kube/testing/wakeup.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace steward::kube {
namespace asio = boost::asio;

Wakeup::Wakeup(const asio::any_io_executor& executor)
    : timer_(executor, asio::steady_timer::time_point::max()) {}

VoidTask Wakeup::Wait() {
  const std::shared_ptr<Wakeup> self = shared_from_this();
  if (woken_) co_return;
  co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!woken_) throw boost::system::system_error(asio::error::operation_aborted);
}

void Wakeup::Wake() {
  asio::post(timer_.get_executor(), [self = shared_from_this()] {
    self->woken_ = true;
    self->timer_.cancel();
  });
}

}  // namespace steward::kube
