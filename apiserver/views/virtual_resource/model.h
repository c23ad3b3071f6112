// A model of a cluster for random schedules: one etcd, and replicas that hear of it late,
// separately, in batches and by new lists. Not thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_MODEL_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/selector.h"
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
  // Makes a change that depends on the numbers alone.
  virtual void Write(Etcd& etcd, unsigned a, unsigned b, unsigned c) = 0;
};

class Etcd {
 public:
  Etcd(const storage::SourceSet& sources, std::unique_ptr<Writes> writes)
      : sources(sources), writes_(std::move(writes)) {
    writes_->Begin(*this);
  }

  // Makes one random change.
  void Write(unsigned a, unsigned b, unsigned c) {
    revision += c % 3;  // other resources move the counter too
    writes_->Write(*this, a, b, c);
  }

  void Put(Source source, const kube::NamespacedName& key, ObjectPtr object) {
    auto& objects = state[static_cast<size_t>(source)];
    if (object == nullptr && objects.count(key) == 0) return;
    events[static_cast<size_t>(source)].push_back({++revision, key, object});
    if (object == nullptr) {
      objects.erase(key);
    } else {
      objects[key] = std::move(object);
    }
  }

  // The object, cast to its type; null where there is none.
  template <typename T>
  std::shared_ptr<const T> Find(Source source, const kube::NamespacedName& key) const {
    const auto& objects = state[static_cast<size_t>(source)];
    const auto found = objects.find(key);
    return found == objects.end() ? nullptr : std::static_pointer_cast<const T>(found->second);
  }

  // Restores the copy of everything that was made at `to`: later changes never happened.
  void Restore(uint64_t to) {
    for (size_t s = 0; s < sources.count; ++s) {
      std::erase_if(events[s], [to](const EtcdEvent& event) { return event.revision > to; });
      state[s].clear();
      for (const EtcdEvent& event : events[s]) {
        if (event.object == nullptr) {
          state[s].erase(event.key);
        } else {
          state[s][event.key] = event.object;
        }
      }
    }
    revision = to;
  }

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
  std::string json;  // without a number
  bool operator==(const Seen&) const = default;
};
using View = std::map<kube::NamespacedName, Seen>;

inline Seen SeenOf(const rest::Object& object) {
  Rope json, metadata;
  object.AppendJson("", json);
  object.AppendMetadata("", metadata);
  const std::string text = metadata.Flatten();
  constexpr std::string_view kUid = R"("uid":")";
  const size_t uid = text.rfind(kUid) + kUid.size();
  return {text.substr(uid, text.find('"', uid) - uid), json.Flatten()};
}

// --- The resource under test.

// `view_of` must not use `projection`, as it says what that must yield.
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
  Replica(Etcd& etcd, const Subject& subject)
      : etcd_(etcd),
        writer_(etcd.sources),
        worlds_(etcd.sources),
        view_(worlds_, subject.projection, {}, NoWaiting()) {
    for (size_t s = 0; s < etcd.sources.count; ++s) Relist(s);
  }

  void Relist(size_t s) {
    position_[s] = etcd_.events[s].size();
    std::vector<ObjectPtr> objects;
    for (const auto& [key, object] : etcd_.state[s]) objects.push_back(object);
    writer_.Replace(static_cast<Source>(s), std::move(objects), etcd_.revision);
    Publish();
  }

  void Deliver(size_t s, size_t count) {
    const auto& events = etcd_.events[s];
    for (; count > 0 && position_[s] < events.size(); --count) {
      const EtcdEvent& event = events[position_[s]++];
      if (event.object == nullptr) {
        writer_.Remove(static_cast<Source>(s), event.key, event.revision);
      } else {
        writer_.Put(static_cast<Source>(s), event.object, event.revision);
      }
    }
    Publish();
  }

  void Bookmark(size_t s) {
    const auto& events = etcd_.events[s];
    const uint64_t upto =
        position_[s] < events.size() ? events[position_[s]].revision - 1 : etcd_.revision;
    now_ += absl::Seconds(200);
    writer_.Bookmark(static_cast<Source>(s), upto, now_);
    Publish();
  }

  storage::Moment List() {
    ++etcd_.revision;  // between two lists of one client something in the cluster writes
    worlds_.LearnRevision(etcd_.revision);
    return worlds_.Lifted();
  }
  storage::Moment Now() const { return worlds_.Now(); }
  // The resource that its clients use. Waits for nothing.
  VirtualResource& view() { return view_; }

 private:
  static VirtualResourceOptions NoWaiting() {
    VirtualResourceOptions options;
    options.sync_wait = absl::ZeroDuration();
    options.version_wait = absl::ZeroDuration();
    return options;
  }

  void Publish() {
    worlds_.Publish(writer_.Snapshot());
    if (!worlds_.Now().world->synced()) return;
    const std::string number = worlds_.Now().number().ToString();
    Require(kube::CompareResourceVersions(last_, number) <= 0,
            "a replica's number went down: " + last_ + " " + number);
    last_ = number;
  }

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

