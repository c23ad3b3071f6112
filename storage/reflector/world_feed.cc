#include "storage/reflector/world_feed.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "olm/copy.h"
#include "olm/decode.h"
#include "storage/reflector/catch_up.h"
#include "storage/reflector/held_versions.h"
#include "storage/reflector/reflector.h"
#include "storage/reflector/sink.h"

namespace steward::storage {
namespace {

struct CsvKind {
  using Ptr = olm::CsvPtr;
  static constexpr Source kSource = Source::kCsv;
  static absl::StatusOr<Ptr> Decode(std::string_view json) { return olm::DecodeCsv(json); }
  static ReflectorOptions Options() {
    ReflectorOptions options;
    options.gvr = {"operators.coreos.com", "v1alpha1", "clusterserviceversions"};
    options.may_be_absent = true;
    options.label_selector = StrCat("!", olm::kCopiedFromLabel);
    // Real ones are tens of kB each.
    options.page_size = 100;
    return options;
  }
};

struct OperatorGroupKind {
  using Ptr = olm::OperatorGroupPtr;
  static constexpr Source kSource = Source::kOperatorGroup;
  static absl::StatusOr<Ptr> Decode(std::string_view json) {
    return olm::DecodeOperatorGroup(json);
  }
  static ReflectorOptions Options() {
    ReflectorOptions options;
    options.gvr = {"operators.coreos.com", "v1", "operatorgroups"};
    options.may_be_absent = true;
    return options;
  }
};

struct NamespaceKind {
  using Ptr = olm::NamespacePtr;
  static constexpr Source kSource = Source::kNamespace;
  static absl::StatusOr<Ptr> Decode(std::string_view json) { return olm::DecodeNamespace(json); }
  static ReflectorOptions Options() {
    ReflectorOptions options;
    options.gvr = {"", "v1", "namespaces"};
    return options;
  }
};

}  // namespace

// One source's sink.
template <typename Kind>
class WorldFeed::Feed : public ReflectorSink {
 public:
  explicit Feed(WorldFeed& feed) : feed_(feed) {}

  // The state at `revision` is known to be the one that is held.
  void Confirm(uint64_t revision) {
    confirmed_ = revision;
    feed_.writer_.Confirm(Kind::kSource, revision);
    feed_.Publish();
  }
  uint64_t seen() const { return feed_.writer_.seen(Kind::kSource); }
  const HeldVersions& held() const { return held_; }

  void OnReplaceBegin() override {
    listed_.clear();
    listed_versions_.Clear();
  }

  void OnReplaceItem(const kube::RawObject& object) override {
    listed_versions_.Put(object);
    absl::StatusOr<typename Kind::Ptr> decoded = Kind::Decode(object.json);
    if (decoded.ok()) {
      listed_.push_back(*std::move(decoded));
    } else {
      LogUndecodable(decoded.status(), object);
    }
  }

  void OnReplaceEnd(uint64_t revision) override {
    held_ = std::exchange(listed_versions_, {});
    confirmed_ = 0;
    feed_.writer_.Replace(std::exchange(listed_, {}), revision);
    feed_.Publish();
    if constexpr (Kind::kSource == Source::kNamespace) feed_.OnNamespacesListed();
  }

  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object,
               uint64_t revision) override {
    // What came and went between what was seen and what was confirmed.
    if (revision <= confirmed_) return;
    if (type == kube::WatchEvent::Type::kDeleted) {
      held_.Remove(object);
    } else {
      held_.Put(object);
      absl::StatusOr<typename Kind::Ptr> decoded = Kind::Decode(object.json);
      if (decoded.ok()) {
        feed_.writer_.Put(*std::move(decoded), revision);
        feed_.Publish();
        return;
      }
      LogUndecodable(decoded.status(), object);
    }
    absl::StatusOr<kube::NamespacedName> key = olm::DecodeKey(object.json);
    if (key.ok()) {
      feed_.writer_.Remove(Kind::kSource, *key, revision);
    } else {
      LogUndecodable(key.status(), object);
      feed_.writer_.Progress(Kind::kSource, revision);
    }
    feed_.Publish();
  }

