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
  // Returns a cursor over the objects set aside, in their order. It keeps the World alive that they
  // need.
  virtual std::unique_ptr<rest::Cursor> TakeKept() = 0;
};

struct ViewEvent {
  rest::WatchEvent::Type type;
  kube::NamespacedName key;
  // For a deletion, the object's last state or, if that is unknown, a tombstone. Never null; valid
  // as long as the Difference that returned it.
  std::unique_ptr<const rest::Object> object;
  // True: the event may carry the object's own version. It has one, and that is above the own
  // version of the state before, or equal to it if the object is unchanged.
  bool own_version = false;
};

// The events that lead from one World to another, in the order of their keys. They are found one by
// one, so memory does not depend on their number. If an object was replaced by another one with the
// same key but another UID, there is a deletion and then an addition.
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
  storage::Touched touched;  // all objects that may differ; borrows from `after`
  // Keys that the client may hold in any state: they are reported whether they differ or not.
  std::set<kube::NamespacedName> again = {};
};

// The changes that a client inside a burst may lack: those with revisions above `horizon` (which
// may be negative) up to the state `at`. All of them are in the logs of `now`.
struct Window {
  storage::WorldPtr now;
  storage::WorldPtr then;  // the objects at `at`
  storage::StateVector at;
  int64_t horizon = 0;
};

// A pure function of Worlds. Objects come in the order of (namespace, name), and are valid as long
// as the World in which they were found.
class Projection {
 public:
  virtual ~Projection() = default;

  // The source set from which the resource is computed: all Worlds passed here are of this set.
  virtual const storage::SourceSet& sources() const = 0;
  // Null if there is no such object.
  virtual std::unique_ptr<const rest::Object> Find(const storage::WorldPtr& world,
                                                   const kube::NamespacedName& key) const = 0;
  // All selected objects, behind `after` if it is given. Holds the World.
  virtual std::unique_ptr<PageableCursor> List(storage::WorldPtr world, rest::Selection selection,
                                               std::optional<kube::NamespacedName> after) const = 0;
  // The number of objects in the namespace `ns` ("" = all), only those behind `after` if it is
  // given. Costs less than a look at each.
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