// STEWARD_MODEL_PERCENT of `schedules`, for slow programs; all if it is not set.
inline unsigned ShareOf(unsigned schedules) {
  const char* percent = std::getenv("STEWARD_MODEL_PERCENT");
  return percent == nullptr ? schedules
                            : schedules * static_cast<unsigned>(std::atoi(percent)) / 100;
}

enum class Op { kWrite, kDeliver, kRead, kDrop, kBookmark, kRelist, kRestart };
struct Step {
  Op op;
  unsigned a, b, c;
};

inline rest::Selection SelectionOf(const std::string& ns, const std::string& labels,
                                   const std::string& fields) {
  rest::Selection selection;
  selection.ns = ns;
  selection.labels = *kube::LabelSelector::Parse(labels);
  selection.fields = *kube::FieldSelector::Parse(fields);
  return selection;
}

inline std::vector<Step> RandomSchedule(unsigned seed, size_t length) {
  std::mt19937 random(seed);
  static constexpr Op kOps[] = {
      Op::kWrite,   Op::kWrite,    Op::kWrite,    Op::kWrite,   Op::kWrite,   Op::kWrite,
      Op::kDeliver, Op::kDeliver,  Op::kDeliver,  Op::kDeliver, Op::kDeliver, Op::kDeliver,
      Op::kDeliver, Op::kDeliver,  Op::kDeliver,  Op::kRead,    Op::kRead,    Op::kRead,
      Op::kRead,    Op::kRead,     Op::kRead,     Op::kRead,    Op::kDrop,    Op::kDrop,
      Op::kDrop,    Op::kBookmark, Op::kBookmark, Op::kRelist,  Op::kRestart};
  const double turmoil = std::array{0.0, 0.2, 1.0}[random() % 3];
  std::vector<Step> steps;
  for (size_t i = 0; i < length; ++i) {
    const Op op = kOps[random() % std::size(kOps)];
    const Step step{op, static_cast<unsigned>(random() & 0xffff),
                    static_cast<unsigned>(random() & 0xffff),
                    static_cast<unsigned>(random() & 0xffff)};
    const bool calm = op == Op::kRelist || op == Op::kRestart;
    if (calm && static_cast<double>(random() % 1000) >= turmoil * 1000) continue;
    steps.push_back(step);
  }
  return steps;
}

// Removes steps as long as a violation remains. `run` returns the violation of a schedule.
template <typename Run>
std::vector<Step> Shrink(std::vector<Step> steps, Run run) {
  for (size_t size = steps.size() / 2; size > 0; size /= 2) {
    for (size_t at = 0; at < steps.size();) {
      std::vector<Step> fewer(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(at));
      const size_t rest = std::min(steps.size(), at + size);
      fewer.insert(fewer.end(), steps.begin() + static_cast<std::ptrdiff_t>(rest), steps.end());
      if (run(fewer)) {
        steps = std::move(fewer);
      } else {
        at += size;
      }
    }
  }
  return steps;
}

inline std::string Describe(const std::vector<Step>& steps) {
  static constexpr const char* kNames[] = {"write",    "deliver", "read",   "drop",
                                           "bookmark", "relist",  "restart"};
  std::ostringstream text;
  for (const Step& step : steps) {
    text << "  {" << kNames[static_cast<int>(step.op)] << ", " << step.a << ", " << step.b << ", "
         << step.c << "}\n";
  }
  return text.str();
}

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_MODEL_H_
