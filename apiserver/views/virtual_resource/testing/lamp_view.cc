#include "apiserver/views/virtual_resource/testing/lamp_view.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/tombstone.h"
#include "apiserver/views/virtual_resource/versions.h"
#include "base/async/task.h"
#include "base/async/turn.h"
#include "storage/world/world.h"

namespace steward::views {

Light::Light(const storage::Lamp& lamp, const storage::Room& room)
    : key_(lamp.key),
      uid_(room.uid + "-" + lamp.uid),
      labels_(lamp.labels),
      shines_(lamp.on && room.powered) {}

bool Light::operator==(const Light& other) const {
  return key_ == other.key_ && uid_ == other.uid_ && labels_ == other.labels_ &&
         shines_ == other.shines_;
}

bool Light::SelectedBy(const rest::Selection& selection) const {
  return (selection.ns.empty() || selection.ns == key_.ns) &&
         FieldsSelect(selection, key_.ns, key_.name) && selection.labels.Matches(labels_);
}

void Light::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text().append(R"({"metadata":)");
  AppendMetadata(resource_version, out);
  out.text().append(shines_ ? R"(,"shines":true})" : R"(,"shines":false})");
}

void Light::AppendMetadata(std::string_view resource_version, Rope& out) const {
  std::string& text = out.text();
  text.append(R"({"name":")").append(key_.name).append(R"(","namespace":")").append(key_.ns);
  text.append(R"(","resourceVersion":")").append(resource_version);
  text.append(R"(","uid":")").append(uid_).append(R"(","labels":")");
  for (const auto& [label, value] : labels_) text.append(label).append(value);
  text.append(R"("})");
}

namespace {

std::unique_ptr<const Light> FindLight(const storage::World& of, const kube::NamespacedName& key) {
  const auto& world = storage::LampWorld::Of(of);
  const storage::LampPtr* lamp = world.lamps().Find(key);
  const storage::RoomPtr* room = world.rooms().Find({"", key.ns});
  if (lamp == nullptr || room == nullptr) return nullptr;
  return std::make_unique<const Light>(**lamp, **room);
}

// The lights of the given keys, in their order.
class LightCursor : public PageableCursor {
 public:
  LightCursor(storage::WorldPtr world, std::deque<kube::NamespacedName> keys)
      : world_(std::move(world)), keys_(std::move(keys)) {}

  const rest::Object* Next() override {
    if (keys_.empty()) return nullptr;
    last_ = std::move(keys_.front());
    keys_.pop_front();
    current_ = FindLight(*world_, last_);
    return current_.get();
  }
  void Keep() override { kept_.push_back(last_); }
  std::unique_ptr<rest::Cursor> TakeKept() override {
    return std::make_unique<LightCursor>(world_, std::move(kept_));
  }

 private:
  const storage::WorldPtr world_;
  std::deque<kube::NamespacedName> keys_;
  kube::NamespacedName last_;
  std::unique_ptr<const Light> current_;
  std::deque<kube::NamespacedName> kept_;
};

class LightDifference : public Difference {
 public:
  LightDifference(Span span, rest::Selection selection)
      : before_(std::move(span.before)),
        after_(std::move(span.after)),
        again_(std::move(span.again)),
        selection_(std::move(selection)),
        keys_(again_) {
    // Looks only at touched objects, so that tests notice if one is missing.
    for (const auto& [source, key] : span.touched.objects) {
      if (source == storage::kLampSource) {
        keys_.insert(*key);
      } else {
        AddLampsIn(*before_, key->name);
        AddLampsIn(*after_, key->name);
      }
    }
  }

