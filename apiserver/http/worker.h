// The connections of one thread. Lives on its executor.
#ifndef APISERVER_HTTP_WORKER_H_
#define APISERVER_HTTP_WORKER_H_

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "absl/time/time.h"
#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/limits/connection_gate.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/date.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/tls/handshake_turns.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/tls/server_context.h"

namespace steward::http {

// The state that all workers of a server share; it outlives them.
struct ServerShared {
  Limits limits;
  Limits front_proxy_limits;
  Timeouts timeouts;
  absl::Duration tick;
  std::function<SslContext()> tls;                              // null: plain HTTP/1.1
  std::function<bool(const PeerCertificates&)> is_front_proxy;  // null: none is
  ErrorBody error_body;
  Handler handler;
  Clock& clock;
  MemoryBudget memory;
  ConnectionGate gate;

  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> accept_errors{0};
  std::atomic<uint64_t> handshake_errors{0};
};

// Every method except `load` must be called on the worker's executor.
class Worker {
 public:
  Worker(const boost::asio::any_io_executor& executor, ServerShared& shared);

  const boost::asio::any_io_executor& executor() const { return executor_; }
  // The number of connections; may be called from any thread.
  size_t load() const { return load_.load(std::memory_order_relaxed); }

  // A connection counted in `load` while this object lives.
  class Slot {
   public:
    // May be called on any thread.
    Slot(Worker& worker, std::unique_ptr<ConnectionGate::Pass> pass);
    ~Slot();
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    ConnectionGate::Pass& pass() { return *pass_; }

   private:
    Worker& worker_;
    const std::unique_ptr<ConnectionGate::Pass> pass_;
  };

  void Start();
  void Serve(boost::asio::ip::tcp::socket socket, std::unique_ptr<Slot> slot);
  // Makes every connection refuse new requests, and end. `Stop` waits for the connections until
  // `grace` from now has passed, then cancels the rest.
  void BeginDrain(absl::Duration grace);
  VoidTask Stop();

 private:
  VoidTask Tick();
  VoidTask Run(boost::asio::ip::tcp::socket socket, std::unique_ptr<Slot> slot);
  // False when the connection must be closed.
  bool Settle(Slot& slot, PeerInfo& peer);
  // A function that closes a connection from any thread: see ConnectionGate::Pass::Enter.
  std::function<void()> Closing(std::weak_ptr<ByteStream> stream);
  VoidTask ServeOn(ByteStream& stream, std::string protocol, PeerInfo peer,
                   ConnectionGate::Pass& pass);

  const boost::asio::any_io_executor executor_;
  ServerShared& shared_;
  std::atomic<size_t> load_{0};
  DeadlineSet deadlines_;
  HandshakeTurns handshake_turns_;
  HttpDate date_;
  bool draining_ = false;
  bool grace_over_ = false;
  Deadline grace_;
  Event ended_;                                  // a connection or the grace ended
  size_t running_ = 0;                           // connections, counted from before their handshake
  std::unordered_set<Connection*> connections_;  // those after their handshake
  TaskGroup ticker_;                             // runs also without connections
  TaskGroup tasks_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_WORKER_H_
