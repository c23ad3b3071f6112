// Who may have a connection.
#ifndef APISERVER_HTTP_CONNECTION_GATE_H_
#define APISERVER_HTTP_CONNECTION_GATE_H_

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward::http {

// Counts connections in all and of each source address. An eighth of the places is a reserve for
// front proxies, and these count against no source: their clients' limits are elsewhere. A
// connection shows only in its handshake that it is a front proxy's, so that others are let in
// provisionally, too. Thread-safe.
class ConnectionGate {
 public:
  // From sources that have enough.
  static constexpr size_t kMaxProvisional = 64;

  ConnectionGate(size_t max_connections, size_t max_per_source)
      : max_(max_connections),
        max_others_(max_connections - max_connections / 8),
        max_per_source_(max_per_source) {}
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  enum class Verdict { kAdmitted, kProvisional, kFull, kSourceFull };

  // One connection's place, given back on destruction. REQUIRES: the gate outlives it.
  class Pass {
   public:
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    bool provisional() const { return provisional_; }
    // The handshake has ended. False: the connection has to go, since it is no front proxy's and
    // there is still no place for it.
    bool Settle(bool front_proxy);

   private:
    friend class ConnectionGate;
    Pass(ConnectionGate& gate, boost::asio::ip::address source, bool provisional)
        : gate_(gate), source_(std::move(source)), provisional_(provisional) {}

    ConnectionGate& gate_;
    const boost::asio::ip::address source_;
    bool provisional_;
    bool counted_ = true;  // among the others, or the provisional ones
  };

  struct Admission {
    Verdict verdict = Verdict::kFull;
    std::unique_ptr<Pass> pass;  // null when refused
  };
  Admission Admit(const boost::asio::ip::address& source);

  // Whether only the reserve is left.
  bool crowded() const;
  size_t connections() const;

 private:
  Verdict Judge(const boost::asio::ip::address& source) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Count(const boost::asio::ip::address& source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Uncount(const boost::asio::ip::address& source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_;
  const size_t max_others_;
  const size_t max_per_source_;
  mutable Mutex mutex_;
  size_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t provisional_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t others_ ABSL_GUARDED_BY(mutex_) = 0;  // neither provisional nor front proxies'
  std::map<boost::asio::ip::address, size_t> sources_ ABSL_GUARDED_BY(mutex_);  // of the others
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_GATE_H_
