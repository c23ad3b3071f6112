// The interface between the code that serves a virtual resource and the code that computes its
// objects. A Projection is thread-safe; cursors and differences are not.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_PROJECTION_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_PROJECTION_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "storage/world/source_set.h"
#include "storage/world/touched.h"
#include "storage/world/world.h"

namespace steward::views {

// A list from which a page can be taken.
class PageableCursor : public rest::Cursor {
 public:
  // Sets aside the last result of Next, for TakeKept.
  virtual void Keep() = 0;
  // The objects set aside, in their order. Holds what they need.
  virtual std::unique_ptr<rest::Cursor> TakeKept() = 0;
};

struct ViewEvent {
  rest::WatchEvent::Type type;
  kube::NamespacedName key;
  // For a deletion the last state, or, where none is known, a tombstone. Never null; valid as long
  // as the Difference that returned it.
  std::unique_ptr<const rest::Object> object;
  // The object has a version of its own, and it is above that of the state before, or equal to it
  // where the object is.
  bool own_version = false;
};

// Events that lead from one World to another, in the order of their keys, found one by one: memory
// does not depend on their number. An object that was replaced by one with another UID is deleted,
// then added.
class Difference {
 public:
  virtual ~Difference() = default;
  // The next event; nullopt at a pause or, when done(), at the end. A pause comes after some
  // hundred looks without an event.
  virtual std::optional<ViewEvent> Next() = 0;
  virtual bool done() const = 0;
};

// Two Worlds, and the keys that a difference between them has to consider.
struct Span {
  storage::WorldPtr before;
  storage::WorldPtr after;
  storage::Touched touched;  // everything that may differ between the two; borrows from `after`
  // Keys of which the client may have any state: reported in any case.
  std::set<kube::NamespacedName> again = {};
};

// The changes that a client inside a burst may lack: those above `horizon` (which may be negative)
// up to the state `at`, all of them in the logs of `now`.
struct Window {
  storage::WorldPtr now;
  storage::WorldPtr then;  // the objects at `at`
  storage::StateVector at;
  int64_t horizon = 0;
};

// A pure function of Worlds. Objects are in the order of (namespace, name), and valid as long as
// the World that they were found in.
class Projection {
 public:
  virtual ~Projection() = default;

  // The set that the resource is computed from: all Worlds here are of it.
  virtual const storage::SourceSet& sources() const = 0;
  // Null when there is none.
  virtual std::unique_ptr<const rest::Object> Find(const storage::WorldPtr& world,
                                                   const kube::NamespacedName& key) const = 0;
  // All selected objects, behind `after` if it is given. Holds the World.
  virtual std::unique_ptr<PageableCursor> List(storage::WorldPtr world, rest::Selection selection,
                                               std::optional<kube::NamespacedName> after) const = 0;
  // The number of such objects in the namespace `ns` ("" = all). Costs less than a look at each.
  virtual Task<int64_t> Count(storage::WorldPtr world, std::string ns,
                              std::optional<kube::NamespacedName> after) const = 0;
  virtual std::unique_ptr<Difference> Compare(Span span, rest::Selection selection) const = 0;
  // Keys the client may hold in an outdated state, because an input changed within the window.
  // nullopt: too many, so that a new list costs less. Gives other work its turns. `selection`
  // outlives the task.
  virtual boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window window, const rest::Selection& selection) const = 0;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_PROJECTION_H_
