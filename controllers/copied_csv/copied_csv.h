// The reconciler "copied-csvs", which makes OLM's copies of ClusterServiceVersions in clusters
// where OLM does not. Lives on one executor.
#ifndef CONTROLLERS_COPIED_CSV_COPIED_CSV_H_
#define CONTROLLERS_COPIED_CSV_COPIED_CSV_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/copied_csv/copied_csv_metrics.h"
#include "controllers/copied_csv/copy_retries.h"
#include "controllers/copied_csv/copy_writer.h"
#include "controllers/copies/copy_state.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/runtime/compact_index.h"
#include "controllers/runtime/parallel_writer.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/touched_operators.h"

namespace steward::controllers {

// A slot is a name in a namespace; olm/copy/slot.h decides its content. A key is a name and means
// all slots of that name in all namespaces, because originals of one name compete for them.
// Originals, OperatorGroups and Namespaces come from the World, and a CompactIndex knows which
// copies exist with which content, so nothing is requested while everything is right. Only marked
// slots are looked at: slots that changed, and all slots of a name at the start and when an
// original or its group changed.
//
//   World, index ──► marks of slots ──► what shall be there, by the World
//                                         ├─► it is there, by the index ──► nothing
//                                         └─► it is not ──► read live, write or delete ──► marks
//
// A copy is overwritten or deleted only after it was read live and passed MayOverwrite or
// IsProvenCopy. It is deleted only if live reads prove that its original does not want it
// (SourceProofs). Each write has the resourceVersion that was read. Troubles of a slot are reported
// by Events about the original and by metrics. Each slot has its own backoff (CopyRetries).
//
// Memory is O(originals + namespaces), the index, and the marks of slots that wait.
class CopiedCsvReconciler : public Reconciler, public CopiesSource {
 public:
  struct Options {
    ParallelWriterOptions writer;
    CopyToggleDefaults toggle;
  };

  // REQUIRES: the references in `deps`, `metrics` and `copy_state` outlive this object. While this
  // object lives, it is the source of `copy_state`.
  CopiedCsvReconciler(const ReconcilerDeps& deps, CopiedCsvMetrics& metrics, CopyState& copy_state,
                      const Options& options);
  ~CopiedCsvReconciler() override;

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

  bool Knows() const override;
  const olm::CopyPolicy& Policy() const override { return toggle_.policy(); }
  std::vector<std::string> Names() const override;
  olm::CopyCounts Count(const std::string& name) const override;

 private:
  // The knowledge of one name.
  struct Name {
    // Slots to look at.
    bool all = false;
    std::set<std::string> slots;
    CopyRetries troubles;
    CopiedCsvMetrics::Counts told = {};
    // By the namespace of an original: the content of all its copies after all slots were looked
    // at. A copy that differs from it later was changed by somebody.
    std::map<std::string, ContentDigest> settled;
    // By the original's namespace: the original as last seen, and the digest of its copies.
    std::map<std::string, std::pair<olm::CsvPtr, ContentDigest>> digests;
    // Pairs of UIDs: an original about which an Event said that another one is copied instead, and
    // that other one.
    std::set<std::pair<std::string, std::string>> refused;
  };
  struct Pass;
  struct Action;

  void NoteWorld(const storage::World& world, const storage::TouchedOperators* touched);
  void NotePolicy();
  void NoteName(const storage::OperatorWorld& world, const kube::NamespacedName& csv);
  void NoteCopy(const kube::NamespacedName& copy);
  void MarkAll(const std::string& name);
  void MarkSlot(const std::string& name, const std::string& ns,
                absl::Duration wait = absl::ZeroDuration());

  // The originals of a name with their groups, from the World.
  std::vector<olm::Original> OriginalsOf(const storage::OperatorWorld& world,
                                         const std::string& name) const;
  void Plan(Pass& pass, Name& name);
  void PlanSlot(Pass& pass, Name& name, const olm::NamespacePtr& ns);
  ContentDigest DigestFor(Name& name, const olm::CsvPtr& original);
  // RunAll carries out the actions of `pass`; an error is the reason why the rest was not done.
  // RunListed carries out those for existing copies, if there are many, by listing instead of
  // reading them.
  StatusTask RunAll(Pass& pass);
  StatusTask RunListed(Pass& pass);
  StatusTask Run(Pass& pass, std::vector<Action*> actions);
  StatusTask Act(Pass& pass, Action& action, kube::SendCheck may_send);
  void Conclude(Pass& pass, Name& name);
  void ConcludeSlot(Pass& pass, Name& name, const Action& action);
  void NoteTaken(Pass& pass, Name& name, const olm::Slot& slot, const olm::Namespace& ns,
                 const olm::Csv& taker);
  void NoteTrouble(Name& name, const Action& action, Trouble trouble, const std::string& why,
                   const std::string& uid);
  void Tell(const kube::NamespacedName& about, const std::string& uid, Trouble trouble,
            const std::string& message);

  const ReconcilerDeps deps_;
  CopiedCsvMetrics& metrics_;
  CopyState& copy_state_;
  CopyToggle toggle_;
  olm::CopyPolicy planned_by_;  // the policy by which all slots were marked last
  CopyWriter copies_;
  ParallelWriter writer_;
  CompactIndex index_;
  bool listed_ = false;
  std::map<std::string, Name> names_;
  // The namespaces that have an original of a name.
  std::map<std::string, std::set<std::string>> originals_;
  WorkQueue* queue_ = nullptr;  // set by Feed
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_COPIED_CSV_H_
