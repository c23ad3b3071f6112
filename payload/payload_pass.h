// Runs one pass over a payload, which brings every object to the state that its manifest asks for.
// Lives on one executor.
#ifndef PAYLOAD_PAYLOAD_PASS_H_
#define PAYLOAD_PAYLOAD_PASS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "olm/payload/inclusion.h"
#include "olm/payload/payload.h"
#include "olm/payload/payload_record.h"
#include "olm/payload/removal.h"
#include "olm/payload/task_graph.h"
#include "olm/payload/template_fields.h"
#include "payload/dependencies.h"
#include "payload/object_applier.h"
#include "payload/object_remover.h"
#include "payload/payload_folder.h"
#include "payload/record_store.h"

namespace steward::payload {

// The options of a pass. The flags of the reconciler and of the commands set them.
struct PayloadOptions {
  std::string version;  // overrides the payload's own version
  olm::ClusterChoices choices;
  std::string record_namespace = "steward-system";
  bool initial = false;  // the pass installs the cluster
  bool redelete = false;
  std::optional<absl::Duration> wait_for_deletions;
  bool allow_stale_deletes = false;
  // Deletes OLM's own definitions even while operators exist, which are deleted with them.
  bool allow_olm_deletes = false;
  // The time within which an object that an update applies must become healthy; zero: no wait.
  absl::Duration wait_for_health = absl::Minutes(5);
  std::string release_image;  // for the manifests that name it
  bool force = false;         // begins an update although a precondition refuses it
};

struct PassDeps {
  kube::Client& client;
  kube::RestMapper& mapper;
  Clock& clock;
  RecordStore& record;
};

// The result of one manifest.
struct TaskReport {
  enum class Action { kCreated, kUpdated, kUnchanged, kLeft, kRemoved, kRemoving, kKept, kFailed };
  olm::PayloadIdentity identity;
  std::string where;
  Action action = Action::kUnchanged;
  absl::Status error;
};
std::string_view NameOf(TaskReport::Action action);

// Receives the progress of a pass; its functions may be null.
struct PassObserver {
  std::function<void(olm::PayloadState state, size_t tasks)> begins;
  std::function<void(const TaskReport& report)> done;
  std::function<void(const olm::Removal& removal)> removal;
  // Called when a removal is forgotten that no manifest asks for any more and that the server never
  // accepted.
  std::function<void(const olm::Removal& removal)> dropped;
  // Called when `lack`, the reason why an applied object is not healthy yet, changes.
  std::function<void(const olm::PayloadIdentity& identity, const std::string& lack)> waits;
};

struct PassResult {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::vector<olm::PayloadFault> faults;  // of the plan; with any, nothing was begun
  // The reasons why nothing was begun, one sentence each: preconditions, missing rights.
  std::vector<std::string> refused;
  std::vector<std::string> warnings;  // the preconditions that --force overrode
  std::vector<TaskReport> failed;
  size_t not_begun = 0;    // manifests not tried because one before them failed
  bool completed = false;  // this pass has finished an update or installation
  absl::Status error;      // of the pass itself: the record, discovery, the cluster's choices
};

// Returns the faults that forbid to use any part of the payload in any cluster: faults of its
// files, deletions of protected objects, too many deletions, no version.
std::vector<olm::PayloadFault> FaultsOf(const Release& release, const PayloadOptions& options);
// Returns the values that the options give for fields of the manifests' templates.
olm::TemplateFields TemplateFieldsOf(const PayloadOptions& options);
// Returns the effective version; "" if neither the options nor the payload have one.
std::string VersionOf(const Release& release, const PayloadOptions& options);

// The plan of a pass over the payload, found by reads alone. If there are faults, the members after
// `faults` are not set.
struct PassPlan {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::string version;
  std::string hash;
  bool begins = false;  // the record does not have this payload yet
  std::vector<olm::PayloadManifest> included;
  // The manifests that this cluster does not include: where they are, and why.
  std::vector<olm::PayloadFault> left_out;
  std::vector<std::string> notes;  // the assumptions that were made
  // The faults that forbid to use any part of the payload in this cluster: those of FaultsOf,
  // contradicting manifests, missing or impossible namespaces, and the deletion of OLM's own
  // definitions while operators exist.
  std::vector<olm::PayloadFault> faults;
  std::vector<std::string> preconditions;  // those that refuse the update
};
// Returns the order in which the included manifests are applied.
olm::TaskGraph GraphOf(const PassPlan& plan);
// Returns the options for the plan's delete manifests.
ObjectRemoverOptions RemovalOptionsOf(const PassPlan& plan, const PayloadOptions& options);

// REQUIRES: the record is loaded; the references outlive the task.
Task<PassPlan> MakePassPlan(const PassDeps& deps, const Release& release,
                            const PayloadOptions& options);

// An update follows the order of the graph, several nodes of a stage at a time. If a manifest
// fails, the rest of its node and everything that depends on it is not tried; other nodes go on.
// Initializing and Reconciling ignore the order of levels. Every write is idempotent and the record
// says what was begun, so another process can continue after this one ends at any point.
class PayloadPass {
 public:
  // REQUIRES: what `deps` refers to, `release` and `observer` outlive this object.
  PayloadPass(const PassDeps& deps, const Release& release, const PayloadOptions& options,
              const PassObserver& observer);

  // Runs the pass. Rights are checked before the first write of a new payload; `check_rights` asks
  // for it also when a known payload continues.
  boost::asio::awaitable<PassResult> Run(bool check_rights);

 private:
  StatusTask Prepare(bool check_rights);
  StatusTask Begin();
  // Follows the removals that no manifest carries out any more. A removal that has ended, or that
  // the server never accepted, is forgotten if no manifest asks for it; otherwise the existing
  // object is kept.
  StatusTask FollowUnasked();
  VoidTask RunGraph();
  VoidTask RunNode(const olm::TaskNode& node);
  Task<TaskReport::Action> RunTask(size_t index);
  // Returns true if the object failed with `lack` for want of a namespace or definition that
  // another node is creating at the same time.
  Task<bool> IsMadeBeside(size_t index, absl::Status lack);
  StatusTask Finish();

  const PassDeps deps_;
  const Release& release_;
  const PayloadOptions options_;
  const PassObserver& observer_;
  PassPlan plan_;
  // Fails with kAborted if another process has changed the record.
  StatusTask MayWrite();

  absl::Duration confirmed_;  // monotonic time of the record's last confirmation
  std::optional<Dependencies> dependencies_;
  std::optional<ObjectApplier> applier_;
  std::optional<ObjectRemover> remover_;
  bool failed_ = false;
  PassResult result_;
};

// Updates the record with the present states of removals that have not ended. Deletes nothing. Goes
// on after an error, and returns the first one at the end.
StatusTask FollowRemovals(const PassDeps& deps, const PassObserver& observer);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_PASS_H_
