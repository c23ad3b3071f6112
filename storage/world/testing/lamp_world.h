// An invented source set, rooms with lamps in them, for tests of the code that serves every set.
// Immutable once published.
#ifndef STORAGE_WORLD_TESTING_LAMP_WORLD_H_
#define STORAGE_WORLD_TESTING_LAMP_WORLD_H_

#include <cassert>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "storage/world/ordered_map.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// An object without a namespace. Every difference between two rooms, or two lamps, is visible.
struct Room {
  kube::NamespacedName key;
  std::string uid;
  bool powered = false;

  bool operator==(const Room&) const = default;
};
using RoomPtr = std::shared_ptr<const Room>;

// An object whose namespace is the room.
struct Lamp {
  kube::NamespacedName key;
  std::string uid;
  kube::LabelMap labels;
  bool on = false;

  bool operator==(const Lamp&) const = default;
};
using LampPtr = std::shared_ptr<const Lamp>;

extern const SourceSet kLampSources;
inline constexpr Source kRoomSource{0};
inline constexpr Source kLampSource{1};

class LampWorld final : public World {
 public:
  LampWorld() : World(kLampSources) {}
  LampWorld(const LampWorld&) = default;

  static const LampWorld& Of(const World& world) {
    assert(&world.set() == &kLampSources);
    return static_cast<const LampWorld&>(world);
  }

  const OrderedMap<kube::NamespacedName, RoomPtr>& rooms() const { return rooms_; }
  const OrderedMap<kube::NamespacedName, LampPtr>& lamps() const { return lamps_; }

  size_t CountOf(Source source) const override {
    return source == kRoomSource ? rooms_.size() : lamps_.size();
  }
  std::vector<kube::NamespacedName> KeysOf(Source source) const override {
    return source == kRoomSource ? KeysIn(rooms_) : KeysIn(lamps_);
  }
  std::shared_ptr<World> Copy() const override { return std::make_shared<LampWorld>(*this); }
  std::optional<ObjectPtr> Put(Source source, ObjectPtr object) override {
    return source == kRoomSource ? PutIn<Room>(rooms_, std::move(object))
                                 : PutIn<Lamp>(lamps_, std::move(object));
  }
  std::optional<ObjectPtr> Drop(Source source, const kube::NamespacedName& key) override {
    return source == kRoomSource ? DropFrom(rooms_, key) : DropFrom(lamps_, key);
  }

 private:
  template <typename Map>
  static std::vector<kube::NamespacedName> KeysIn(const Map& map) {
    std::vector<kube::NamespacedName> keys;
    for (auto it = map.begin(); !it.done(); it.Next()) keys.push_back(it.key());
    return keys;
  }
  template <typename T, typename Map>
  static std::optional<ObjectPtr> PutIn(Map& map, ObjectPtr object) {
    const auto next = std::static_pointer_cast<const T>(std::move(object));
    const std::shared_ptr<const T>* found = map.Find(next->key);
    if (found != nullptr && **found == *next) return std::nullopt;
    ObjectPtr before = found == nullptr ? nullptr : *found;
    map.Set(next->key, next);
    return before;
  }
  template <typename Map>
  static std::optional<ObjectPtr> DropFrom(Map& map, const kube::NamespacedName& key) {
    const auto* found = map.Find(key);
    if (found == nullptr) return std::nullopt;
    ObjectPtr before = *found;
    map.Erase(key);
    return before;
  }

  OrderedMap<kube::NamespacedName, RoomPtr> rooms_;
  OrderedMap<kube::NamespacedName, LampPtr> lamps_;
};

namespace lamp_sources {

template <typename T>
kube::NamespacedName KeyOf(const ObjectPtr& object) {
  return static_cast<const T*>(object.get())->key;
}
template <typename T>
size_t SizeOf(const ObjectPtr&) {
  return sizeof(T);
}
inline std::shared_ptr<World> MakeEmpty() { return std::make_shared<LampWorld>(); }

}  // namespace lamp_sources

inline constinit const SourceSet kLampSources = {
    2,
    {{{"rooms", &lamp_sources::KeyOf<Room>, &lamp_sources::SizeOf<Room>, 1},
      {"lamps", &lamp_sources::KeyOf<Lamp>, &lamp_sources::SizeOf<Lamp>, 1}}},
    &lamp_sources::MakeEmpty};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_TESTING_LAMP_WORLD_H_