  void OnBookmark(uint64_t revision) override {
    feed_.writer_.Bookmark(Kind::kSource, revision, feed_.clock_.Now());
    feed_.Publish();
  }

  void OnAbsent() override {
    log::Info("The cluster has no such kind; it counts as empty until it appears",
              {{"resource", Resource()}});
    held_.Clear();
    confirmed_ = 0;
    feed_.writer_.ReplaceAbsent(Kind::kSource);
    feed_.Publish();
  }

  void OnConnected() override {
    log::Verbose(2, "Following", {{"resource", Resource()}});
    SetConnected(true);
  }

  void OnDisconnected(const absl::Status& why) override {
    if (connected_) log::Warning("Lost the stream", {{"resource", Resource()}, {"err", why}});
    SetConnected(false);
  }

 private:
  static std::string Resource() { return Kind::Options().gvr.GroupResource(); }

  void SetConnected(bool connected) {
    connected_ = connected;
    feed_.writer_.SetConnected(Kind::kSource, connected);
    feed_.Publish();
  }

  void LogUndecodable(const absl::Status& why, const kube::RawObject& object) {
    const absl::StatusOr<kube::NamespacedName> key = olm::DecodeKey(object.json);
    log::Error("Cannot read an object; it is left out",
               {{"resource", Resource()},
                {"object", key.ok() ? StrCat(key->ns, "/", key->name) : "unknown"},
                {"err", why}});
  }

  WorldFeed& feed_;
  std::vector<typename Kind::Ptr> listed_;
  HeldVersions listed_versions_;
  HeldVersions held_;
  uint64_t confirmed_ = 0;  // 0 = nothing since the last list
  bool connected_ = false;
};

// A source's reflector, and what goes with it.
template <typename Kind>
struct WorldFeed::Mirror {
  explicit Mirror(WorldFeed& feed)
      : sink(feed),
        reflector(feed.client_, feed.clock_, feed.random_, Kind::Options(), sink),
        catch_up(feed.client_, feed.clock_, Kind::Options(),
                 {sink.held(), [this] { return sink.seen(); },
                  [this](uint64_t revision) { sink.Confirm(revision); }}) {}

  void Start(TaskGroup& tasks) {
    const std::string resource = Kind::Options().gvr.resource;
    tasks.Spawn(StrCat("reflect ", resource), reflector.Run());
    tasks.Spawn(StrCat("catch up with ", resource), catch_up.Run());
  }

  Feed<Kind> sink;
  Reflector reflector;
  storage::CatchUp catch_up;
};

struct WorldFeed::Sources {
  explicit Sources(WorldFeed& feed) : csvs(feed), groups(feed), namespaces(feed) {}

  Mirror<CsvKind> csvs;
  Mirror<OperatorGroupKind> groups;
  Mirror<NamespaceKind> namespaces;
};

WorldFeed::WorldFeed(kube::Client& client, Clock& clock, Random& random, WorldStore& worlds,
                     std::function<void(const World&)> published)
    : client_(client),
      clock_(clock),
      random_(random),
      worlds_(worlds),
      published_(std::move(published)),
      sources_(std::make_unique<Sources>(*this)) {}

WorldFeed::~WorldFeed() = default;

void WorldFeed::Publish() {
  unpublished_ = true;
  changed_.Notify();
}

// After everything that is at hand has been taken in.
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
  sources_->namespaces.Start(tasks);
}

void WorldFeed::OnNamespacesListed() {
  if (std::exchange(olm_started_, true)) return;
  sources_->csvs.Start(*tasks_);
  sources_->groups.Start(*tasks_);
}

void WorldFeed::CatchUp(const StateVector& vector, std::string_view asker) {
  sources_->csvs.catch_up.Ask(vector[static_cast<size_t>(Source::kCsv)], asker);
  sources_->groups.catch_up.Ask(vector[static_cast<size_t>(Source::kOperatorGroup)], asker);
  sources_->namespaces.catch_up.Ask(vector[static_cast<size_t>(Source::kNamespace)], asker);
}

}  // namespace steward::storage
