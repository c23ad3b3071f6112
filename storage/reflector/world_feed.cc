#include "storage/reflector/world_feed.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "olm/copy.h"
#include "olm/decode.h"
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

  void OnReplaceBegin() override { listed_.clear(); }

  void OnReplaceItem(const kube::RawObject& object) override {
    absl::StatusOr<typename Kind::Ptr> decoded = Kind::Decode(object.json);
    if (decoded.ok()) {
      listed_.push_back(*std::move(decoded));
    } else {
      LogUndecodable(decoded.status(), object);
    }
  }

  void OnReplaceEnd(uint64_t revision) override {
    feed_.writer_.Replace(std::exchange(listed_, {}), revision);
    feed_.Publish();
    if constexpr (Kind::kSource == Source::kNamespace) feed_.OnNamespacesListed();
  }

  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object,
               uint64_t revision) override {
    if (type != kube::WatchEvent::Type::kDeleted) {
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
  bool connected_ = false;
};

struct WorldFeed::Sources {
  explicit Sources(WorldFeed& feed)
      : csvs(feed),
        groups(feed),
        namespaces(feed),
        csv_reflector(feed.client_, feed.clock_, feed.random_, CsvKind::Options(), csvs),
        group_reflector(feed.client_, feed.clock_, feed.random_, OperatorGroupKind::Options(),
                        groups),
        namespace_reflector(feed.client_, feed.clock_, feed.random_, NamespaceKind::Options(),
                            namespaces) {}

  Feed<CsvKind> csvs;
  Feed<OperatorGroupKind> groups;
  Feed<NamespaceKind> namespaces;
  Reflector csv_reflector;
  Reflector group_reflector;
  Reflector namespace_reflector;
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
  WorldPtr world = writer_.Snapshot();
  if (published_) published_(*world);
  worlds_.Publish(std::move(world));
}

void WorldFeed::Start(TaskGroup& tasks) {
  tasks_ = &tasks;
  tasks.Spawn("reflect namespaces", sources_->namespace_reflector.Run());
}

void WorldFeed::OnNamespacesListed() {
  if (std::exchange(olm_started_, true)) return;
  tasks_->Spawn("reflect clusterserviceversions", sources_->csv_reflector.Run());
  tasks_->Spawn("reflect operatorgroups", sources_->group_reflector.Run());
}

}  // namespace steward::storage
