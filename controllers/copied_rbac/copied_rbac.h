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

// A key's name is a namespace with originals. One pass handles all of their copies:
//
//   World, watches ──► namespace ──► RbacSnapshot, read live
//       wanted by a pair in a target namespace ──► written where it differs
//       a copy that no pair wants there ─────────► deleted
//       an object in the way that is no copy ────► left alone; Event, metric
//
// The targets are those of the only OperatorGroup, if it lists or selects namespaces (R-004-16,
// 19). If there are several groups, or one for all namespaces, existing copies stay as they are.
// With a group for all namespaces, the pairs are also lifted into the cluster (PlanLifted).
//
// A Role gets no rules while a RoleBinding to it names other subjects than the wanted ones, because
// these would get the rights, too:
//
//   Role ──► locked: Kubernetes lets nobody bind it ──► who is bound? ──► nobody else: given
//                                                                    └──► somebody: stays locked
//
// The Role gets its rules only if it has not changed since it was locked, so it does not matter
// when this process dies.
//
// Without a complete snapshot nothing is written. Deletions need a snapshot of the last seconds,
// and come first. But if another operator replaces a deleted one in the same namespace, the
// deletions wait for the new copies, so that an upgrade takes away no access. They wait less than a
// minute, because access must end within a minute of its reason. The begin of the wait is noted on
// one of the copies in each namespace, so that the next leader knows it. All copies from namespaces
// without operators share one key, because everybody can write such a label.
//
// A server may learn late that a Role was locked, and let somebody bind it meanwhile. So all
// RoleBindings are checked again twice a minute (key "looks"). A Role that is bound to somebody
// else is then emptied and locked again.
//
// If something changes an object on its way into the cluster (a webhook), its Role gets no rules,
// an Event is recorded once, and the write is tried again at growing intervals.
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
  struct LockedPuts;

  // `source` is a namespace that has operators, or had some.
  void Add(const std::string& source, absl::Duration wait = absl::ZeroDuration());
  // `source` is the value of a copy's label, which anybody may have written.
  void AddLabelled(const std::string& source);
  void AddAll();
  void OpenWatches();
  void NoteWorld(const storage::World& world, const storage::TouchedOperators* touched);
  void NoteCopiedCsv(const kube::NamespacedName& copy);
  void NoteComponents(const Pass& pass);

  Task<ReconcileResult> ReconcileOrphans();
  // Finds copied Roles that are bound to somebody else.
  Task<ReconcileResult> LookAtBindings();
  // Finds the copies that need no write.
  StatusTask FindRight(Pass& pass);
  bool IsTarget(const Pass& pass, const std::string& ns) const;
  void Plan(Pass& pass);
  void PlanNamespace(Pass& pass, const olm::Namespace& ns);
  StatusTask PlanRemovals(Pass& pass);
  // Deletes the copies outside of the targets at once, because they need not wait for other copies.
  StatusTask RemoveOutside(Pass& pass);
  void HoldReplaced(Pass& pass);
  // True if another copy may still come into `ns`, because not everything could be read.
  bool MayAwait(const Pass& pass, const std::string& ns) const;
  // Notes on waiting copies since when they wait.
  StatusTask NoteWaits(Pass& pass);
  StatusTask NoteWait(Pass& pass, olm::StoredRbac& copy, absl::Duration since,
                      kube::SendCheck may_send);
  void ReleaseReplaced(Pass& pass);
  StatusTask Write(Pass& pass);
  // Deletes pass.removals.
  StatusTask Remove(Pass& pass);
  StatusTask RemoveOne(Pass& pass, const olm::StoredRbac& copy, kube::SendCheck may_send);
  // Writes pass.puts in batches, each locked before the one before it is given.
  StatusTask PutAll(Pass& pass);
  StatusTask LockSome(Pass& pass, size_t first, LockedPuts& locked);
  // Waits until servers know the locks, and gives rules to the Roles to which nobody else is bound.
  StatusTask GiveSome(Pass& pass, LockedPuts locked);
  StatusTask PrepareOne(Pass& pass, Put& put, kube::SendCheck may_send);
  StatusTask GiveOne(Pass& pass, Put& put, kube::SendCheck may_send);
  // Empties Roles to which somebody else has been bound.
  StatusTask TakeBack(Pass& pass);
  StatusTask TakeBackOne(Pass& pass, Put& put, kube::SendCheck may_send);
  // Brings the lifted objects into the state that they shall have.
  StatusTask Lift(Pass& pass);
  StatusTask LiftAll(Pass& pass, std::vector<LiftedWrite> writes);
  StatusTask LiftSome(Pass& pass, std::vector<LiftedWrite> writes);
  StatusTask LiftOne(Pass& pass, const LiftedWrite& write, kube::SendCheck may_send);
  absl::Status Conclude(Pass& pass);
  ReconcileResult Next(const Pass& pass) const;
  // True while an object that resists (Resistance) must not be written again yet.
  bool Resists(Pass& pass, const kube::NamespacedName& object) const;
  // Notes that the object resists. Returns true when users are to be told.
  bool NoteResistance(Pass& pass, const kube::NamespacedName& object);
  void TellTooLarge(Pass& pass);
  void Tell(Pass& pass, const kube::NamespacedName& csv, std::string_view reason,
            const std::string& message);
  // Returns the check for each write: this process is leader, and the snapshot is not older than
  // `good_for`.
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
  // By the name of an Operator: the namespaces with originals that are its components.
  std::map<std::string, std::set<std::string>> components_;
  // By the originals' namespace: the copied Roles that the last pass could not write. The next pass
  // writes them last.
  std::map<std::string, std::set<kube::NamespacedName>> failed_;
  // By the originals' namespace, then by the copies' own: when copies that are to be deleted began
  // to wait for other copies (monotonic).
  std::map<std::string, std::map<std::string, absl::Duration>> held_since_;
  Resistance resistance_{deps_.clock};
  // By namespace: the originals about which an Event said that they are too large.
  std::map<std::string, std::set<std::string>> told_too_large_;
  // The Roles to which somebody else may be bound.
  BoundRoles bound_;
  WorkQueue* queue_ = nullptr;  // set by Feed
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_COPIED_RBAC_H_
