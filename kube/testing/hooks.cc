#include "kube/testing/hooks.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace steward::kube {

namespace asio = boost::asio;

absl::Status HookedCall::MaySend() const {
  if (!IsWrite()) return absl::OkStatus();
  return kube::MaySend(write != nullptr ? write->may_send : deletion->may_send);
}

VoidTask Hooks::After(const HookedCall&, const absl::Status&) { co_return; }

VoidTask Hooks::Die() {
  throw ProcessKilled();
  co_return;
}

asio::awaitable<HookedFate> Hook::Before(const HookedCall& call) {
  if (!decide || (call.dry_run && !sees_dry_runs)) co_return HookedFate();
  co_return decide(call);
}

VoidTask Hook::Die() {
  died = true;
  process->stop();
  asio::steady_timer never(co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max());
  co_await never.async_wait(asio::use_awaitable);
}

}  // namespace steward::kube
