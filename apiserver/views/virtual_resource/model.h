// A model of a cluster to run random schedules on: one etcd, and replicas that hear of it late,
// separately, in batches and by new lists.
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
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/copy.h"
#include "olm/objects.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::views {

using storage::Source;
using storage::SourceObject;

// What went wrong first; the schedule ends there.
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
  SourceObject object;  // null = deleted
};

inline bool IsNull(const SourceObject& object) {
  return std::visit([](const auto& pointer) { return pointer == nullptr; }, object);
}

class Etcd {
 public:
  Etcd() {
    for (const char* name : {"a", "b", "c", "d"}) PutNamespace(name, {{"p", ""}}, name);
  }

  // One random change.
  void Write(unsigned a, unsigned b, unsigned c) {
    ++uid_;
    revision += c % 3;  // other resources move the counter too
    const std::string ns(1, "abcd"[b % 4]);
    const std::string name(1, "xyz"[c % 3]);
    const unsigned kind = a % 13;
    if (kind < 4) {
      WriteCsv(ns, name, kind, c);
    } else if (kind < 9) {
      WriteGroup(ns, kind, c);
    } else {
      WriteNamespace(ns, kind, c);
    }
  }

  // Puts back the copy of everything that was made at `to`: what came later never was.
  void Restore(uint64_t to) {
    for (size_t s = 0; s < storage::kSources; ++s) {
      std::erase_if(events[s], [to](const EtcdEvent& event) { return event.revision > to; });
      state[s].clear();
      for (const EtcdEvent& event : events[s]) {
        if (IsNull(event.object)) {
          state[s].erase(event.key);
        } else {
          state[s][event.key] = event.object;
        }
      }
    }
    revision = to;
  }

  uint64_t revision = 100;
  std::array<std::map<kube::NamespacedName, SourceObject>, storage::kSources> state;
  std::array<std::vector<EtcdEvent>, storage::kSources> events;

 private:
  void Put(Source source, const kube::NamespacedName& key, SourceObject object) {
    auto& objects = state[static_cast<size_t>(source)];
    if (IsNull(object) && objects.count(key) == 0) return;
    events[static_cast<size_t>(source)].push_back({++revision, key, object});
    if (IsNull(object)) {
      objects.erase(key);
    } else {
      objects[key] = std::move(object);
    }
  }

  void WriteCsv(const std::string& ns, const std::string& name, unsigned kind, unsigned c) {
    const kube::NamespacedName key{ns, name};
    if (kind == 3) return Put(Source::kCsv, key, olm::CsvPtr());
    auto csv = std::make_shared<olm::Csv>();
    csv->key = key;
    csv->uid = std::to_string(uid_);
    const auto old = state[0].find(key);
    if (old != state[0].end() && kind > 0) csv->uid = std::get<olm::CsvPtr>(old->second)->uid;
    csv->created = "2026-01-01T00:00:00Z";
    csv->phase = c / 3 % 3 == 0 ? "Pending" : c / 3 % 3 == 1 ? "Installing" : "Succeeded";
    csv->spec_json = "{}";
    if (c / 9 % 2 == 0) {
      csv->labels = {{"color", "red"}};
      csv->labels_json = R"("color":"red")";
    }
    csv->cleanup = Cleanup(*csv);
    Put(Source::kCsv, key, olm::CsvPtr(std::move(csv)));
  }

  // Anything, by the number of the write.
  std::shared_ptr<const olm::CsvCleanup> Cleanup(const olm::Csv& csv) const {
    std::mt19937 random(static_cast<unsigned>(uid_));
    const auto one_in = [&random](unsigned n) { return random() % n == 0; };
    olm::CsvCleanup cleanup;
    cleanup.facts.key = csv.key;
    cleanup.facts.uid = csv.uid;
    cleanup.facts.phase = csv.phase;
    cleanup.facts.cleanup_enabled = !one_in(4);
    if (!one_in(3)) cleanup.facts.finalizers = {std::string(olm::kCleanupFinalizer)};
    if (one_in(3)) cleanup.facts.deletion_timestamp = "2026-01-02T00:00:00Z";
    cleanup.facts.owned_crds.insert(one_in(2) ? "ks.x.io" : "ls.x.io");
    if (one_in(4)) cleanup.facts.required_crds.insert("ks.x.io");
    if (one_in(4)) cleanup.facts.replaces = one_in(2) ? "x" : "y";
    if (one_in(3)) cleanup.pending = {{"x.io", "K", one_in(2) ? "a" : "b", "k"}};
    return std::make_shared<const olm::CsvCleanup>(std::move(cleanup));
  }

