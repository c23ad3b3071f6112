#include "kube/client/host_resolver.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"

namespace steward::kube {

namespace asio = boost::asio;
using asio::ip::tcp;

absl::StatusOr<Endpoints> LookUpHost(const std::string& host, uint16_t port) {
  asio::io_context unused;
  tcp::resolver resolver(unused);
  boost::system::error_code error;
  const tcp::resolver::results_type found = resolver.resolve(host, std::to_string(port), error);
  if (error) return absl::UnavailableError(StrCat("resolving ", host, ": ", error.message()));
  return Endpoints(found.begin(), found.end());
}

// Shared with the thread, which may outlive the resolver and the executor.
struct HostResolver::State : std::enable_shared_from_this<State> {
  // A caller of Resolve. Its timer is cancelled when the result is there.
  struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor)
        : wake(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer wake;
    std::optional<absl::StatusOr<Endpoints>> result;
  };

  State(asio::any_io_executor e, std::string h, uint16_t p, HostLookUp l)
      : host(std::move(h)), port(p), look_up(std::move(l)), executor(std::move(e)) {}

  absl::Status EnsureRunning() {
    if (running) return absl::OkStatus();
    try {
      std::thread([self = shared_from_this()] { self->LookUp(); }).detach();
    } catch (const std::system_error& error) {
      return absl::UnavailableError(StrCat("resolving ", host, ": ", error.what()));
    }
    running = true;
    return absl::OkStatus();
  }

  // Runs on the look-up's thread.
  void LookUp() {
    absl::StatusOr<Endpoints> found = look_up(host, port);
    MutexLock lock(&mutex);
    if (!executor) return;
    asio::post(*executor, [self = shared_from_this(), found = std::move(found)]() mutable {
      self->Finish(std::move(found));
    });
  }

  void Finish(absl::StatusOr<Endpoints> found) {
    running = false;
    for (Waiter* waiter : std::exchange(waiters, {})) {
      waiter->result = found;
      waiter->wake.cancel();
    }
  }

  const std::string host;
  const uint16_t port;
  const HostLookUp look_up;
  // `running` and `waiters` are touched on the executor only.
  bool running = false;
  std::list<Waiter*> waiters;

  Mutex mutex;
  std::optional<asio::any_io_executor> executor ABSL_GUARDED_BY(mutex);  // none: no one listens
};

HostResolver::HostResolver(asio::any_io_executor executor, std::string host, uint16_t port,
                           HostLookUp look_up)
    : state_(std::make_shared<State>(std::move(executor), std::move(host), port,
                                     std::move(look_up))) {}

HostResolver::~HostResolver() {
  MutexLock lock(&state_->mutex);
  state_->executor.reset();
}

Task<Endpoints> HostResolver::Resolve() {
  const std::shared_ptr<State> state = state_;
  CO_RETURN_IF_ERROR(state->EnsureRunning());
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  State::Waiter waiter(executor);
  struct Leave {
    State& state;
    State::Waiter& waiter;
    ~Leave() { state.waiters.remove(&waiter); }
  } leave{*state, waiter};
  state->waiters.push_back(&waiter);
  co_await waiter.wake.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!waiter.result) throw boost::system::system_error(asio::error::operation_aborted);
  co_return *std::move(waiter.result);
}

}  // namespace steward::kube
