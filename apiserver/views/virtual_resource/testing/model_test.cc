// Runs the random schedules over a source set that no real resource has.
#include "apiserver/views/virtual_resource/testing/model.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "apiserver/views/virtual_resource/testing/lamp_view.h"
#include "apiserver/views/virtual_resource/testing/stream_simulation.h"
#include "apiserver/views/virtual_resource/testing/watch_simulation.h"
#include "storage/world/testing/lamp_world.h"

namespace steward::views {
namespace {

using storage::kLampSource;
using storage::kRoomSource;
using storage::Lamp;
using storage::Room;

class LampWrites : public Writes {
 public:
  void Begin(Etcd& etcd) override {
    for (const char* name : {"a", "b", "c", "d"}) PutRoom(etcd, name, name, true);
  }

  void Write(Etcd& etcd, unsigned a, unsigned b, unsigned c) override {
    ++uid_;
    const std::string room(1, "abcd"[b % 4]);
    const kube::NamespacedName lamp{room, std::string(1, "xyz"[c % 3])};
    switch (a % 7) {
      case 0:
        return etcd.Put(kLampSource, lamp, nullptr);
      case 1:
        return etcd.Put(kRoomSource, {"", room}, nullptr);
      case 2:
        return PutRoom(etcd, room, std::to_string(uid_), c % 2 == 0);
      case 3: {
        const auto old = etcd.Find<Room>(kRoomSource, {"", room});
        return PutRoom(etcd, room, old == nullptr ? std::to_string(uid_) : old->uid, c % 2 == 0);
      }
      case 4:
        return PutLamp(etcd, lamp, std::to_string(uid_), c);
      default: {
        const auto old = etcd.Find<Lamp>(kLampSource, lamp);
        return PutLamp(etcd, lamp, old == nullptr ? std::to_string(uid_) : old->uid, c);
      }
    }
  }

 private:
  static void PutRoom(Etcd& etcd, const std::string& name, std::string uid, bool powered) {
    const kube::NamespacedName key{"", name};
    etcd.Put(kRoomSource, key, std::make_shared<const Room>(Room{key, std::move(uid), powered}));
  }
  static void PutLamp(Etcd& etcd, const kube::NamespacedName& key, std::string uid, unsigned c) {
    kube::LabelMap labels;
    if (c / 9 % 2 == 0) labels["color"] = "red";
    etcd.Put(
        kLampSource, key,
        std::make_shared<const Lamp>(Lamp{key, std::move(uid), std::move(labels), c / 3 % 3 != 0}));
  }

  uint64_t uid_ = 0;
};

View ViewOf(const storage::WorldPtr& of, const rest::Selection& selection) {
  const auto& world = storage::LampWorld::Of(*of);
  View view;
  for (auto room = world.rooms().begin(); !room.done(); room.Next()) {
    for (auto lamp = world.lamps().begin(); !lamp.done(); lamp.Next()) {
      if (lamp.key().ns != room.key().name) continue;
      const Light light(*lamp.value(), *room.value());
      if (light.SelectedBy(selection)) view[lamp.key()] = SeenOf(light);
    }
  }
  return view;
}

const Subject& TheSubject() {
  static const Subject& subject =
      *new Subject{MakeLampProjection(), &ViewOf, [] { return std::make_unique<LampWrites>(); }};
  return subject;
}

TEST(LampWatchModelTest, ClientsEndWithTheTruth) {
  watch_simulation::ClientsEndWithTheTruth(TheSubject());
}
TEST(LampWatchModelTest, RestoredEtcd) { watch_simulation::RestoredEtcd(TheSubject()); }
TEST(LampWatchModelTest, LongHistories) { watch_simulation::LongHistories(TheSubject()); }
TEST(LampStreamModelTest, PagesAndStreamsAreWhole) {
  stream_simulation::PagesAndStreamsAreWhole(TheSubject());
}

}  // namespace
}  // namespace steward::views
