// What changed for a client between two Worlds: the one source of watch events (R-PRJ-06).
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_

#include <deque>
#include <optional>
#include <set>
#include <string>

#include "apiserver/rest/resource.h"
#include "apiserver/rest/watcher.h"
#include "apiserver/views/installed_operator/projection.h"
#include "kube/meta/names.h"
#include "storage/world/touched.h"
#include "storage/world/world.h"

namespace steward::views {

// What a client sees of an appearance is the same. Borrows nothing.
bool SameObject(const Appearance& a, const Appearance& b);

struct DiffEvent {
  rest::WatchEvent::Type type;
  kube::NamespacedName key;
  // Of a deletion the last state; nullopt for one that is told in case the client has the object.
  std::optional<Appearance> seen;
};

// Events in the order of their keys, found one by one: memory does not depend on their number, and
// only what was touched is looked at. An object that was replaced by one with another UID is
// deleted, then added.
class DiffCursor {
 public:
  // `touched`: everything that may differ between the two. `again`: keys of which the client may
  // have any state, which are told whatever they are.
  DiffCursor(storage::WorldPtr before, storage::WorldPtr after, storage::Touched touched,
             rest::Selection selection, std::set<kube::NamespacedName> again = {});

  // The next event; nullopt at a pause or, when done(), at the end. A pause comes after some
  // hundred looks without an event.
  std::optional<DiffEvent> Next();
  bool done() const { return done_; }

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
  std::deque<DiffEvent> events_;
  bool done_ = false;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_DIFF_H_
