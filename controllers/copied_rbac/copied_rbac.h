// The reconciler "copied-rbac", which copies Roles and RoleBindings of operators into the
// namespaces that they work in. Lives on one executor.
#ifndef CONTROLLERS_COPIED_RBAC_COPIED_RBAC_H_
#define CONTROLLERS_COPIED_RBAC_COPIED_RBAC_H_

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/copied_rbac/copied_rbac_metrics.h"
#include "controllers/copied_rbac/lifted_rbac.h"
#include "controllers/copied_rbac/rbac_snapshot.h"
#include "controllers/copied_rbac/rbac_watch.h"
#include "controllers/copied_rbac/rbac_writer.h"
#include "controllers/copied_rbac/resistance.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/parallel_writer.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/touched_operators.h"
#include "storage/world/world.h"

namespace steward::controllers {

// A key is a namespace with originals, as its name; a pass handles all of their copies:
//
//   World, watches ──► namespace ──► RbacSnapshot, read live
//       wanted by a pair in a target namespace ──► written where it differs
//       a copy that no pair wants there ─────────► deleted
//       an object in the way that is no copy ────► left alone; Event, metric
//
// Targets are those of the one OperatorGroup that lists or selects namespaces (R-004-16, 19). Where
// there are several groups, or one for all namespaces, copies that are there stay as they are; in
// the latter case the pairs are lifted into the cluster (PlanLifted).
//
// A Role is given nothing while a RoleBinding to it names anybody but the wanted subjects, who
// would have it, too:
//
//   Role ──► locked: Kubernetes lets nobody bind it ──► who is bound? ──► nobody else: given
//                                                                    └──► somebody: stays locked
//
// The Role is given what it shall grant only if it is still as it was locked, so it does not matter
// where this process ends.
//
// Deletions need a snapshot of the last seconds; without a complete one nothing is written at all.
// They come first, except those of an operator that another one follows in the same namespace:
// these wait for the new copies, so that an upgrade takes away no access, but not for long: access
// ends within a minute of its reason. The begin of the wait is noted on one of them in each
// namespace, so that it holds for whoever leads next. Copies from namespaces without operators have
// one key together: everybody can write such a label.
//
// A server may learn late that a Role was locked, and let somebody bind it meanwhile; so all
// RoleBindings are looked at again, twice a minute (key "looks"). A Role that is bound to somebody
// else is then locked again and grants nothing.
//
// If something changes objects on their way into the cluster, nothing is given, people are told
// once, and the object is tried again ever more rarely.
class CopiedRbacReconciler : public Reconciler {
 public:
  // REQUIRES: the references in `deps`, and `metrics`, outlive this object.
  CopiedRbacReconciler(const ReconcilerDeps& deps, CopiedRbacMetrics& metrics,
                       ParallelWriterOptions options = {});
  ~CopiedRbacReconciler() override;

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  struct Pass;
  struct Put;

  // `source` is a namespace that has operators, or had some.
  void Add(const std::string& source, absl::Duration wait = absl::ZeroDuration());
  // `source` is what somebody wrote into a label.
  void AddLabelled(const std::string& source);
  void AddAll();
  void OpenWatches();
  void NoteWorld(const storage::World& world, const storage::TouchedOperators* touched);
  void NoteCopiedCsv(const kube::NamespacedName& copy);
  void NoteComponents(const Pass& pass);

  Task<ReconcileResult> ReconcileOrphans();
  // Looks who else is bound to copied Roles.
  Task<ReconcileResult> LookAtBindings();
  // Reads which copies are right.
  StatusTask FindRight(Pass& pass);
  bool IsTarget(const Pass& pass, const std::string& ns) const;
  void Plan(Pass& pass);
  void PlanNamespace(Pass& pass, const olm::Namespace& ns);
  StatusTask PlanRemovals(Pass& pass);
  // Deletes what lies in no target, which waits for nothing.
  StatusTask RemoveOutside(Pass& pass);
  void HoldReplaced(Pass& pass);
  // True where another copy may be to come, as not everything could be read.
  bool MayAwait(const Pass& pass, const std::string& ns) const;
  // Notes on copies that wait since when they do.
  StatusTask NoteWaits(Pass& pass);
  StatusTask NoteWait(Pass& pass, olm::StoredRbac& copy, absl::Duration since,
                      kube::SendCheck may_send);
  void ReleaseReplaced(Pass& pass);
  StatusTask Write(Pass& pass);
  // Deletes pass.removals.
  StatusTask Remove(Pass& pass);
  StatusTask RemoveOne(Pass& pass, const olm::StoredRbac& copy, kube::SendCheck may_send);
  StatusTask PutSome(Pass& pass, size_t first, size_t count);
  StatusTask PrepareOne(Pass& pass, Put& put, kube::SendCheck may_send);
  StatusTask GiveOne(Pass& pass, Put& put, kube::SendCheck may_send);
  // Takes back what somebody else has been bound to.
  StatusTask TakeBack(Pass& pass);
  StatusTask TakeBackOne(Pass& pass, Put& put, kube::SendCheck may_send);
  // Brings what is lifted into the state that it shall have.
  StatusTask Lift(Pass& pass);
  StatusTask LiftAll(Pass& pass, std::vector<LiftedWrite> writes);
  StatusTask LiftSome(Pass& pass, std::vector<LiftedWrite> writes);
  StatusTask LiftOne(Pass& pass, const LiftedWrite& write, kube::SendCheck may_send);
  absl::Status Conclude(Pass& pass);
  ReconcileResult Next(const Pass& pass) const;
  // True while an object that does not stay as it was written is not to be written again.
  bool Resists(Pass& pass, const kube::NamespacedName& object) const;
  // Notes that it does not. True when people are to be told.
  bool NoteResistance(Pass& pass, const kube::NamespacedName& object);
  void TellTooLarge(Pass& pass);
  void Tell(Pass& pass, const kube::NamespacedName& csv, std::string_view reason,
            const std::string& message);
  // Passed to each write: this process leads, and what the write stands on is recent.
  kube::SendCheck Recent(const Pass& pass, absl::Duration good_for, kube::SendCheck may_send) const;

  const ReconcilerDeps deps_;
  CopiedRbacMetrics& metrics_;
  RbacWriter copies_;
  ParallelWriter writer_;
  RbacWatch roles_;
  RbacWatch bindings_;
  std::unique_ptr<MetadataWatch> originals_;
  std::unique_ptr<MetadataWatch> copied_csvs_;
  std::unique_ptr<MetadataWatch> operators_;
  // The namespaces with originals that are components of an Operator, by its name.
  std::map<std::string, std::set<std::string>> components_;
  // The copied Roles that the last pass could not write, by the originals' namespace: they come
  // last.
  std::map<std::string, std::set<kube::NamespacedName>> failed_;
  // When copies that are to be deleted began to wait for others (monotonic), by the originals'
  // namespace and their own.
  std::map<std::string, std::map<std::string, absl::Duration>> held_since_;
  Resistance resistance_{deps_.clock};
  // The originals of which people were told that they are too large, by their namespace.
  std::map<std::string, std::set<std::string>> told_too_large_;
  // The Roles that somebody else may be bound to.
  BoundRoles bound_;
  WorkQueue* queue_ = nullptr;  // set by Feed
};

// The reconciler "copied-rbac" of the family "operators". Conflicts with olm-operator. Adds
// --concurrent-copied-rbac-writes.
KnownReconciler KnownCopiedRbac();

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_COPIED_RBAC_H_
