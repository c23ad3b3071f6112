#include "storage/reflector/world_feed.h"

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "olm/decode.h"
#include "storage/reflector/catch_up.h"
#include "storage/reflector/held_versions.h"
#include "storage/reflector/sink.h"

namespace steward::storage {
// One source's sink.
class WorldFeed::Feed : public ReflectorSink {
 public:
  Feed(WorldFeed& feed, Source source, const WatchedSource& watched)
      : feed_(feed),
        source_(source),
        decode_(watched.decode),
        resource_(watched.options.gvr.GroupResource()) {}

  // Records that the held state is also the state at `revision`.
  void Confirm(uint64_t revision) {
    confirmed_ = revision;
    feed_.writer_.Confirm(source_, revision);
    feed_.Publish();
  }
  // Records the state at a past revision; nullopt = the held state.
  void Recall(uint64_t revision, std::optional<std::vector<ObjectPtr>> objects) {
    feed_.writer_.Recall(source_, revision, std::move(objects));
    feed_.Publish();
  }
  void ForgetUpTo(uint64_t revision) {
    feed_.writer_.Forget(source_, revision);
    feed_.Publish();
  }
  uint64_t seen() const { return feed_.writer_.seen(source_); }
  Knowledge Knows(uint64_t revision) const { return feed_.writer_.Knows(source_, revision); }
  const HeldVersions& held() const { return held_; }

  void OnReplaceBegin() override {
    listed_.clear();
    listed_unreadable_.clear();
    listed_versions_.Clear();
  }

  void OnReplaceItem(const kube::RawObject& object) override {
    listed_versions_.Put(object);
    absl::StatusOr<ObjectPtr> decoded = decode_(object.json);
    if (decoded.ok()) {
      listed_.push_back(*std::move(decoded));
    } else {
      listed_unreadable_.insert(Report(decoded.status(), object));
    }
  }

  void OnReplaceEnd(uint64_t revision) override {
    held_ = std::exchange(listed_versions_, {});
    confirmed_ = 0;
    unreadable_ = std::exchange(listed_unreadable_, {});
    CountUnreadable();
    feed_.writer_.Replace(source_, std::exchange(listed_, {}), revision);
    feed_.Publish();
    feed_.OnListed();
  }

  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object,
               uint64_t revision) override {
    // Skips objects that came and went between the seen and the confirmed revision.
    if (revision <= confirmed_) return;
    if (type == kube::WatchEvent::Type::kDeleted) {
      held_.Remove(object);
    } else {
      held_.Put(object);
      absl::StatusOr<ObjectPtr> decoded = decode_(object.json);
      if (decoded.ok()) {
        if (!unreadable_.empty()) Forget(object);
        feed_.writer_.Put(source_, *std::move(decoded), revision);
        feed_.Publish();
        return;
      }
      unreadable_.insert(Report(decoded.status(), object));
      CountUnreadable();
    }
    absl::StatusOr<kube::NamespacedName> key = olm::DecodeKey(object.json);
    if (type == kube::WatchEvent::Type::kDeleted && !unreadable_.empty()) Forget(object);
    if (key.ok()) {
      feed_.writer_.Remove(source_, *key, revision);
    } else {
      feed_.writer_.Progress(source_, revision);
    }
    feed_.Publish();
  }

  void OnBookmark(uint64_t revision) override {
    feed_.writer_.Bookmark(source_, revision, feed_.clock_.Now());
    feed_.Publish();
  }

  void OnAbsent() override {
    log::Info("The cluster has no such kind; it counts as empty until it appears",
              {{"resource", resource_}});
    held_.Clear();
    unreadable_.clear();
    CountUnreadable();
    confirmed_ = 0;
    feed_.writer_.ReplaceAbsent(source_);
    feed_.Publish();
  }

  void OnConnected() override {
    log::Verbose(2, "Following", {{"resource", resource_}});
    SetConnected(true);
  }

  void OnDisconnected(const absl::Status& why) override {
    if (connected_) log::Warning("Lost the stream", {{"resource", resource_}, {"err", why}});
    SetConnected(false);
  }

 private:
  void SetConnected(bool connected) {
    connected_ = connected;
    feed_.writer_.SetConnected(source_, connected);
    feed_.Publish();
  }

  // Returns the name; empty where it cannot be read.
  static kube::NamespacedName NameOf(const kube::RawObject& object) {
    return olm::DecodeKey(object.json).value_or(kube::NamespacedName());
  }

  // Reports an unreadable object once, until it can be read again. Returns its name.
  kube::NamespacedName Report(const absl::Status& why, const kube::RawObject& object) {
    kube::NamespacedName name = NameOf(object);
    if (unreadable_.contains(name)) return name;
    log::Error("Cannot read an object; it is left out",
               {{"resource", resource_},
                {"object", name.name.empty() ? "unknown" : StrCat(name.ns, "/", name.name)},
                {"err", why}});
    if (feed_.unreadable_ != nullptr) feed_.unreadable_->OnUnreadable(source_, name, why);
    return name;
  }

