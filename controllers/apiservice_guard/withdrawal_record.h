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
  // In the order of a withdrawal's life. Each is stored before what it announces is done, so that a
  // guard that was killed knows what it may have done.
  enum class Phase {
    kNone,         // there is no record
    kWithdrawing,  // the APIService `uid` is about to be deleted
    kWithdrawn,    // it is deleted
    kRestoring,    // it is about to be created again
    kRestored,     // as `uid`; forgotten once it has been available for a while
  };

  kube::NamespacedName name;
  Phase phase = Phase::kNone;
  std::string uid;
  absl::Time withdrawn;       // when, to the second
  int again = 0;              // how often it was withdrawn soon after it had been restored
  boost::json::value object;  // the APIService without its origin
  std::string resource_version;
  std::string record_uid;

  // The time from a withdrawal of this record until the APIService may be restored; it doubles each
  // time.
  absl::Duration Hold() const;
};

// Fails with kDataLoss for a record that nobody can read, which says nothing about what was done.
Task<WithdrawalRecord> ReadRecord(kube::Client& client, kube::NamespacedName name);

// Stores it on condition that it is stored as it was read (else 409), and updates its version.
StatusTask WriteRecord(kube::Client& client, WithdrawalRecord& record);

// Deletes it, on the same condition. REQUIRES: there is one.
StatusTask ForgetRecord(kube::Client& client, const WithdrawalRecord& record);

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_WITHDRAWAL_RECORD_H_
