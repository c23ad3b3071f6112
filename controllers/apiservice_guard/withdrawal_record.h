// The guard's record of an APIService that it withdraws, in a ConfigMap. A value; the functions
// run on the caller's executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_WITHDRAWAL_RECORD_H_
#define CONTROLLERS_APISERVICE_GUARD_WITHDRAWAL_RECORD_H_

#include <boost/json/value.hpp>
#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct WithdrawalRecord {
  // In the order of a withdrawal. A phase is stored before its action, so that a guard that was
  // killed in between knows what it may have done.
  enum class Phase {
    kNone,         // there is no record
    kWithdrawing,  // the APIService `uid` is about to be deleted
    kWithdrawn,    // the APIService is deleted
    kRestoring,    // the APIService is about to be created again
    kRestored,  // created as `uid`; the record is deleted once that has been available for a while
  };

  kube::NamespacedName name;
  Phase phase = Phase::kNone;
  std::string uid;
  absl::Time withdrawn;       // when, to the second
  int again = 0;              // how many times it was withdrawn soon after a restore
  boost::json::value object;  // the APIService without its origin
  std::string resource_version;
  std::string record_uid;

  // The time from the withdrawal until the APIService may be restored; doubles with `again`.
  absl::Duration Hold() const;
};

// Fails with kDataLoss for an unreadable record; then nobody knows what was done.
Task<WithdrawalRecord> ReadRecord(kube::Client& client, kube::NamespacedName name);

// Stores the record if it was not changed since it was read (else 409), and updates
// `record.resource_version`.
StatusTask WriteRecord(kube::Client& client, WithdrawalRecord& record);

// Deletes the record, with the same precondition. REQUIRES: the record exists.
StatusTask ForgetRecord(kube::Client& client, const WithdrawalRecord& record);

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_WITHDRAWAL_RECORD_H_
