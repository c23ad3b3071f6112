// A pool of keep-alive connections to one server. Lives on its executor, and so do its leases.
#ifndef KUBE_CLIENT_CONNECTION_POOL_H_
#define KUBE_CLIENT_CONNECTION_POOL_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/tls/certificate.h"
#include "kube/client/dialer.h"
#include "kube/client/http_connection.h"

namespace steward::kube {

struct ConnectionPoolOptions {
  // The limit of connections in use and idle together; a running watch uses one. Further callers
  // wait, first come, first served.
  size_t max_connections = 64;
  // The limit of callers that wait; more are refused with kUnavailable.
  size_t max_waiting = 1024;
  // The limit of idle connections kept for later requests; a connection that becomes free beyond it
  // is closed.
  size_t max_idle = 16;
  // Idle connections older than this are closed instead of used. Lower than the servers' own
  // limits.
  absl::Duration idle_timeout = absl::Seconds(60);
};

// A lease may outlive the pool.
class ConnectionPool {
  struct State;

 public:
  // A connection in use. Destroying it closes the connection unless Recycle was called.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { Release(); }

    HttpConnection& operator*() const { return *connection_; }
    HttpConnection* operator->() const { return connection_.get(); }
    // True when requests were made on the connection before: the server may have closed it
    // meanwhile.
    bool used_before() const { return used_before_; }

    // Ends the lease, keeping the connection for others if it is reusable.
    void Recycle();

   private:
    friend class ConnectionPool;
    void Release();

    std::shared_ptr<State> pool_;  // null: empty, or holds no place
    std::unique_ptr<HttpConnection> connection_;
    bool used_before_ = false;
    size_t generation_ = 0;
  };

  // REQUIRES: `clock` outlives the pool and its leases.
  ConnectionPool(std::unique_ptr<Dialer> dialer, boost::asio::any_io_executor executor,
                 Clock& clock, ConnectionPoolOptions options);

  // Returns an idle connection (unless `fresh`) or a new one; waits while all are in use.
  Task<Lease> Acquire(bool fresh);

  // New connections present this certificate. The existing connections present the old one: those
  // in use are closed afterwards, idle ones now. kInvalidArgument, and nothing changes, if the
  // certificate does not parse.
  absl::Status UseCertificate(const PemKeyPair& certificate);

  size_t idle() const;
  size_t in_use() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_CONNECTION_POOL_H_
