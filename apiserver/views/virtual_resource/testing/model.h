// A model of a cluster for random schedules: one etcd, and replicas that receive its events late,
// each source separately, in batches and by new lists. Not thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_MODEL_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_MODEL_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "kube/meta/names.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::views {

using storage::ObjectPtr;
using storage::Source;

// The first violation; the schedule ends there.
struct Violation {
  std::string what;
};

// Throws `what` unless the condition holds.
inline void Require(bool condition, const std::string& what) {
  if (!condition) throw Violation{what};
}

// --- etcd

struct EtcdEvent {
  uint64_t revision;
  kube::NamespacedName key;
  ObjectPtr object;  // null = deleted
};

class Etcd;

// Random changes of the objects of one source set.
class Writes {
 public:
  virtual ~Writes() = default;
  // Puts the objects that exist from the start.
  virtual void Begin(Etcd& etcd) = 0;
  // Makes a change that depends on `a`, `b` and `c` alone.
  virtual void Write(Etcd& etcd, unsigned a, unsigned b, unsigned c) = 0;
};

class Etcd {
 public:
  Etcd(const storage::SourceSet& sources, std::unique_ptr<Writes> writes);

  // Makes one random change.
  void Write(unsigned a, unsigned b, unsigned c);
  // Null deletes.
  void Put(Source source, const kube::NamespacedName& key, ObjectPtr object);

  // The object, cast to its type; null where there is none.
  template <typename T>
  std::shared_ptr<const T> Find(Source source, const kube::NamespacedName& key) const {
    const auto& objects = state[static_cast<size_t>(source)];
    const auto found = objects.find(key);
    return found == objects.end() ? nullptr : std::static_pointer_cast<const T>(found->second);
  }

  // Restores a copy of etcd that was made at revision `to`, as if later changes had never happened.
  void Restore(uint64_t to);

  const storage::SourceSet& sources;
  uint64_t revision = 100;
  std::array<std::map<kube::NamespacedName, ObjectPtr>, storage::kMaxSources> state;
  std::array<std::vector<EtcdEvent>, storage::kMaxSources> events;

 private:
  const std::unique_ptr<Writes> writes_;
};

// --- The client's view.

struct Seen {
  std::string uid;
  std::string json;         // without a number
  std::string own_version;  // no part of the content
  bool operator==(const Seen& other) const { return uid == other.uid && json == other.json; }
};
using View = std::map<kube::NamespacedName, Seen>;

Seen SeenOf(const rest::Object& object);

// --- The resource under test.

// `view_of` is the oracle for `projection`, so it must not use it.
struct Subject {
  std::shared_ptr<const Projection> projection;
  std::function<View(const storage::WorldPtr& world, const rest::Selection& selection)> view_of;
  std::function<std::unique_ptr<Writes>()> make_writes;

  const storage::SourceSet& sources() const { return projection->sources(); }
  Etcd MakeEtcd() const { return Etcd(sources(), make_writes()); }
};

// --- A replica.

class Replica {
 public:
  // A replica that has just started, with a list of each source.
  Replica(Etcd& etcd, const Subject& subject);

  void Relist(size_t source);
  // Delivers the next `count` events of a source, or as many as there are.
  void Deliver(size_t source, size_t count);
  void Bookmark(size_t source);
  // Reads from etcd the sources' states at `vector` that this replica does not know.
  void Recall(const storage::StateVector& vector);
  // The state that a list shows.
  storage::WorldSnapshot List();
  storage::WorldSnapshot Now() const { return worlds_.Now(); }
  // The resource that its clients use. Waits for nothing.
  VirtualResource& view() { return view_; }

 private:
  void Publish();

  Etcd& etcd_;
  storage::WorldWriter writer_;
  storage::WorldStore worlds_;
  VirtualResource view_;
  std::array<size_t, storage::kMaxSources> position_ = {};
  absl::Time now_ = absl::UnixEpoch();
  std::string last_;
};

using Replicas = std::array<std::shared_ptr<Replica>, 3>;

// --- Schedules.

enum class Op { kWrite, kDeliver, kRead, kDrop, kBookmark, kRelist, kRestart };
struct Step {
  Op op;
  unsigned a, b, c;
};

// The selection by a namespace ("" = all), labels and fields.
rest::Selection SelectionOf(const std::string& ns, const std::string& labels,
                            const std::string& fields);

// The schedule of `seed`: about `length` steps.
std::vector<Step> RandomSchedule(unsigned seed, size_t length);

// Returns the violation of a schedule, if there is one.
using RunSteps = std::function<std::optional<std::string>(const std::vector<Step>& steps)>;
// Removes steps as long as a violation remains.
std::vector<Step> Shrink(std::vector<Step> steps, const RunSteps& run);

// One line for each step.
std::string Describe(const std::vector<Step>& steps);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_MODEL_H_
