#include "kube/client/connection_pool.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <list>
#include <utility>

#include "base/status/macros.h"

namespace steward::kube {

namespace asio = boost::asio;

struct ConnectionPool::State {
  struct Idle {
    std::unique_ptr<HttpConnection> connection;
    absl::Time since;
  };
  // A caller in the queue. Its timer is cancelled, and so wakes it, when it gets the place.
  struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor)
        : wake(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer wake;
    bool granted = false;
  };

  std::unique_ptr<Dialer> dialer;
  asio::any_io_executor executor;
  Clock& clock;
  const ConnectionPoolOptions options;
  std::deque<Idle> idle;  // the newest last
  size_t places_taken = 0;
  size_t generation = 0;  // counts the calls of UseCertificate
  std::list<Waiter*> queue;

  // Gives the place to the first in the queue, or back to the pool.
  void FreePlace() {
    if (queue.empty()) {
      --places_taken;
      return;
    }
    Waiter* next = queue.front();
    queue.pop_front();
    next->granted = true;
    next->wake.cancel();
  }

  // Returns once the caller holds a place.
  static StatusTask TakePlace(std::shared_ptr<State> state) {
    if (state->places_taken < state->options.max_connections) {
      ++state->places_taken;
      co_return absl::OkStatus();
    }
    if (state->queue.size() >= state->options.max_waiting) {
      co_return absl::UnavailableError("too many requests wait for a connection to the API server");
    }
    Waiter waiter(state->executor);
    // A cancelled caller leaves the queue. If it was given a place at the same time, it passes the
    // place on.
    struct Leave {
      State& state;
      Waiter& waiter;
      bool kept = false;
      ~Leave() {
        if (kept) return;
        if (waiter.granted) {
          state.FreePlace();
        } else {
          state.queue.remove(&waiter);
        }
      }
    } leave{*state, waiter};
    state->queue.push_back(&waiter);
    co_await waiter.wake.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!waiter.granted) throw boost::system::system_error(asio::error::operation_aborted);
    leave.kept = true;
    co_return absl::OkStatus();
  }

  std::unique_ptr<HttpConnection> TakeIdle() {
    const absl::Time oldest = clock.Now() - options.idle_timeout;
    while (!idle.empty() && idle.front().since < oldest) idle.pop_front();
    while (!idle.empty()) {
      std::unique_ptr<HttpConnection> connection = std::move(idle.back().connection);
      idle.pop_back();
      if (connection->reusable()) return connection;
    }
    return nullptr;
  }
};

ConnectionPool::ConnectionPool(std::unique_ptr<Dialer> dialer, asio::any_io_executor executor,
                               Clock& clock, ConnectionPoolOptions options)
    : state_(new State{std::move(dialer), std::move(executor), clock, options, {}, 0, 0, {}}) {}

Task<ConnectionPool::Lease> ConnectionPool::Acquire(bool fresh) {
  std::shared_ptr<State> state = state_;
  CO_RETURN_IF_ERROR(co_await State::TakePlace(state));
  Lease lease;
  lease.pool_ = state;
  lease.generation_ = state->generation;
  if (!fresh) lease.connection_ = state->TakeIdle();
  lease.used_before_ = lease.connection_ != nullptr;
  if (!lease.used_before_) {
    // An idle connection holds no place, so close the oldest one here to keep the total bounded.
    if (state->places_taken + state->idle.size() > state->options.max_connections &&
        !state->idle.empty()) {
      state->idle.pop_front();
    }
    CO_ASSIGN_OR_RETURN(std::unique_ptr<ByteStream> stream, co_await state->dialer->Dial());
    lease.connection_ = std::make_unique<HttpConnection>(std::move(stream));
  }
  co_return std::move(lease);
}

absl::Status ConnectionPool::UseCertificate(const PemKeyPair& certificate) {
  RETURN_IF_ERROR(state_->dialer->UseCertificate(certificate));
  state_->idle.clear();
  ++state_->generation;
  return absl::OkStatus();
}

size_t ConnectionPool::idle() const { return state_->idle.size(); }
size_t ConnectionPool::in_use() const { return state_->places_taken; }

ConnectionPool::Lease& ConnectionPool::Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  Release();
  pool_ = std::move(other.pool_);
  connection_ = std::move(other.connection_);
  used_before_ = other.used_before_;
  generation_ = other.generation_;
  return *this;
}

void ConnectionPool::Lease::Recycle() {
  if (pool_ && connection_ && connection_->reusable() && generation_ == pool_->generation &&
      pool_->idle.size() < pool_->options.max_idle) {
    pool_->idle.push_back({std::move(connection_), pool_->clock.Now()});
  }
  Release();
}

void ConnectionPool::Lease::Release() {
  connection_.reset();
  if (pool_) std::exchange(pool_, nullptr)->FreePlace();
}

}  // namespace steward::kube
