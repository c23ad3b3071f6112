// Prepares and writes the steps of a plan, for the executor and for previews by dry runs. Lives on
// one executor.
#ifndef CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_
#define CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/install_plan/manifest_source.h"
#include "controllers/install_plan/step_writer.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/plan/definition_change.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {

struct PreparedPlanDeps {
  // The executor's own identity, for reads and definitions.
  kube::Client& own;
  // The identity for all other writes: the OperatorGroup's service account if it names one.
  kube::Client& steps;
  kube::RestMapper& mapper;
  bool optional_manifests = false;  // the feature gate
  // True if `steps` is a service account. The plan must not get more rights than that account, so
  // definitions, which the executor writes as itself, are limited to those of the namespace
  // (MayChangeDefinition).
  bool scoped = false;
};

struct PreparedStep {
  olm::StepKind kind = olm::StepKind::kUnsupported;
  bool pending = false;
  bool optional = false;  // effectively, not just declared so
  // Set for pending steps and for some others.
  boost::json::object manifest;
  std::string properties;
};

// Takes each step of a plan to its write. An execution uses it with real clients, a preview with
// dry-run clients (kube/dry_run), which write nothing. REQUIRES: Prepare is called first, then
// CheckDefinition for each step, then the other calls for each step; several of the latter may run
// at the same time. If Prepare or CheckDefinition fails, nothing must be written.
class PreparedPlan {
 public:
  // REQUIRES: what `deps` refers to and `plan` outlive this object.
  PreparedPlan(const PreparedPlanDeps& deps, const olm::InstallPlan& plan);

  // Sorts the steps by kind, reads their manifests, and decides which are effectively optional.
  // Errors name a step. kInvalidArgument: the error is in the plan itself, so retries do not help.
  // faulty_step() tells the step whose manifest is missing, or differs from the step in group,
  // version, kind or name.
  StatusTask Prepare();
  // Compares a pending definition with the existing one and its objects; OK for any other step.
  // Errors do not name the step. kFailedPrecondition: this plan, or any plan, may not create or
  // replace the definition in this way.
  StatusTask CheckDefinition(size_t index);

  const std::vector<PreparedStep>& steps() const { return steps_; }
  std::optional<size_t> faulty_step() const { return faulty_step_; }
  // Returns the steps in the order of their execution (ExecutionOrder).
  std::vector<size_t> Order() const;
  // Splits Order() into groups, without the steps that have ended. The steps of a group need
  // nothing of each other and write different objects.
  std::vector<std::vector<size_t>> PendingGroups() const;
  // Returns true if a definition of this plan serves the kind, so that the plan waits for it and
  // never treats it as absent.
  bool IsSupplied(const kube::GroupVersionKind& gvk) const;
  // Returns the sentence that the cluster does not serve the kind.
  std::string NotServed(const kube::GroupVersionKind& gvk) const;
  // Returns `why` with the name of the step in front.
  absl::Status InStep(size_t index, const absl::Status& why) const;

  // Returns the definition that this plan has already created and whose API it waits for. Null: the
  // plan does not wait for it, or somebody has deleted the definition, so it must be created again.
  Task<boost::json::value> WaitedFor(size_t index) const;
  // Checks the rules of the executor and writes the step's object. An error means that nothing was
  // written, because a read failed or a rule forbids it. If discovery lacks the API of an optional
  // step, the outcome is kNotCreated. A 404 of the path counts if discovery answers at all,
  // whatever it lists (R-002-29).
  Task<StepOutcome> Write(size_t index, kube::WarningSink on_warning);
  // Records the UID of a ClusterServiceVersion, so that it need not be read.
  void NoteCsv(const std::string& name, std::string uid) { uids_[name] = std::move(uid); }
  // Records that a ServiceAccount will exist, so that it need not be read.
  void NoteAccount(std::string name) { accounts_.insert(std::move(name)); }
  // Returns the warnings of CheckDefinition and clears them.
  std::vector<std::string> TakeChanges(size_t index);

 private:
  absl::Status Sort();
  StatusTask ReadManifests();
  absl::Status ChooseOptional();
  absl::Status Fault(size_t index, const absl::Status& why);
  // Checks whether a ClusterServiceVersion may be written: no existing one is a copy or is being
  // deleted, and a dependency adds no definition that another operator of the namespace owns.
  StatusTask MayPutCsv(size_t index) const;
  // Fails with kNotFound if a token's account does not exist, because the cluster would delete the
  // token.
  StatusTask HasAccount(size_t index) const;
  // Returns the step's object and its destination. kNotFound: its API, or the ClusterServiceVersion
  // that owns it, does not exist.
  Task<StepTarget> TargetOf(size_t index);
  StatusTask IsNotInTheWay(size_t index) const;
  StatusTask IsNoRival(size_t index) const;
  Task<std::string> UidOf(std::string csv);

  const PreparedPlanDeps deps_;
  const olm::InstallPlan& plan_;
  ManifestSource manifests_;
  std::vector<PreparedStep> steps_;
  std::optional<size_t> faulty_step_;
  std::vector<olm::Definition> definitions_;  // those that the plan adds
  std::map<std::string, std::string> uids_;   // UIDs of ClusterServiceVersions, by name
  std::set<std::string> accounts_;            // accounts that will exist
  // The resourceVersion of each checked definition, by step; "" = there was no definition.
  std::map<size_t, std::string> checked_;
  // Steps whose definition already is as the plan wants it, and which the plan may not write.
  std::set<size_t> untouched_;
  // Warnings to report after a definition was updated, by step.
  std::map<size_t, std::vector<std::string>> changes_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_