  void Forget(const kube::RawObject& object) {
    if (unreadable_.erase(NameOf(object)) > 0) CountUnreadable();
  }

  void CountUnreadable() {
    if (feed_.unreadable_ == nullptr) return;
    feed_.unreadable_->OnUnreadableCount(source_, unreadable_.size());
  }

  WorldFeed& feed_;
  const Source source_;
  absl::StatusOr<ObjectPtr> (*const decode_)(std::string_view json);
  const std::string resource_;
  std::vector<ObjectPtr> listed_;
  HeldVersions listed_versions_;
  HeldVersions held_;
  std::set<kube::NamespacedName> listed_unreadable_;
  std::set<kube::NamespacedName> unreadable_;
  uint64_t confirmed_ = 0;  // 0 = nothing has been confirmed since the last list
  bool connected_ = false;
};

// A source's sink, reflector and CatchUp.
struct WorldFeed::Mirror {
  Mirror(WorldFeed& feed, Source source, const WatchedSource& watched)
      : sink(feed, source, watched),
        reflector(feed.client_, feed.clock_, feed.random_, watched.options, sink),
        catch_up(feed.client_, feed.clock_, watched.options,
                 {sink.held(), [this] { return sink.seen(); },
                  [this](uint64_t revision) { sink.Confirm(revision); },
                  [this](uint64_t revision) { return sink.Knows(revision); }, watched.decode,
                  [this](uint64_t revision, std::optional<std::vector<ObjectPtr>> objects) {
                    sink.Recall(revision, std::move(objects));
                  },
                  [this](uint64_t revision) { sink.ForgetUpTo(revision); }}),
        resource(watched.options.gvr.resource),
        may_be_absent(watched.options.may_be_absent) {}

  void Start(TaskGroup& tasks) {
    tasks.Spawn(StrCat("reflect ", resource), reflector.Run());
    tasks.Spawn(StrCat("catch up with ", resource), catch_up.Run());
  }

  Feed sink;
  Reflector reflector;
  storage::CatchUp catch_up;
  const std::string resource;
  const bool may_be_absent;
};

WorldFeed::WorldFeed(kube::Client& client, Clock& clock, Random& random,
                     const std::vector<WatchedSource>& sources, WorldStore& worlds,
                     std::function<void(const World&)> published, UnreadableObserver* unreadable)
    : client_(client),
      clock_(clock),
      random_(random),
      worlds_(worlds),
      published_(std::move(published)),
      unreadable_(unreadable),
      writer_(worlds.sources()) {
  assert(sources.size() == worlds.sources().count);
  for (const WatchedSource& watched : sources) {
    const auto source = static_cast<Source>(mirrors_.size());
    mirrors_.push_back(std::make_unique<Mirror>(*this, source, watched));
  }
}

WorldFeed::~WorldFeed() = default;

void WorldFeed::Publish() {
  unpublished_ = true;
  changed_.Notify();
}

// Publishes one World for all events that have arrived meanwhile.
VoidTask WorldFeed::PublishChanges() {
  while (true) {
    const Broadcast::Ticket ticket = changed_.Now();
    if (!std::exchange(unpublished_, false)) {
      co_await changed_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
      continue;
    }
    WorldPtr world = writer_.Snapshot();
    if (published_) published_(*world);
    worlds_.Publish(std::move(world));
  }
}

void WorldFeed::Start(TaskGroup& tasks) {
  tasks_ = &tasks;
  tasks.Spawn("publish", PublishChanges());
  for (const auto& mirror : mirrors_) {
    if (!mirror->may_be_absent) mirror->Start(tasks);
  }
  // If all kinds may be absent, there is no other to wait for.
  OnListed();
}

void WorldFeed::OnListed() {
  if (all_started_) return;
  for (const auto& mirror : mirrors_) {
    if (!mirror->may_be_absent && mirror->sink.seen() == 0) return;
  }
  all_started_ = true;
  for (const auto& mirror : mirrors_) {
    if (mirror->may_be_absent) mirror->Start(*tasks_);
  }
}

void WorldFeed::CatchUp(const StateVector& vector, std::string_view asker) {
  const WorldPtr now = worlds_.Current();
  for (size_t i = 0; i < mirrors_.size(); ++i) {
    const History& history = now->sources()[i].history;
    if (history.Knows(vector[i]) == Knowledge::kKnown || history.IsGone(vector[i])) continue;
    mirrors_[i]->catch_up.Ask(vector[i], asker);
  }
}

}  // namespace steward::storage
