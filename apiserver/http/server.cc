#include "apiserver/http/server.h"

#include <poll.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>
#include <vector>

#include "apiserver/http/limits/connection_gate.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/worker.h"
#include "base/async/task_group.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace asio = boost::asio;
using boost::asio::ip::tcp;

namespace {

constexpr absl::Duration kAcceptBackoff = absl::Milliseconds(200);
// The number of accepts in a row after which other work gets a turn.
constexpr int kAcceptsPerTurn = 16;

}  // namespace

struct Server::Impl {
  Impl(ServerOptions o, IoThreads& threads, Clock& clock)
      : bind_address(std::move(o.bind_address)),
        wanted_port(o.port),
        shared{o.limits,
               FrontProxyLimits(o.limits),
               o.timeouts,
               o.tick,
               std::move(o.tls),
               std::move(o.is_front_proxy),
               std::move(o.error_body),
               {},
               clock,
               MemoryBudget(o.limits),
               ConnectionGate(o.limits.max_connections, o.limits.max_connections_per_source)},
        acceptor(threads.executor(0)),
        accepting(threads.executor(0)) {
    for (size_t i = 0; i < threads.size(); ++i)
      workers.push_back(std::make_unique<Worker>(threads.executor(i), shared));
  }

  absl::Status Listen();
  VoidTask Accept();
  // A connection is in the kernel's queue.
  bool SomebodyWaits();
  void Admit(Worker& worker, tcp::socket socket);
  Worker& LeastLoaded();
  VoidTask StopAccepting();

  const std::string bind_address;
  const uint16_t wanted_port;
  ServerShared shared;
  uint16_t port = 0;
  tcp::acceptor acceptor;
  TaskGroup accepting;
  std::vector<std::unique_ptr<Worker>> workers;
  size_t turn = 0;
};

absl::Status Server::Impl::Listen() {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(bind_address, error);
  if (error) return absl::InvalidArgumentError(StrCat("not an IP address: \"", bind_address, "\""));
  const tcp::endpoint endpoint(address, wanted_port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && address.is_v6() && address.is_unspecified())
    acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) acceptor.non_blocking(true, error);
  if (!error) port = acceptor.local_endpoint(error).port();
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      StrCat("listening on ", bind_address, " port ", wanted_port, ": ", error.message()));
}

Worker& Server::Impl::LeastLoaded() {
  // Equally loaded workers take turns.
  ++turn;
  size_t best = turn % workers.size();
  for (size_t i = 1; i < workers.size(); ++i) {
    const size_t other = (turn + i) % workers.size();
    if (workers[other]->load() < workers[best]->load()) best = other;
  }
  return *workers[best];
}

bool Server::Impl::SomebodyWaits() {
  pollfd queue{acceptor.native_handle(), POLLIN, 0};
  return poll(&queue, 1, 0) > 0;
}

VoidTask Server::Impl::Accept() {
  bool failing = false;
  for (;;) {
    Worker& worker = LeastLoaded();
    auto [error, socket] =
        co_await acceptor.async_accept(worker.executor(), asio::as_tuple(asio::use_awaitable));
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
    if (error) {
      // accept() needs a free descriptor before it looks for a waiting connection, so it may fail
      // although no connection waits. Check that, so that no idle stranger is closed in vain.
      if (!SomebodyWaits()) {
        (void)co_await acceptor.async_wait(tcp::acceptor::wait_read,
                                           asio::as_tuple(asio::use_awaitable));
        continue;
      }
      ++shared.accept_errors;
      // For example, no descriptors are left: the connection waits in the kernel's queue meanwhile.
      // Logged once.
      if (!std::exchange(failing, true)) {
        log::Error("Cannot accept connections", {{"err", error.message()}});
      }
      shared.gate.Shed();
      co_await shared.clock.Sleep(kAcceptBackoff);
      continue;
    }
    failing = false;
    ++shared.accepted;
    Admit(worker, std::move(socket));
    // Accepts further connections of the kernel's queue. Errors show up in the next turn.
    for (int i = 1; i < kAcceptsPerTurn; ++i) {
      Worker& next = LeastLoaded();
      boost::system::error_code none;
      tcp::socket waiting = acceptor.accept(next.executor(), none);
      if (none) break;
      ++shared.accepted;
      Admit(next, std::move(waiting));
    }
  }
}

void Server::Impl::Admit(Worker& worker, tcp::socket socket) {
  boost::system::error_code ignored;
  const tcp::endpoint remote = socket.remote_endpoint(ignored);
  std::unique_ptr<ConnectionGate::Pass> pass = shared.gate.Admit(remote.address());
  if (pass == nullptr) {
    socket.close(ignored);
    return;
  }
  auto slot = std::make_unique<Worker::Slot>(worker, std::move(pass));
  asio::post(worker.executor(), [&worker, s = std::move(socket), slot = std::move(slot)]() mutable {
    worker.Serve(std::move(s), std::move(slot));
  });
}

VoidTask Server::Impl::StopAccepting() {
  boost::system::error_code ignored;
  acceptor.close(ignored);
  co_await accepting.Stop();
}

Server::Server(ServerOptions options, IoThreads& threads, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), threads, clock)) {}

Server::~Server() = default;

absl::Status Server::Start(Handler handler) {
  absl::Status status = impl_->Listen();
  if (!status.ok()) return status;
  impl_->shared.handler = std::move(handler);
  for (auto& worker : impl_->workers)
    asio::post(worker->executor(), [&worker = *worker] { worker.Start(); });
  asio::post(impl_->acceptor.get_executor(),
             [impl = impl_.get()] { impl->accepting.Spawn("http accept", impl->Accept()); });
  log::Info("Serving", {{"address", impl_->bind_address}, {"port", impl_->port}});
  return absl::OkStatus();
}

uint16_t Server::port() const { return impl_->port; }

ServerStats Server::stats() const {
  const ServerShared& shared = impl_->shared;
  ServerStats stats;
  const ConnectionGate::Stats gate = shared.gate.stats();
  stats.connections = gate.connections;
  stats.accepted = shared.accepted;
  stats.accept_errors = shared.accept_errors;
  stats.rejected_full = gate.rejected_full;
  stats.rejected_source = gate.rejected_source;
  stats.shed = gate.shed;
  stats.handshake_errors = shared.handshake_errors;
  stats.watches_reset = shared.memory.watches_reset();
  stats.request_memory = shared.memory.used();
  stats.request_memory_limit = shared.memory.limit();
  return stats;
}

VoidTask Server::Stop(absl::Duration grace) {
  co_await asio::co_spawn(impl_->acceptor.get_executor(), impl_->StopAccepting(),
                          asio::use_awaitable);
  for (auto& worker : impl_->workers) {
    asio::post(worker->executor(), [&worker = *worker, grace] { worker.BeginDrain(grace); });
  }
  for (auto& worker : impl_->workers) {
    co_await asio::co_spawn(worker->executor(), worker->Stop(), asio::use_awaitable);
  }
}

}  // namespace steward::http
