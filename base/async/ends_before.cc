#include "base/async/ends_before.h"

#include <utility>

#include "base/async/race.h"

namespace steward {
namespace {

VoidTask Then(VoidTask task, bool& done) {
  co_await std::move(task);
  done = true;
}

}  // namespace

boost::asio::awaitable<bool> EndsBefore(StopSignal& stop, VoidTask task) {
  bool done = false;
  VoidTask first = Then(std::move(task), done);
  VoidTask stopped = stop.Wait();
  co_await UntilOneEnds(std::move(first), std::move(stopped));
  co_return done;
}

}  // namespace steward
