// Who may have a connection, and who goes when places run out.
#ifndef APISERVER_HTTP_CONNECTION_GATE_H_
#define APISERVER_HTTP_CONNECTION_GATE_H_

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

// Counts connections in all and of each source address. An eighth of the places is a reserve for
// front proxies, and these count against no source: their clients' limits are elsewhere.
//
// Where no place is left, a newcomer takes an idle stranger's: that of a connection on which no
// request runs and none was ever authenticated. The one that has been idle longest goes, and if the
// newcomer's source has all it may have, the one of that source. A flood displaces itself so, and
// whoever comes has as many newcomers' time to show who they are as there are idle strangers.
// Without any, newcomers are let in provisionally: a connection shows only in its handshake that it
// is a front proxy's. Thread-safe.
class ConnectionGate {
 public:
  // From sources that have enough.
  static constexpr size_t kMaxProvisional = 64;
  // Connections above the maximum: their places are others' already, and they have not ended yet.
  static constexpr size_t kMaxLeaving = 64;

  ConnectionGate(size_t max_connections, size_t max_per_source)
      : max_(max_connections),
        max_others_(max_connections - max_connections / 8),
        max_per_source_(max_per_source) {}
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  // One connection's place, given back on destruction; an idle stranger's at first. Its methods are
  // called on the connection's executor. REQUIRES: the gate outlives it.
  class Pass {
   public:
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // `close` ends the connection; it is called when another takes the place, once, on any thread,
    // also after the pass is gone. False: one has taken it already.
    bool Enter(std::function<void()> close);
    bool provisional() const;
    // The handshake has ended. False: the connection has to go, since it is no front proxy's and
    // there is still no place for it.
    bool Settle(bool front_proxy);
    // A request runs.
    void Busy();
    // None runs any more. `known`: one of this connection's requests was authenticated.
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
    bool known_ = false;  // stays so; of the connection's executor
    // The rest is guarded by the gate's mutex.
    Place place_ = Place::kNone;
    std::function<void()> close_;
    Hook of_all_;
    Hook of_source_;
  };

  // Null: refused.
  std::unique_ptr<Pass> Admit(const boost::asio::ip::address& source);
  // Closes the connection that is missed least, if there is one.
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
    List<&Pass::of_source_> idle;  // strangers', the longest idle one first
  };

  bool SourceFull(const boost::asio::ip::address& source) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Verdict Judge(const boost::asio::ip::address& source) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same after an idle stranger gave way, where that helps. `close` is to be called without the
  // mutex, if it is not null.
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
  // Connections.
  size_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t leaving_ ABSL_GUARDED_BY(mutex_) = 0;  // of these, with no place
  size_t provisional_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t others_ ABSL_GUARDED_BY(mutex_) = 0;  // none of these, nor front proxies'
  std::map<boost::asio::ip::address, Source> sources_ ABSL_GUARDED_BY(mutex_);  // of the others
  // Of the others, strangers', the longest idle one first.
  List<&Pass::of_all_> idle_ ABSL_GUARDED_BY(mutex_);
  // Since the start.
  uint64_t rejected_full_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t rejected_source_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t shed_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_GATE_H_
