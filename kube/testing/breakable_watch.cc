#include "kube/testing/breakable_watch.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

namespace steward::kube {

namespace asio = boost::asio;

void WatchBreaker::Break(absl::Status error) {
  MutexLock lock(&mutex_);
  if (end_) return;
  end_ = std::move(error);
  if (reader_) std::exchange(reader_, nullptr)->Wake();
}

std::optional<absl::Status> WatchBreaker::EndOrWake(std::shared_ptr<Wakeup> reader) {
  MutexLock lock(&mutex_);
  reader_ = std::move(reader);
  return end_;
}

BreakableWatch::BreakableWatch(std::unique_ptr<Watch> inner, std::shared_ptr<WatchBreaker> breaker)
    : inner_(std::move(inner)), breaker_(std::move(breaker)) {}

Task<std::optional<WatchEvent>> BreakableWatch::Next() {
  // Until an event arrives, the watch counts as ended, even if this call is cancelled.
  std::unique_ptr<Watch> inner = std::move(inner_);
  std::shared_ptr<WatchBreaker> breaker = std::move(breaker_);
  if (!inner) co_return std::nullopt;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto reader = std::make_shared<Wakeup>(executor);
  std::optional<absl::Status> end = breaker->EndOrWake(reader);
  if (!end) {
    auto group = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, inner->Next(), asio::deferred),
        asio::co_spawn(executor, reader->Wait(), asio::deferred));
    auto [order, next_exception, event, wait_exception] =
        co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    end = breaker->EndOrWake(nullptr);
    const bool broken = order[0] == 1 && !wait_exception;
    if (!broken) {
      if (next_exception) std::rethrow_exception(next_exception);
      if (event.ok() && *event) {
        inner_ = std::move(inner);
        breaker_ = std::move(breaker);
      }
      co_return std::move(event);
    }
  }
  if (!end->ok()) co_return *std::move(end);
  co_return std::nullopt;
}

}  // namespace steward::kube
