// Writes the labels that make objects components of Operators. Lives on one executor.
#ifndef CONTROLLERS_OPERATOR_ADOPTION_H_
#define CONTROLLERS_OPERATOR_ADOPTION_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/operator/component_index.h"
#include "controllers/operator/operator_metrics.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/names.h"
#include "olm/objects.h"

namespace steward::controllers {

// Labels as OLM does (its adoption A and B). Labels ClusterServiceVersions that no Subscription
// installs, too. Remembers nothing: if a write fails, the next pass finds the difference again. A
// component that cannot be written does not keep others from being written; its error is the
// result.
class Adoption {
 public:
  // REQUIRES: the references outlive this object.
  Adoption(const ReconcilerDeps& deps, ComponentIndex& index, OperatorMetrics& metrics)
      : deps_(deps), index_(index), metrics_(metrics) {}

  // A: each Subscription of the namespace and the InstallPlan that it refers to bear the label of
  // its Operator; other InstallPlans there lose it.
  StatusTask AdoptInNamespace(std::string ns);
  // B: the ClusterServiceVersion bears the label of its Operator, and so does everything that it
  // owns. A copy loses its component labels.
  StatusTask AdoptOf(kube::NamespacedName csv);

 private:
  // By the Operator's name: true to set its label, false to remove it.
  using Changes = std::map<std::string, bool>;
  // Writes those `changes` that differ from the index.
  StatusTask Relabel(ComponentId id, Changes changes);

  // The Operators of the Subscriptions that install `csv`. If none does: its own Operator if `csv`
  // has no component label yet, else the Operators of its labels (R-004-14).
  std::set<std::string> OperatorsOf(const kube::NamespacedName& csv, const olm::Component& labels);
  // The Operator that was generated for `csv` before a Subscription installed it, if nothing else
  // needs that Operator; "" = none.
  std::string Outgrown(const kube::NamespacedName& csv, const std::set<std::string>& wanted,
                       const olm::Component& labels) const;
  StatusTask Withdraw(std::string operator_name, ComponentId last);
  std::set<ComponentId> OwnedBy(const olm::Csv& csv) const;

  const ReconcilerDeps deps_;
  ComponentIndex& index_;
  OperatorMetrics& metrics_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_ADOPTION_H_
