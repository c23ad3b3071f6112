#include "storage/world/world_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/world/testing/lamp_world.h"
#include "storage/world/world_writer.h"

namespace steward::storage {
namespace {

using LampWorldPtr = std::shared_ptr<const LampWorld>;

struct Basis {
  LampWorldPtr world;
  std::shared_ptr<const std::vector<std::string>> map;  // the names of all lamps
};

int computed = 0;
int computed_afresh = 0;

bool SameLamps(const LampWorld& a, const LampWorld& b) { return a.lamps().SharesWith(b.lamps()); }

std::shared_ptr<const Basis> Compute(const LampWorldPtr& world, const Basis* before) {
  ++computed;
  if (before == nullptr) ++computed_afresh;
  std::vector<std::string> names;
  for (auto it = world->lamps().begin(); !it.done(); it.Next()) names.push_back(it.key().name);
  return std::make_shared<const Basis>(
      Basis{world, std::make_shared<const std::vector<std::string>>(std::move(names))});
}

class WorldMemoryTest : public ::testing::Test {
 protected:
  WorldMemoryTest() { computed = computed_afresh = 0; }
  LampWorldPtr With(const std::string& lamp) {
    auto object = std::make_shared<Lamp>();
    object->key = {"hall", lamp};
    writer_.Put(kLampSource, LampPtr(std::move(object)), ++revision_);
    return std::static_pointer_cast<const LampWorld>(writer_.Snapshot());
  }

  WorldWriter writer_{kLampSources};
  uint64_t revision_ = 10;
  WorldMemory<Basis> memory_{&SameLamps, &Compute};
};

TEST_F(WorldMemoryTest, ComputesOnceForWorldsOfTheSameObjects) {
  const LampWorldPtr world = With("a");
  const auto names = memory_.Of(world);
  EXPECT_EQ(*names, std::vector<std::string>{"a"});
  EXPECT_EQ(memory_.Of(std::make_shared<const LampWorld>(*world)), names);
  EXPECT_EQ(computed, 1);
}

TEST_F(WorldMemoryTest, RemembersAFewWorlds) {
  const LampWorldPtr first = With("a");
  const auto names = memory_.Of(first);
  for (const char* lamp : {"b", "c", "d"}) memory_.Of(With(lamp));
  EXPECT_EQ(memory_.Of(first), names);
  EXPECT_EQ(computed, 4);
  EXPECT_EQ(computed_afresh, 1) << "others have a basis";
  for (int i = 0; i < 20; ++i) memory_.Of(With(std::to_string(i)));
  EXPECT_EQ(*memory_.Of(first), *names);
  EXPECT_EQ(computed, 25);
}

}  // namespace
}  // namespace steward::storage
