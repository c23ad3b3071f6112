// Judges the writes of cleanups by the state of the cluster, without sharing their code. Not
// thread-safe.
#ifndef CONTROLLERS_CLEANUP_TESTING_ORACLE_H_
#define CONTROLLERS_CLEANUP_TESTING_ORACLE_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/cleanup/testing/moment.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {

// The cluster is read after each change; times are the fake clock's monotonic ones. Invariants:
//   I1  there is a CSV for which every DELETE is allowed: each of its guards held at some moment of
//       the last two seconds; it lies inside of what was recorded, of what was recorded when the
//       first DELETE was sent, and of what the CSV and its OperatorGroup say; it names the object's
//       UID and requests background propagation; and the operator's rights were not released;
//   I2  of CSVs that share definitions and are deleted together none is cleaned up, nor is another
//       one that shares a definition with one of them;
//   I3  rights and the finalizer go only when nothing of what was recorded is left to be done, for
//       a refusal that lasted for a second, or for an abort;
//   I4  nothing is held without a reason;
// and no write has a form other than those that cleanup is known to use. The driver checks that
// every cleanup ends.
class Oracle {
 public:
  // A pass over one CSV, during which a write happens.
  struct Pass {
    absl::Duration began;
    // True if the read of a guard failed in this pass, as far as can be known.
    bool blind = false;
    // True if the read of an operands' definition failed in this pass.
    bool blind_to_definition = false;
  };

  explicit Oracle(TestCluster& cluster) : cluster_(cluster) {}

  // Reads everything. Called after every change.
  VoidTask Observe();
  // Called before a write of `process` leaves.
  void CheckWrite(const kube::HookedCall& call, int process);
  // Called after a write was carried out in one of `passes`. A write of a role's finalizers belongs
  // to the pass of its owner.
  VoidTask NoteWritten(const kube::HookedCall& call,
                       const std::map<kube::NamespacedName, Pass>& passes);
  // Checks that nothing is held for a CSV that is gone or not opted in.
  void CheckHolds();

  const Moment& now() const { return history_.back(); }
  // The violations so far; empty = none.
  const std::vector<std::string>& violations() const { return violations_; }
  // The number of DELETEs that were sent, for statistics.
  int deletions() const { return deletions_; }

 private:
  struct Cr {
    kube::GroupVersionResource gvr;
    kube::NamespacedName name;
    absl::Duration created;
    std::optional<absl::Duration> marked;
    bool gone = false;
  };
  // The recorded scope of a CSV's cleanup.
  struct Begun {
    Places targets;
    std::map<std::string, std::string> definitions;  // owned and existing: name to UID
    bool sent = false;
  };
  // A CSV at all moments of a period.
  using Stretch = std::vector<std::pair<const Moment*, const SeenCsv*>>;

  void Violate(std::string what);
  absl::Duration Now() { return cluster_.clock().Monotonic(); }
  VoidTask LookAtCrs();
  // The moments from `from` on, including the latest one before it.
  std::vector<const Moment*> Since(absl::Duration from) const;
  Stretch Of(const kube::NamespacedName& key, const std::string& uid, absl::Duration from) const;
  bool WasTaintedAt(const Moment& moment, const std::string& uid) const;
  bool Refuses(const Moment& moment, const SeenCsv& csv) const;
  void CheckDelete(const kube::HookedCall& call, int process);
  std::vector<std::string> WhyNot(const Stretch& window, const std::string& definition,
                                  const std::string& ns) const;
  void CheckCsvPatch(const kube::HookedCall& call);
  void CheckRights(const std::string& role, const kube::NamespacedName& owner,
                   absl::Duration began);
  void CheckRecord(const SeenCsv& csv, absl::Duration began);
  // Checks a release of the operator's rights or of its finalizer. `now` is the state before it.
  void CheckLetGo(const SeenCsv& csv, const Moment& now, const Pass& pass);
  void CheckEmpty(const Stretch& pass, absl::Duration began);
  bool MayCountGone(const SeenCsv& csv, const Moment& at) const;
  void Taint(const SeenCsv& released, absl::Duration began);

  TestCluster& cluster_;
  std::deque<Moment> history_;
  std::map<std::string, Cr> crs_;                 // by UID
  std::map<std::string, Begun> begun_;            // by the CSV's UID
  std::map<std::string, absl::Duration> let_go_;  // likewise
  // By the UID of a CSV: when a co-owner that was uninstalled with it was released.
  std::map<std::string, absl::Duration> tainted_;
  // By process, then by the object's name: the UIDs that it deleted.
  std::map<std::pair<int, std::string>, std::set<std::string>> deleted_;
  std::vector<std::string> violations_;
  int deletions_ = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_ORACLE_H_