  void WriteGroup(const std::string& ns, unsigned kind, unsigned c) {
    // A second group in a namespace puts both out of force.
    const kube::NamespacedName key{ns, kind == 8 ? "second" : "group"};
    if (kind == 4 || (kind == 8 && c % 2 == 0)) {
      return Put(Source::kOperatorGroup, key, olm::OperatorGroupPtr());
    }
    auto group = std::make_shared<olm::OperatorGroup>();
    group->key = key;
    group->uid = key.ns + key.name;
    switch (c % 5) {
      case 0:
        break;  // all
      case 1:
        group->target_namespaces = {"a", "b"};
        break;
      case 2:
        group->target_namespaces = {ns};
        break;
      default:
        group->selector = *kube::LabelSelector::Parse(c % 5 == 3 ? "p" : "q");
    }
    if (c / 5 % 3 != 0) group->synced = {{c / 5 % 3 == 1 ? "" : "a"}};
    group->deleting = c / 15 % 5 == 0;
    Put(Source::kOperatorGroup, key, olm::OperatorGroupPtr(std::move(group)));
  }

  void WriteNamespace(const std::string& name, unsigned kind, unsigned c) {
    const kube::NamespacedName key{"", name};
    if (kind == 9) return Put(Source::kNamespace, key, olm::NamespacePtr());
    kube::LabelMap labels;
    if (c & 1) labels["p"] = "";
    if (c & 2) labels["q"] = "";
    const auto old = state[2].find(key);
    std::string uid = std::to_string(uid_);
    if (old != state[2].end() && kind > 10) uid = std::get<olm::NamespacePtr>(old->second)->uid;
    PutNamespace(name, std::move(labels), std::move(uid));
  }

  void PutNamespace(const std::string& name, kube::LabelMap labels, std::string uid) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = name;
    ns->uid = std::move(uid);
    ns->created = "2026-01-01T00:00:00Z";
    ns->labels = std::move(labels);
    ns->terminating = uid_ % 4 == 1;
    Put(Source::kNamespace, {"", name}, olm::NamespacePtr(std::move(ns)));
  }

  uint64_t uid_ = 0;
};

// --- what a client sees

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

// --- what is served

// The second is not to be made by the first: it says what the first must come to.
struct Subject {
  std::shared_ptr<const Projection> projection;
  std::function<View(const storage::WorldPtr& world, const rest::Selection& selection)> view_of;
};

// --- a replica

class Replica {
 public:
  Replica(Etcd& etcd, const Subject& subject)
      : etcd_(etcd), view_(worlds_, subject.projection, {}, NoWaiting()) {
    for (size_t s = 0; s < storage::kSources; ++s) Relist(s);
  }

  void Relist(size_t s) {
    position_[s] = etcd_.events[s].size();
    switch (static_cast<Source>(s)) {
      case Source::kCsv:
        writer_.Replace(Objects<olm::CsvPtr>(s), etcd_.revision);
        break;
      case Source::kOperatorGroup:
        writer_.Replace(Objects<olm::OperatorGroupPtr>(s), etcd_.revision);
        break;
      case Source::kNamespace:
        writer_.Replace(Objects<olm::NamespacePtr>(s), etcd_.revision);
        break;
    }
    Publish();
  }

  void Deliver(size_t s, size_t count) {
    const auto& events = etcd_.events[s];
    for (; count > 0 && position_[s] < events.size(); --count) {
      const EtcdEvent& event = events[position_[s]++];
      if (IsNull(event.object)) {
        writer_.Remove(static_cast<Source>(s), event.key, event.revision);
      } else {
        std::visit([&](const auto& object) { writer_.Put(object, event.revision); }, event.object);
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
  // What its clients talk to. Waits for nothing.
  VirtualResource& view() { return view_; }

 private:
  static VirtualResourceOptions NoWaiting() {
    VirtualResourceOptions options;
    options.sync_wait = absl::ZeroDuration();
    options.version_wait = absl::ZeroDuration();
    return options;
  }

  template <typename Ptr>
  std::vector<Ptr> Objects(size_t s) const {
    std::vector<Ptr> objects;
    for (const auto& [key, object] : etcd_.state[s]) objects.push_back(std::get<Ptr>(object));
    return objects;
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
  std::array<size_t, storage::kSources> position_ = {};
  absl::Time now_ = absl::UnixEpoch();
  std::string last_;
};

using Replicas = std::array<std::shared_ptr<Replica>, 3>;

// --- schedules

// STEWARD_MODEL_PERCENT of `schedules`, for slow programs; all where it is not set.
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

// `run` gives what a schedule violates. As few steps as are needed for some violation.
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
