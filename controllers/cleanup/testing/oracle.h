// Judges what a cleanup writes, by what is true in the cluster, without knowing its code.
#ifndef CONTROLLERS_CLEANUP_TESTING_ORACLE_H_
#define CONTROLLERS_CLEANUP_TESTING_ORACLE_H_

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/cleanup/testing/hook_client.h"

namespace steward::controllers {

// The cluster is looked at after each change; times are the fake clock's monotonic ones. What must
// hold:
//   I1  every DELETE lies inside what was allowed at some moment of the last two seconds, names the
//       object's UID and asks for background propagation;
//   I2  the finalizer goes only when nothing is pending, or for an abort;
//   I4  nothing is held without a reason;
// and no write is of another form than those that cleanup is known to make. (I3 is the driver's.)
class Oracle {
 public:
  explicit Oracle(TestCluster& cluster) : cluster_(cluster) {}

  // The clock leaps by what other calls take, between a cleaner's last look at it and the moment at
  // which a DELETE is carried out: so much later than two seconds it may be.
  void Allow(absl::Duration leap) { leap_ = leap; }
  // Looks at everything. To be called after every change.
  VoidTask Observe();
  // Before a write of `process`, whose pass began at `pass_began`, is carried out.
  void CheckWrite(const TestCall& call, int process);
  // After one that was carried out. `blind`: in this pass a guard's read failed.
  VoidTask NoteWritten(const TestCall& call, absl::Duration pass_began, bool blind);
  // Nothing is held for a CSV that is gone or not opted in.
  VoidTask CheckHolds();

  // What was broken; empty = nothing.
  const std::vector<std::string>& violations() const { return violations_; }
  // Deletions by cleanup and by the test, for the statistics.
  int deletions() const { return deletions_; }
  bool released() const { return released_; }

 private:
  struct Places {
    Places() {}  // clang wants it said within the class
    bool all = false;
    std::set<std::string> names;
    bool Has(const std::string& ns) const { return all || names.contains(ns); }
  };
  // At one moment.
  struct Truth {
    absl::Duration since;
    bool there = false;
    std::string uid;
    bool deleting = false, enabled = false, finalizer = false;
    bool self_ok = false;    // phase, copies, foreground, annotations
    bool others_ok = false;  // owners, requirers, replacers
    bool namespace_ok = false, policy_ok = false, deployment_ok = false;
    bool group_ok = false;  // exactly one, not being deleted
    std::string group_uid;
    Places spec;
    std::optional<Places> synced;
    bool recorded = false;
    Places record;
    std::string record_group;
    std::set<std::string> owned;
    std::map<std::string, std::string> crds;  // "served", "terminating"

    bool Allows() const {
      return there && deleting && enabled && finalizer && self_ok && others_ok && namespace_ok &&
             policy_ok && deployment_ok && group_ok && synced.has_value() &&
             (!recorded || record_group == group_uid);
    }
  };
  struct Cr {
    kube::GroupVersionResource gvr;
    kube::NamespacedName name;
    absl::Duration created;
    std::optional<absl::Duration> marked;
    bool gone = false;
  };

  void Violate(std::string what);
  absl::Duration Now() { return cluster_.clock().Monotonic(); }
  Truth LookAtCsvs(const std::vector<boost::json::value>& csvs) const;
  VoidTask LookAtCrs();
  // The moments from `from` on, that in force at `from` included.
  std::vector<const Truth*> Since(absl::Duration from) const;
  void CheckDelete(const TestCall& call, int process);
  void CheckCsvPatch(const TestCall& call);
  void CheckRelease(absl::Duration pass_began, bool blind);

  TestCluster& cluster_;
  std::vector<Truth> history_;
  std::map<std::string, Cr> crs_;  // by UID
  // UIDs deleted by each process, by what they were called.
  std::map<std::pair<int, std::string>, std::set<std::string>> deleted_;
  std::vector<std::string> violations_;
  int deletions_ = 0;
  bool released_ = false;
  absl::Duration leap_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_ORACLE_H_
