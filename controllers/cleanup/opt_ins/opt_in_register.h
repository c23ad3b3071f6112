// This process's knowledge of whether opt-ins to cleanup were authorised (R-000-76). Lives on one
// executor.
#ifndef CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_REGISTER_H_
#define CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_REGISTER_H_

#include <cstddef>
#include <set>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

enum class OptInState {
  kConfirmed,
  kMayBeConfirmed,  // the controllers may confirm it, by writing kConfirmedLabel
  kUnconfirmed,     // an authorised user must opt in again
};

// May be lost at any time; then fewer opt-ins can be confirmed. Holds the UIDs of objects that were
// not opted in while the policy was in force, for one state of the policy.
class OptInRegister {
 public:
  // REQUIRES: `csv` is opted in; `policy` is bound.
  OptInState Judge(const olm::CsvFacts& csv, const olm::PolicyFacts& policy);
  void Forget(const kube::NamespacedName& csv) { unconfirmed_.erase(csv); }

  // Remembers `csv` if it is not opted in while the policy is in force. REQUIRES: `csv` was read
  // live after `policy`, and `policy` was read at `now`.
  void Note(const olm::CsvFacts& csv, const olm::PolicyFacts& policy, absl::Time now);
  // True if `policy` is in force and NotedAll was not called for this state of it.
  bool WantsAll(const olm::PolicyFacts& policy, absl::Time now) const;
  void NotedAll(const olm::PolicyFacts& policy);

  bool IsUnconfirmed(const kube::NamespacedName& csv) const { return unconfirmed_.contains(csv); }
  // The number of unconfirmed opt-ins, by the last Judge of each.
  size_t unconfirmed() const { return unconfirmed_.size(); }

 private:
  std::string revision_;                      // of the policy
  absl::flat_hash_set<std::string> sighted_;  // UIDs
  std::string noted_all_;                     // the policy's revision at the last NotedAll
  std::set<kube::NamespacedName> unconfirmed_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_REGISTER_H_
