// What an executor knows of a plan's steps before it writes the first: what it does with them, and
// what a preview tries. Lives on one executor.
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
  // The executor's own identity: reads, definitions.
  kube::Client& own;
  // The identity of every other write: the OperatorGroup's service account where it names one.
  kube::Client& steps;
  kube::RestMapper& mapper;
  bool optional_manifests = false;  // the gate
  // `steps` is a service account: the plan has no more rights than that, so that what is written
  // with the executor's own is held to the namespace (MayChangeDefinition).
  bool scoped = false;
};

struct PreparedStep {
  olm::StepKind kind = olm::StepKind::kUnsupported;
  bool pending = false;
  bool optional = false;  // effective
  // Steps that are pending have a manifest, and some others.
  boost::json::object manifest;
  std::string properties;
};

// The way of each step of a plan to its write: of an execution, and with clients that write nothing
// (kube/dry_run) of a preview. The calls are made in the order Prepare, CheckDefinition of each
// step; then those that are for a step's own turn, of which several may run at the same time. An
// error of the first two means that nothing is written.
class PreparedPlan {
 public:
  // REQUIRES: what `deps` refers to and `plan` outlive this object.
  PreparedPlan(const PreparedPlanDeps& deps, const olm::InstallPlan& plan);

  // Sorts the steps by kind, reads their manifests, and decides which are optional with effect.
  // Errors name a step; kInvalidArgument: the plan's own, which no time mends. A manifest that is
  // not there, or whose group, version, kind or name are not what its step says, is that of
  // faulty_step().
  StatusTask Prepare();
  // Compares a definition that is pending with the one that is there, and with its objects; OK for
  // any other step. Errors do not name the step; kFailedPrecondition: it may not be made so, or not
  // be replaced, by this plan or by any.
  StatusTask CheckDefinition(size_t index);

  const std::vector<PreparedStep>& steps() const { return steps_; }
  std::optional<size_t> faulty_step() const { return faulty_step_; }
  // The steps in the order of their execution (ExecutionOrder).
  std::vector<size_t> Order() const;
  // True if a definition of this plan serves the kind: it is waited for, and never absent.
  bool IsSupplied(const kube::GroupVersionKind& gvk) const;
  // One sentence that says so of the kind.
  std::string NotServed(const kube::GroupVersionKind& gvk) const;
  // `why`, with the name of the step before it.
  absl::Status InStep(size_t index, const absl::Status& why) const;

  // The definition that this plan has created already, and whose API it waits for; null: it does
  // not wait, or somebody has deleted the definition, so that it is made again.
  Task<boost::json::value> WaitedFor(size_t index) const;
  // Writes the step's object, once nothing stands against it. Errors: something does, and nothing
  // was written: a read that failed, or a rule of the executor. Where discovery lacks the API of an
  // optional step, the outcome is kNotCreated; a 404 of the path is believed where discovery
  // answers, whatever it says (R-002-29).
  Task<StepOutcome> Write(size_t index, kube::WarningSink on_warning);
  // Says which UID a ClusterServiceVersion got, which is then not read.
  void NoteCsv(const std::string& name, std::string uid) { uids_[name] = std::move(uid); }
  // Says that a ServiceAccount will be there, which is then not read.
  void NoteAccount(std::string name) { accounts_.insert(std::move(name)); }
  // The warnings of CheckDefinition, once.
  std::vector<std::string> TakeChanges(size_t index);

 private:
  absl::Status Sort();
  StatusTask ReadManifests();
  absl::Status ChooseOptional();
  absl::Status Fault(size_t index, const absl::Status& why);
  // Whether a ClusterServiceVersion may be written: none is there that is being deleted or a copy,
  // and, as a dependency, it brings nothing that another operator of the namespace owns.
  StatusTask MayPutCsv(size_t index) const;
  // kNotFound where the account of a token is not there: the cluster would delete the token.
  StatusTask HasAccount(size_t index) const;
  // The object of the step, and where it is to be. kNotFound: its API, or the ClusterServiceVersion
  // that owns it, is not there.
  Task<StepTarget> TargetOf(size_t index);
  StatusTask IsNotInTheWay(size_t index) const;
  StatusTask IsNoRival(size_t index) const;
  Task<std::string> UidOf(std::string csv);

  const PreparedPlanDeps deps_;
  const olm::InstallPlan& plan_;
  ManifestSource manifests_;
  std::vector<PreparedStep> steps_;
  std::optional<size_t> faulty_step_;
  std::vector<olm::Definition> definitions_;  // that the plan brings
  std::map<std::string, std::string> uids_;   // of ClusterServiceVersions, by name
  std::set<std::string> accounts_;            // that will be there
  // The resourceVersions of the definitions that were checked, by step; "" where there was none.
  std::map<size_t, std::string> checked_;
  // The definitions that say what the plan wants, but are not the plan's to write.
  std::set<size_t> untouched_;
  // Warnings to be told once a definition is updated, by step.
  std::map<size_t, std::vector<std::string>> changes_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_
