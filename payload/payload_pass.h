// One pass over a payload: everything is brought to the state that it asks for. Lives on one
// executor.
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
#include "payload/object_applier.h"
#include "payload/object_remover.h"
#include "payload/payload_folder.h"
#include "payload/record_store.h"

namespace steward::payload {

// How a payload is used; each flag of the reconciler and of the commands has one.
struct PayloadOptions {
  std::string version;  // wins over the payload's own
  olm::ClusterChoices choices;
  std::string record_namespace = "steward-system";
  bool initial = false;  // an installation
  bool redelete = false;
  std::optional<absl::Duration> wait_for_deletions;
  bool allow_stale_deletes = false;
  bool force = false;  // an update begins although a precondition refuses it
};

struct PassDeps {
  kube::Client& client;
  kube::RestMapper& mapper;
  Clock& clock;
  RecordStore& record;
};

// What became of one manifest.
struct TaskReport {
  enum class Did { kCreated, kUpdated, kUnchanged, kLeft, kRemoved, kRemoving, kKept, kFailed };
  olm::PayloadIdentity identity;
  std::string where;
  Did did = Did::kUnchanged;
  absl::Status error;
};
std::string_view NameOf(TaskReport::Did did);

// The observer of a pass; its functions may be null.
struct PassObserver {
  std::function<void(olm::PayloadState state, size_t tasks)> begins;
  std::function<void(const TaskReport& report)> did;
  std::function<void(const olm::Removal& removal)> removal;
};

struct PassResult {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  // Why nothing was begun, one sentence each: preconditions, missing rights.
  std::vector<std::string> refused;
  std::vector<std::string> warnings;  // what --force went beyond
  std::vector<TaskReport> failed;
  size_t not_begun = 0;    // manifests behind one that failed
  bool completed = false;  // an update or installation has come to its end in this pass
  absl::Status error;      // of the pass itself: the record, discovery, the cluster's choices
};

// The faults for which nothing of a payload is used: its own, what is never deleted, too many
// deletions, no version.
std::vector<olm::PayloadFault> FaultsOf(const Release& release, const PayloadOptions& options);
// The version that counts. REQUIRES: FaultsOf is empty.
std::string VersionOf(const Release& release, const PayloadOptions& options);

// What a pass over the payload would be, by reads alone.
struct PassPlan {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::string version;
  std::string hash;
  bool begins = false;  // the record does not know the payload yet
  std::vector<olm::PayloadManifest> included;
  // Those that the cluster does not take: where, and why.
  std::vector<olm::PayloadFault> left_out;
  std::vector<std::string> preconditions;  // that refuse the update
};
// REQUIRES: FaultsOf is empty; the record is loaded; the references outlive the task.
Task<PassPlan> MakePassPlan(const PassDeps& deps, const Release& release,
                            const PayloadOptions& options);

// Updating: in the order of the graph, several nodes of a stage at a time. A manifest that fails
// ends its node and everything behind it; the rest goes on. Initializing and Reconciling: without
// the order of levels. Every write is idempotent and the record says what was begun, so a process
// that ends in the midst can be followed by another.
class PayloadPass {
 public:
  // REQUIRES: what `deps` refers to, `release` and `observer` outlive this object; FaultsOf is
  // empty.
  PayloadPass(const PassDeps& deps, const Release& release, const PayloadOptions& options,
              const PassObserver& observer);

  // Missing rights are found before the first write of a payload that begins; with `check_rights`
  // also where one goes on.
  boost::asio::awaitable<PassResult> Run(bool check_rights);

 private:
  StatusTask Prepare(bool check_rights);
  StatusTask Begin();
  VoidTask RunGraph();
  VoidTask RunNode(const olm::TaskNode& node);
  Task<TaskReport::Did> RunTask(const olm::PayloadManifest& manifest);
  StatusTask Finish();

  const PassDeps deps_;
  const Release& release_;
  const PayloadOptions options_;
  const PassObserver& observer_;
  PassPlan plan_;
  std::optional<ObjectApplier> applier_;
  std::optional<ObjectRemover> remover_;
  bool failed_ = false;
  PassResult result_;
};

// Takes a further look at the removals that have not ended. Nothing is deleted. Errors: the first
// that could not be looked at, after all others were.
StatusTask FollowRemovals(const PassDeps& deps, const PassObserver& observer);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_PASS_H_
