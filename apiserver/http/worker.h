// The connections of one thread.
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
#include "apiserver/http/connection.h"
#include "apiserver/http/connection_gate.h"
#include "apiserver/http/date.h"
#include "apiserver/http/deadline.h"
#include "apiserver/http/event.h"
#include "apiserver/http/handshake_turns.h"
#include "apiserver/http/memory_budget.h"
#include "apiserver/http/message.h"
#include "apiserver/http/options.h"
#include "apiserver/http/stream.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/tls/server_context.h"

namespace steward::http {

// What all workers of a server share; outlives them.
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

// Every method but `load` is called on the worker's executor.
class Worker {
 public:
  Worker(const boost::asio::any_io_executor& executor, ServerShared& shared);

  const boost::asio::any_io_executor& executor() const { return executor_; }
  // Number of connections, from any thread.
  size_t load() const { return load_.load(std::memory_order_relaxed); }

  // A connection counted in `load` while this lives.
  class Slot {
   public:
    // On any thread.
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
  // Tells every connection to take no new requests and to end; `Stop` waits for that until `grace`
  // from here has passed, then cancels what is left.
  void BeginDrain(absl::Duration grace);
  VoidTask Stop();

 private:
  VoidTask Tick();
  VoidTask Run(boost::asio::ip::tcp::socket socket, std::unique_ptr<Slot> slot);
  // False: the connection has to go.
  bool Settle(Slot& slot, PeerInfo& peer);
  // What ends a connection from any thread: see ConnectionGate::Pass::Enter.
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
  Event ended_;                                  // a connection ended, or the grace
  size_t running_ = 0;                           // connections, from before their handshake
  std::unordered_set<Connection*> connections_;  // after it
  TaskGroup ticker_;                             // what goes on without connections, too
  TaskGroup tasks_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_WORKER_H_
