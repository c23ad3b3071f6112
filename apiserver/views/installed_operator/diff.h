// What changed for a client between two Worlds: the one source of watch events (R-PRJ-06).
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_

#include <deque>
#include <optional>
#include <set>
#include <string>

#include "apiserver/rest/resource.h"
#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "kube/meta/names.h"
#include "storage/world/touched.h"
#include "storage/world/world.h"

namespace steward::views {

// What a client sees of an appearance is the same. Borrows nothing.
bool SameObject(const Appearance& a, const Appearance& b);

// Only what was touched is looked at, and shows.
class DiffCursor : public Difference {
 public:
  DiffCursor(Span span, rest::Selection selection);

  std::optional<ViewEvent> Next() override;
  bool done() const override { return done_; }

 private:
  using NamespaceIterator = storage::OrderedMap<std::string, olm::NamespacePtr>::Iterator;

  void DropUnseen();
  void AddModeChanges();
  void AddTargets(const storage::World& world, const std::string& install);
  std::optional<std::string> NextNamespace();
  void AddNames(const std::string& ns);
  void AddNamesOf(const storage::World& world, const std::string& install);
  void Compare(const kube::NamespacedName& key);
  std::optional<Appearance> Find(const storage::World& world,
                                 const kube::NamespacedName& key) const;

  const storage::WorldPtr before_;
  const storage::WorldPtr after_;
  storage::Touched touched_;
  const rest::Selection selection_;
  const std::set<kube::NamespacedName> again_;

  // Namespaces to look at: these and, if `all_`, all of both Worlds.
  std::set<std::string> some_;
  bool all_ = false;
  NamespaceIterator in_before_, in_after_;

  std::string ns_;
  std::set<std::string> names_;  // still to be looked at in ns_
  std::deque<ViewEvent> events_;
  bool done_ = false;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_