  std::optional<ViewEvent> Next() override {
    while (events_.empty()) {
      if (keys_.empty()) {
        done_ = true;
        return std::nullopt;
      }
      Compare(keys_.extract(keys_.begin()).value());
    }
    ViewEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  bool done() const override { return done_; }

 private:
  using Type = rest::WatchEvent::Type;

  void AddLampsIn(const storage::World& of, const std::string& room) {
    const auto& lamps = storage::LampWorld::Of(of).lamps();
    for (auto it = lamps.LowerBound({room, ""}); !it.done() && it.key().ns == room; it.Next()) {
      keys_.insert(it.key());
    }
  }
  std::unique_ptr<const Light> Find(const storage::World& world,
                                    const kube::NamespacedName& key) const {
    std::unique_ptr<const Light> light = FindLight(world, key);
    return light != nullptr && light->SelectedBy(selection_) ? std::move(light) : nullptr;
  }
  void Compare(const kube::NamespacedName& key) {
    std::unique_ptr<const Light> before = Find(*before_, key);
    std::unique_ptr<const Light> after = Find(*after_, key);
    const bool again = again_.contains(key);
    const bool both = before != nullptr && after != nullptr;
    if (!again && (both ? *before == *after : before == after)) return;
    const bool same = both && before->uid() == after->uid();
    if (before != nullptr && !same) {
      events_.push_back({Type::kDeleted, key, std::move(before)});
    } else if (again && !same) {
      events_.push_back(
          {Type::kDeleted, key, std::make_unique<Tombstone>(R"({"metadata":)", 0, key)});
    }
    if (after != nullptr) {
      events_.push_back({same ? Type::kModified : Type::kAdded, key, std::move(after)});
    }
  }

  const storage::WorldPtr before_;
  const storage::WorldPtr after_;
  const std::set<kube::NamespacedName> again_;
  const rest::Selection selection_;
  std::set<kube::NamespacedName> keys_;  // still to be looked at
  std::deque<ViewEvent> events_;
  bool done_ = false;
};

class LampProjection : public Projection {
 public:
  const storage::SourceSet& sources() const override { return storage::kLampSources; }

  std::unique_ptr<const rest::Object> Find(const storage::WorldPtr& world,
                                           const kube::NamespacedName& key) const override {
    return FindLight(*world, key);
  }
  std::unique_ptr<PageableCursor> List(storage::WorldPtr world, rest::Selection selection,
                                       std::optional<kube::NamespacedName> after) const override {
    std::deque<kube::NamespacedName> keys = Keys(*world, selection, after);
    return std::make_unique<LightCursor>(std::move(world), std::move(keys));
  }
  Task<int64_t> Count(storage::WorldPtr world, std::string ns,
                      std::optional<kube::NamespacedName> after) const override {
    rest::Selection selection;
    selection.ns = std::move(ns);
    co_return static_cast<int64_t>(Keys(*world, selection, after).size());
  }
  std::unique_ptr<Difference> Compare(Span span, rest::Selection selection) const override {
    return std::make_unique<LightDifference>(std::move(span), std::move(selection));
  }
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window window, const rest::Selection& selection) const override {
    const auto& then = storage::LampWorld::Of(*window.then);
    const auto same = [](const kube::NamespacedName& key) { return key; };
    Turn turn;
    const auto rooms = co_await VersionsOf<kube::NamespacedName, storage::RoomPtr>(
        window, storage::kRoomSource, then.rooms(), same, turn);
    const auto lamps = co_await VersionsOf<kube::NamespacedName, storage::LampPtr>(
        window, storage::kLampSource, then.lamps(), same, turn);
    std::set<kube::NamespacedName> suspects;
    for (const auto& [key, forms] : lamps.all) {
      if (!lamps.touched.contains(key) && !rooms.touched.contains({"", key.ns})) continue;
      if (!selection.ns.empty() && selection.ns != key.ns) continue;
      if (FieldsSelect(selection, key.ns, key.name)) suspects.insert(key);
    }
    co_return suspects;
  }

 private:
  static std::deque<kube::NamespacedName> Keys(const storage::World& world,
                                               const rest::Selection& selection,
                                               const std::optional<kube::NamespacedName>& after) {
    std::deque<kube::NamespacedName> keys;
    const auto& lamps = storage::LampWorld::Of(world).lamps();
    for (auto it = lamps.begin(); !it.done(); it.Next()) {
      if (after && it.key() <= *after) continue;
      const std::unique_ptr<const Light> light = FindLight(world, it.key());
      if (light != nullptr && light->SelectedBy(selection)) keys.push_back(it.key());
    }
    return keys;
  }
};

}  // namespace

std::shared_ptr<const Projection> MakeLampProjection() {
  return std::make_shared<const LampProjection>();
}

}  // namespace steward::views
