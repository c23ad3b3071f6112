// The reconciler "install-plans" executes approved InstallPlans in clusters without OLM's
// catalog-operator. Lives on one executor.
#ifndef CONTROLLERS_INSTALL_PLAN_PLAN_EXECUTOR_H_
#define CONTROLLERS_INSTALL_PLAN_PLAN_EXECUTOR_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "controllers/install_plan/install_plan_metrics.h"
#include "controllers/install_plan/plan_pass.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {

// Each key is a plan. No state is kept in memory: the plan's status says how far it is, and each
// write is idempotent, so another process continues where one ended. States and words are those of
// OLM's executor.
//
//   no steps ─► nothing            not approved ─► RequiresApproval
//   no single OperatorGroup, or its service account is missing ─► Installing, without a timeout:
//                      waits for a change of the namespace's OperatorGroups, or for some time
//   nothing is written yet, and a step would be refused (Rehearse) ─► an error, as below
//   else a PlanPass ─► Complete, or Installing: waits for an API, or tries again after an error
//                      ─► Failed, once an error lasts beyond the retry timeout since the first try;
//                         Forbidden never ends a plan, as rights may be granted later; an
//                         invalid plan ends at once
//   Failed, and the approval is withdrawn ─► RequiresApproval; starts anew once it is approved
//
// Complete and Failed plans cost no request, since their phase is read from the watch. The changes
// that a plan without an OperatorGroup waits for come from a watch, too.
class PlanExecutor : public Reconciler {
 public:
  // REQUIRES: the references in `deps` and `metrics` outlive this object.
  PlanExecutor(const ReconcilerDeps& deps, InstallPlanMetrics& metrics,
               const InstallPlanFlags& flags);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  Task<ReconcileResult> Execute(olm::InstallPlan plan, boost::json::value object);
  StatusTask RequireApproval(const olm::InstallPlan& plan, boost::json::value object);
  StatusTask Refuse(Key key, const absl::Status& why, boost::json::value object);
  StatusTask Write(const olm::InstallPlan& plan, const olm::PlanProgress& progress,
                   boost::json::value object);
  olm::PlanProgress Conclude(const olm::InstallPlan& plan, const PlanPassResult& pass) const;
  void Tell(const olm::InstallPlan& plan, const PlanPassResult& pass);
  void TellFailure(const ObjectReference& about, const std::string& error);
  void Wait(const kube::NamespacedName& plan) { waiting_[plan.ns].insert(plan.name); }
  void WaitNoMore(const kube::NamespacedName& plan);

  const ReconcilerDeps deps_;
  InstallPlanMetrics& metrics_;
  const InstallPlanFlags flags_;
  kube::RestMapper mapper_;
  std::unique_ptr<MetadataWatch> groups_;
  // The plans that wait for their namespace's OperatorGroup, by namespace.
  std::map<std::string, std::set<std::string>> waiting_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PLAN_EXECUTOR_H_
