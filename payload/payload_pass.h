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
#include "olm/payload/template_fields.h"
#include "payload/dependencies.h"
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
  // Definitions of OLM's are deleted although there are operators, which go with them.
  bool allow_olm_deletes = false;
  // The time in which what an update applies is to become healthy; zero: it is not waited for.
  absl::Duration wait_for_health = absl::Minutes(5);
  std::string release_image;  // for the manifests that name it
  bool force = false;         // an update begins although a precondition refuses it
};

struct PassDeps {
  kube::Client& client;
  kube::RestMapper& mapper;
  Clock& clock;
  RecordStore& record;
};

// What became of one manifest.
struct TaskReport {
  enum class Action { kCreated, kUpdated, kUnchanged, kLeft, kRemoved, kRemoving, kKept, kFailed };
  olm::PayloadIdentity identity;
  std::string where;
  Action action = Action::kUnchanged;
  absl::Status error;
};
std::string_view NameOf(TaskReport::Action action);

// The observer of a pass; its functions may be null.
struct PassObserver {
  std::function<void(olm::PayloadState state, size_t tasks)> begins;
  std::function<void(const TaskReport& report)> done;
  std::function<void(const olm::Removal& removal)> removal;
  // A removal that nothing asks for any more, and that the server never accepted, is forgotten.
  std::function<void(const olm::Removal& removal)> dropped;
  // What was applied is not healthy yet; told when `lack` changes.
  std::function<void(const olm::PayloadIdentity& identity, const std::string& lack)> waits;
};

struct PassResult {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::vector<olm::PayloadFault> faults;  // for which nothing was begun: those of the plan
  // Why nothing was begun, one sentence each: preconditions, missing rights.
  std::vector<std::string> refused;
  std::vector<std::string> warnings;  // what --force went beyond
  std::vector<TaskReport> failed;
  size_t not_begun = 0;    // manifests behind one that failed
  bool completed = false;  // an update or installation has come to its end in this pass
  absl::Status error;      // of the pass itself: the record, discovery, the cluster's choices
};

// The faults for which nothing of a payload is used, whatever the cluster: its own, what no payload
// names, too many deletions, no version.
std::vector<olm::PayloadFault> FaultsOf(const Release& release, const PayloadOptions& options);
// The fields of its manifests' templates, as far as the options say them.
olm::TemplateFields TemplateFieldsOf(const PayloadOptions& options);
// The version that counts; "" where nothing says one.
std::string VersionOf(const Release& release, const PayloadOptions& options);

// What a pass over the payload would be, by reads alone. With faults, what follows them is not
// filled in.
struct PassPlan {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::string version;
  std::string hash;
  bool begins = false;  // the record does not know the payload yet
  std::vector<olm::PayloadManifest> included;
  // Those that the cluster does not take: where, and why.
  std::vector<olm::PayloadFault> left_out;
  std::vector<std::string> notes;  // what was assumed
  // For which nothing is used in this cluster: FaultsOf, manifests that contradict each other,
  // namespaces that kinds need or cannot have, definitions of OLM's that would be deleted under its
  // operators.
  std::vector<olm::PayloadFault> faults;
  std::vector<std::string> preconditions;  // that refuse the update
};
// The order in which its included manifests are worked on.
olm::TaskGraph GraphOf(const PassPlan& plan);
// How its delete manifests are worked on.
ObjectRemoverOptions RemovalOptionsOf(const PassPlan& plan, const PayloadOptions& options);

// REQUIRES: the record is loaded; the references outlive the task.
Task<PassPlan> MakePassPlan(const PassDeps& deps, const Release& release,
                            const PayloadOptions& options);

// Updating: in the order of the graph, several nodes of a stage at a time. A manifest that fails
// ends its node and everything behind it; the rest goes on. Initializing and Reconciling: without
// the order of levels. Every write is idempotent and the record says what was begun, so a process
// that ends in the midst can be followed by another.
class PayloadPass {
 public:
  // REQUIRES: what `deps` refers to, `release` and `observer` outlive this object.
  PayloadPass(const PassDeps& deps, const Release& release, const PayloadOptions& options,
              const PassObserver& observer);

  // Missing rights are found before the first write of a payload that begins; with `check_rights`
  // also where one goes on.
  boost::asio::awaitable<PassResult> Run(bool check_rights);

 private:
  StatusTask Prepare(bool check_rights);
  StatusTask Begin();
  // Looks at the removals that nothing deletes any more: those that have ended, or that the server
  // never accepted, are forgotten where no manifest asks for them, and else what is there is kept.
  StatusTask FollowUnasked();
  VoidTask RunGraph();
  VoidTask RunNode(const olm::TaskNode& node);
  Task<TaskReport::Action> RunTask(size_t index);
  // True where what the object lacks, by the error of its application, is being made beside it.
  Task<bool> IsMadeBeside(size_t index, absl::Status lack);
  StatusTask Finish();

  const PassDeps deps_;
  const Release& release_;
  const PayloadOptions options_;
  const PassObserver& observer_;
  PassPlan plan_;
  // kAborted where another process has begun something.
  StatusTask MayWrite();

  absl::Duration confirmed_;  // when the record was last this process's own, by the clock
  std::optional<Dependencies> dependencies_;
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
