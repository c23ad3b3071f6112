// A client that writes only while this process is leader. Thread-safe.
#ifndef CONTROLLERS_RUNTIME_ELECTION_FENCED_CLIENT_H_
#define CONTROLLERS_RUNTIME_ELECTION_FENCED_CLIENT_H_

#include <boost/json/value.hpp>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"
#include "controllers/runtime/election/leadership.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/user_info.h"

namespace steward::controllers {

// Reads are not checked, and use a client of their own, so they never wait for writes that are
// under way. Each write (create, update, patch, delete) checks the leadership first, and again
// right before the bytes of each try leave (may_send, R-000-78). Without leadership the write is
// kFailedPrecondition, and nothing was sent. When leadership ends while a write is under way, a
// timer gives the write up, with all later tries: the result is kUnavailable, and as with any lost
// answer the write may have happened. The timer alone would not suffice, because it can be late
// (UntilLost). So no request of a deposed leader leaves this process, and the margin of the
// leadership is the time that a request has to arrive.
//
// A client that As returns is fenced, too, and this client's last_unresolved covers its writes.
//
// InterceptingClient, the base, passes each write to Write; a kind of write that is not passed does
// not compile.
class FencedClient : public kube::InterceptingClient {
 public:
  // REQUIRES: the arguments outlive this object and its calls.
  FencedClient(kube::Client& reads, kube::Client& writes, const Leadership& leadership,
               Clock& clock)
      : InterceptingClient(reads), writes_(writes), leadership_(leadership), clock_(clock) {}

  // The monotonic time at which a write last ended with an unknown outcome: cancelled, given up,
  // timed out, connection lost. That write may still be on its way to the cluster.
  std::optional<absl::Duration> last_unresolved() const;

  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override;

 private:
  class Unresolved;

  // A client that writes to `writes` behind the fence of `first`.
  FencedClient(std::unique_ptr<kube::Client> reads, std::unique_ptr<kube::Client> writes,
               FencedClient& first);

  Task<boost::json::value> Write(kube::ClientWrite write) override;

  // A client made by As owns the clients that it reads from and writes to.
  const std::unique_ptr<kube::Client> own_reads_;
  const std::unique_ptr<kube::Client> own_writes_;
  FencedClient& first_ = *this;  // the client that stores last_unresolved_

  kube::Client& writes_;
  const Leadership& leadership_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::optional<absl::Duration> last_unresolved_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_ELECTION_FENCED_CLIENT_H_
