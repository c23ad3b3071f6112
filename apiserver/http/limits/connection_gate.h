// Limits the number of connections, and chooses the connections to close when places run out.
// Thread-safe.
#ifndef APISERVER_HTTP_LIMITS_CONNECTION_GATE_H_
#define APISERVER_HTTP_LIMITS_CONNECTION_GATE_H_

#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward::http {

// Counts connections in total and by source address. An eighth of the places is reserved for front
// proxies, which count against no source: their clients are limited elsewhere.
//
// Without a free place, a newcomer displaces an idle stranger: a connection on which no request
// runs and none was ever authenticated. The gate closes the stranger that has been idle longest,
// or, if the newcomer's source has reached its limit, the stranger of that source that has been
// idle longest. So a flood displaces itself, and a client keeps its place until as many newcomers
// have come as there are idle strangers: in this time it can authenticate. When there are no idle
// strangers, newcomers are admitted provisionally, because a connection shows only in its handshake
// that it is a front proxy's.
class ConnectionGate {
 public:
  // The limit of provisional connections, also from sources that have reached their limit.
  static constexpr size_t kMaxProvisional = 64;
  // The limit of connections above the maximum that have lost their places to others, but have not
  // ended yet.
  static constexpr size_t kMaxLeaving = 64;

  ConnectionGate(size_t max_connections, size_t max_per_source)
      : max_(max_connections),
        max_others_(max_connections - max_connections / 8),
        max_per_source_(max_per_source) {}
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  // The place of one connection. At first the connection counts as an idle stranger's. Destruction
  // gives the place back. Its methods are called on the connection's executor. REQUIRES: the gate
  // outlives it.
  class Pass {
   public:
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // `close` ends the connection. It is called once when another connection takes the place, on
    // any thread, possibly after the pass is destroyed. Returns false when the place is already
    // taken.
    bool Enter(std::function<void()> close);
    bool provisional() const;
    // Must be called when the handshake has ended. Returns false if the connection must be closed:
    // it is not a front proxy's, and there is still no place for it.
    bool Settle(bool front_proxy);
    // Must be called when a request begins.
    void Busy();
    // Must be called when no request runs any more. `known`: one of this connection's requests was
    // authenticated.
    void Idle(bool known);

   private:
    friend class ConnectionGate;
    using Hook = boost::intrusive::list_member_hook<
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
    enum class Place { kOthers, kProvisional, kFrontProxy, kNone };

    Pass(ConnectionGate& gate, boost::asio::ip::address source)
        : gate_(gate), source_(std::move(source)) {}

    ConnectionGate& gate_;
    const boost::asio::ip::address source_;
    bool known_ = false;  // never reset; used on the connection's executor
    // The rest is guarded by the gate's mutex.
    Place place_ = Place::kNone;
    std::function<void()> close_;
    Hook of_all_;
    Hook of_source_;
  };

  // Null when the connection is refused.
  std::unique_ptr<Pass> Admit(const boost::asio::ip::address& source);
  // Closes the longest idle stranger's connection, if there is one.
  void Shed();

  struct Stats {
    size_t connections = 0;
    uint64_t rejected_full = 0;
    uint64_t rejected_source = 0;
    uint64_t shed = 0;
  };
  Stats stats() const;

 private:
  enum class Verdict { kAdmitted, kProvisional, kFull, kSourceFull };
  template <Pass::Hook Pass::*kHook>
  using List = boost::intrusive::list<Pass, boost::intrusive::member_hook<Pass, Pass::Hook, kHook>,
                                      boost::intrusive::constant_time_size<false>>;
  struct Source {
    size_t connections = 0;
    List<&Pass::of_source_> idle;  // strangers', in the order of their idle time, the longest first
  };

  bool SourceFull(const boost::asio::ip::address& source) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Verdict Judge(const boost::asio::ip::address& source) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the verdict on a newcomer from `source`, after displacing an idle stranger if that
  // helps. `close` ends the displaced connection; unless null, it must be called without the mutex.
  Verdict MakeRoom(const boost::asio::ip::address& source, std::function<void()>& close)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::function<void()> Displace(Pass& pass) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Move(Pass& pass, Pass::Place to) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Link(Pass& pass) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Unlink(Pass& pass);

  const size_t max_;
  const size_t max_others_;
  const size_t max_per_source_;
  mutable Mutex mutex_;
  // Counts of connections.
  size_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t leaving_ ABSL_GUARDED_BY(mutex_) = 0;  // connections that have lost their place
  size_t provisional_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t others_ ABSL_GUARDED_BY(mutex_) = 0;  // neither leaving, provisional nor front proxies'
  std::map<boost::asio::ip::address, Source> sources_ ABSL_GUARDED_BY(mutex_);  // of others_
  // The idle strangers among others_, the longest idle one first.
  List<&Pass::of_all_> idle_ ABSL_GUARDED_BY(mutex_);
  // Counts since the start.
  uint64_t rejected_full_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t rejected_source_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t shed_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_LIMITS_CONNECTION_GATE_H_
