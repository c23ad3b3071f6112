#include "apiserver/views/virtual_resource/testing/model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/splice/rope.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/selector.h"

namespace steward::views {
namespace {

VirtualResourceOptions NoWaiting() {
  VirtualResourceOptions options;
  options.sync_wait = absl::ZeroDuration();
  options.version_wait = absl::ZeroDuration();
  return options;
}

}  // namespace

Etcd::Etcd(const storage::SourceSet& sources, std::unique_ptr<Writes> writes)
    : sources(sources), writes_(std::move(writes)) {
  writes_->Begin(*this);
}

void Etcd::Write(unsigned a, unsigned b, unsigned c) {
  revision += c % 3;  // other resources move the counter too
  writes_->Write(*this, a, b, c);
}

void Etcd::Put(Source source, const kube::NamespacedName& key, ObjectPtr object) {
  auto& objects = state[static_cast<size_t>(source)];
  if (object == nullptr && objects.count(key) == 0) return;
  events[static_cast<size_t>(source)].push_back({++revision, key, object});
  if (object == nullptr) {
    objects.erase(key);
  } else {
    objects[key] = std::move(object);
  }
}

void Etcd::Restore(uint64_t to) {
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

Seen SeenOf(const rest::Object& object) {
  Rope json, metadata;
  object.AppendJson("", json);
  object.AppendMetadata("", metadata);
  const std::string text = metadata.Flatten();
  constexpr std::string_view kUid = R"("uid":")";
  const size_t uid = text.rfind(kUid) + kUid.size();
  return {text.substr(uid, text.find('"', uid) - uid), json.Flatten(), object.OwnVersion()};
}

Replica::Replica(Etcd& etcd, const Subject& subject)
    : etcd_(etcd),
      writer_(etcd.sources),
      worlds_(etcd.sources),
      view_(worlds_, subject.projection, {}, NoWaiting()) {
  for (size_t s = 0; s < etcd.sources.count; ++s) Relist(s);
}

void Replica::Relist(size_t source) {
  position_[source] = etcd_.events[source].size();
  std::vector<ObjectPtr> objects;
  for (const auto& [key, object] : etcd_.state[source]) objects.push_back(object);
  writer_.Replace(static_cast<Source>(source), std::move(objects), etcd_.revision);
  Publish();
}

void Replica::Deliver(size_t source, size_t count) {
  const auto& events = etcd_.events[source];
  for (; count > 0 && position_[source] < events.size(); --count) {
    const EtcdEvent& event = events[position_[source]++];
    if (event.object == nullptr) {
      writer_.Remove(static_cast<Source>(source), event.key, event.revision);
    } else {
      writer_.Put(static_cast<Source>(source), event.object, event.revision);
    }
  }
  Publish();
}

void Replica::Bookmark(size_t source) {
  const auto& events = etcd_.events[source];
  const uint64_t upto =
      position_[source] < events.size() ? events[position_[source]].revision - 1 : etcd_.revision;
  now_ += absl::Seconds(200);
  writer_.Bookmark(static_cast<Source>(source), upto, now_);
  Publish();
}

void Replica::Recall(const storage::StateVector& vector) {
  for (size_t s = 0; s < etcd_.sources.count; ++s) {
    const auto source = static_cast<Source>(s);
    if (writer_.Knows(source, vector[s]) != storage::Knowledge::kForgotten) continue;
    std::map<kube::NamespacedName, ObjectPtr> then;
    bool same = true;
    for (size_t i = 0; i < etcd_.events[s].size(); ++i) {
      const EtcdEvent& event = etcd_.events[s][i];
      if (event.revision > vector[s]) {
        // The replica does not hold an event that has not been delivered.
        same = same && i >= position_[s];
        continue;
      }
      if (event.object == nullptr) {
        then.erase(event.key);
      } else {
        then[event.key] = event.object;
      }
    }
    std::vector<ObjectPtr> objects;
    for (const auto& [key, object] : then) objects.push_back(object);
    writer_.Recall(source, vector[s],
                   same ? std::nullopt : std::optional<std::vector<ObjectPtr>>(objects));
  }
  Publish();
}

storage::WorldSnapshot Replica::List() {
  ++etcd_.revision;  // between two lists of one client something in the cluster writes
  worlds_.LearnRevision(etcd_.revision);
  return worlds_.Lifted();
}

void Replica::Publish() {
  worlds_.Publish(writer_.Snapshot());
  if (!worlds_.Now().world->synced()) return;
  const std::string number = worlds_.Now().number().ToString();
  Require(kube::CompareResourceVersions(last_, number) <= 0,
          "a replica's number went down: " + last_ + " " + number);
  last_ = number;
}

rest::Selection SelectionOf(const std::string& ns, const std::string& labels,
                            const std::string& fields) {
  rest::Selection selection;
  selection.ns = ns;
  selection.labels = *kube::LabelSelector::Parse(labels);
  selection.fields = *kube::FieldSelector::Parse(fields);
  return selection;
}

std::vector<Step> RandomSchedule(unsigned seed, size_t length) {
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

std::vector<Step> Shrink(std::vector<Step> steps, const RunSteps& run) {
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

std::string Describe(const std::vector<Step>& steps) {
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
