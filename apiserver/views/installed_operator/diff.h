// The changes that a client sees between two Worlds: the one source of watch events (R-PRJ-06). Not
// thread-safe.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_

#include <deque>
#include <optional>
#include <set>
#include <string>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "kube/meta/names.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/touched_operators.h"
#include "storage/world/ordered_map.h"

namespace steward::views {

// True if clients see the same object in both appearances. Borrows nothing.
bool SameObject(const Appearance& a, const Appearance& b);

// Looks only at InstalledOperators that a touched object can affect, and reports those that visibly
// changed.
class DiffCursor : public Difference {
 public:
  DiffCursor(Span span, rest::Selection selection);

  std::optional<ViewEvent> Next() override;
  bool done() const override { return done_; }

 private:
  using NamespaceIterator = storage::OrderedMap<std::string, olm::NamespacePtr>::Iterator;

  void DropUnseen();
  void AddModeChanges();
  void AddTargets(const storage::OperatorWorld& world, const std::string& install);
  std::optional<std::string> NextNamespace();
  void AddNames(const std::string& ns);
  void AddNamesOf(const storage::OperatorWorld& world, const std::string& install);
  void Compare(const kube::NamespacedName& key);
  std::optional<Appearance> Find(const storage::OperatorWorld& world,
                                 const kube::NamespacedName& key) const;

  const storage::OperatorWorldPtr before_;
  const storage::OperatorWorldPtr after_;
  storage::TouchedOperators touched_;
  const rest::Selection selection_;
  const std::set<kube::NamespacedName> again_;

  // The namespaces still to look at: some_ and, if all_ is true, all namespaces of both Worlds.
  std::set<std::string> some_;
  bool all_ = false;
  NamespaceIterator in_before_, in_after_;

  std::string ns_;
  std::set<std::string> names_;  // not looked at yet in ns_
  std::deque<ViewEvent> events_;
  bool done_ = false;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_
