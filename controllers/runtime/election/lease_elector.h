// Leader election by a Lease, as Kubernetes' own components do it. Lives on one executor.
//
// A holder renews each retry period. It is leader until the renew deadline after the *beginning* of
// its last successful renewal. A candidate takes over once the Lease has not changed for the lease
// duration that it names, measured by the candidate's monotonic clock since it first saw this
// state. Clocks are never compared. A candidate cannot see a renewal before it began, and the lease
// duration is longer than the renew deadline. So there are never two leaders at a time, however
// slow, unfair or one-sided the network is. Lease duration minus renew deadline is the margin, for
// requests that are on their way when leadership ends, and for clocks that run at different speeds.
//
// Takeovers carry the resourceVersion that was read, so a renewal in between wins.
#ifndef CONTROLLERS_RUNTIME_ELECTION_LEASE_ELECTOR_H_
#define CONTROLLERS_RUNTIME_ELECTION_LEASE_ELECTOR_H_

#include <prometheus/registry.h>

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/election/lease_record.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct LeaseElectorOptions {
  kube::NamespacedName lease;
  // Unique to this process: after a restart it is another.
  std::string identity;
  absl::Duration lease_duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);
};

// Returns kInvalidArgument with one sentence unless lease_duration > renew_deadline > 1.2 *
// retry_period > 0, the duration in whole seconds.
absl::Status CheckLeaseElectorOptions(const LeaseElectorOptions& options);

// A new identity: "<host name>_<random UUID>".
std::string NewElectionIdentity(Random& random);

// Metrics, with the label name: leader_election_master_status (1 = leader),
// leader_election_slowpath_total (renewals that met a Lease changed by another client).
//
// The calls are Acquire, then Renew, then Release or Acquire again: one task at a time.
class LeaseElector {
 public:
  // REQUIRES: CheckLeaseElectorOptions is OK; the references outlive this object.
  LeaseElector(kube::Client& client, Clock& clock, Random& random, LeaseElectorOptions options,
               prometheus::Registry& registry);
  ~LeaseElector();

  // The leadership lives as long as this object.
  const Leadership& leadership() const;

  // Campaigns until this process is leader. Cancellable: if leadership was just won, it is not
  // used, and the Lease runs out.
  VoidTask Acquire();

  // Renews leadership until it is lost: the renew deadline passed, or another process holds the
  // Lease. REQUIRES: Acquire returned. Cancellable: then leadership lasts until its deadline, or
  // until Release.
  VoidTask Renew();

  // First ends leadership. Then, if this process may still be the holder, clears the Lease, so that
  // a candidate takes over at its next look. Takes at most about half a renew deadline. A failure
  // is logged, and the Lease runs out by itself. Does nothing for a process that is not leader.
  VoidTask Release();

  const LeaseElectorOptions& options() const { return options_; }

 private:
  class Term;
  enum class Outcome { kHeld, kHeldByOther, kFailed };

  boost::asio::awaitable<Outcome> TryWithin(absl::Duration limit);
  boost::asio::awaitable<absl::StatusOr<Outcome>> Try();
  Task<Outcome> TryRenewAsObserved();
  Task<Outcome> TryCreate();
  Task<Outcome> TakeOrRenew(boost::json::value lease);
  StatusTask WriteRelease();
  void Observe(const boost::json::value& lease);
  bool HeldByLiveOther() const;
  void NoteHeld(absl::Duration began, const boost::json::value& lease);
  void NoteOther();

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const LeaseElectorOptions options_;
  const std::unique_ptr<Term> term_;

  struct Metrics;
  const std::unique_ptr<Metrics> metrics_;

  // The Lease as last seen, and the time by this process's clock at which its record was first
  // seen. Stays set when a held Lease is deleted, because its holder may not know that yet.
  std::optional<boost::json::value> observed_;
  LeaseRecord observed_record_;
  absl::Duration observed_at_;
  std::string logged_holder_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_ELECTION_LEASE_ELECTOR_H_
