// What an executor knows of a plan's steps before it writes the first: what it does with them, and
// what a preview tries. Lives on one executor.
#ifndef CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_
#define CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_

#include <boost/json/object.hpp>
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
#include "olm/plan/definition_change.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {

struct PreparedPlanDeps {
  kube::Client& own;  // reads alone
  kube::RestMapper& mapper;
  bool optional_manifests = false;  // the gate
  // The plan has no more rights than the service account of its OperatorGroup, so that what is
  // written with the executor's own is held to the namespace (MayChangeDefinition).
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

// The calls are made in the order Sort, ReadManifests, ChooseOptional, CheckDefinition of each
// step; then those that are for a step's own turn, of which several may run at the same time. An
// error of the first four means that nothing is written.
class PreparedPlan {
 public:
  // REQUIRES: what `deps` refers to and `plan` outlive this object.
  PreparedPlan(const PreparedPlanDeps& deps, const olm::InstallPlan& plan);

  // Sorts the steps by kind. An error is the plan's own, and no time mends it.
  absl::Status Sort();
  // Errors name the step, which is then faulty_step(): a manifest that is not there, or whose
  // group, version, kind or name are not what the step says.
  StatusTask ReadManifests();
  // Decides which steps are optional with effect, where the gate is on.
  absl::Status ChooseOptional();
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

  // Whether a ClusterServiceVersion may be written: none is there that is being deleted or a copy,
  // and, as a dependency, it brings nothing that another operator of the namespace owns.
  StatusTask MayPutCsv(size_t index) const;
  // The account of a token, of a Secret that is one.
  std::optional<std::string> TokenAccount(size_t index) const;
  // kNotFound where the account of a token is not there: the cluster would delete the token.
  StatusTask HasAccount(size_t index) const;
  // The object of the step, and where it is to be. kNotFound: its API, or the ClusterServiceVersion
  // that owns it, is not there.
  Task<StepTarget> TargetOf(size_t index);
  // Says which UID a ClusterServiceVersion got, which is then not read.
  void NoteCsv(const std::string& name, std::string uid) { uids_[name] = std::move(uid); }
  // The warnings of CheckDefinition, once.
  std::vector<std::string> TakeChanges(size_t index);

 private:
  absl::Status Fault(size_t index, const absl::Status& why);
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
  // The resourceVersions of the definitions that were checked, by step; "" where there was none.
  std::map<size_t, std::string> checked_;
  // The definitions that say what the plan wants, but are not the plan's to write.
  std::set<size_t> untouched_;
  // Warnings to be told once a definition is updated, by step.
  std::map<size_t, std::vector<std::string>> changes_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PREPARED_PLAN_H_
