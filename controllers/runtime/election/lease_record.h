// The fields of a coordination.k8s.io/v1 Lease that elections use. Values and pure functions.
#ifndef CONTROLLERS_RUNTIME_ELECTION_LEASE_RECORD_H_
#define CONTROLLERS_RUNTIME_ELECTION_LEASE_RECORD_H_

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "kube/meta/names.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kLeases = {"coordination.k8s.io", "v1", "leases"};

// The members of a Lease's spec that elections use, as the Lease has them. The times are only
// compared for equality, as text, so it does not matter whose clock wrote them.
struct LeaseRecord {
  std::string holder;            // holderIdentity; "" = nobody
  int64_t duration_seconds = 0;  // leaseDurationSeconds; 0 = absent
  std::string acquire_time;
  std::string renew_time;
  int64_t transitions = 0;  // leaseTransitions

  bool operator==(const LeaseRecord&) const = default;
};

// Members that are absent or of another type read as empty.
LeaseRecord ReadLease(const boost::json::value& lease);

// A Lease to create.
boost::json::value NewLease(const kube::NamespacedName& name, const LeaseRecord& record);
// Puts `record` into a Lease that was read; everything else in it stays.
void WriteLease(const LeaseRecord& record, boost::json::value& lease);

// The record by which `identity` takes over or, if it is the holder, renews `current`. A change of
// the holder counts as a transition. The renew time always differs from that of `current`.
LeaseRecord HeldBy(const std::string& identity, const LeaseRecord& current,
                   absl::Duration lease_duration, absl::Time now);
// The record by which the holder gives up the Lease, so that any candidate may take over at once.
LeaseRecord Released(const LeaseRecord& current, absl::Time now);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_ELECTION_LEASE_RECORD_H_
