#include "storage/world/ordered_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace steward::storage {
namespace {

using Map = OrderedMap<int, std::string>;

std::map<int, std::string> Content(const Map& map) {
  std::map<int, std::string> content;
  int last = -1;
  for (auto it = map.begin(); !it.done(); it.Next()) {
    EXPECT_LT(last, it.key());
    last = it.key();
    content[it.key()] = it.value();
  }
  EXPECT_EQ(content.size(), map.size());
  return content;
}

TEST(OrderedMapTest, Empty) {
  Map map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.Find(1), nullptr);
  EXPECT_TRUE(map.begin().done());
  EXPECT_TRUE(map.LowerBound(0).done());
  EXPECT_FALSE(map.Erase(1));
}

// Compares random writes with std::map; every version taken on the way must stay unchanged.
TEST(OrderedMapTest, AgreesWithStdMapInEveryVersion) {
  std::mt19937 random(7);
  Map map;
  std::map<int, std::string> model;
  std::vector<std::pair<Map, std::map<int, std::string>>> versions;
  for (int step = 0; step < 4000; ++step) {
    const int key = static_cast<int>(random() % 300);
    if (random() % 3 == 0) {
      EXPECT_EQ(map.Erase(key), model.erase(key) == 1);
    } else {
      const std::string value = std::to_string(step);
      map.Set(key, value);
      model[key] = value;
    }
    if (step % 200 == 0) versions.emplace_back(map, model);
    const int probe = static_cast<int>(random() % 300);
    const auto expected = std::as_const(model).lower_bound(probe);
    ASSERT_EQ(map.CountFrom(probe), static_cast<size_t>(std::distance(expected, model.cend())));
    auto it = map.LowerBound(probe);
    ASSERT_EQ(it.done(), expected == model.end());
    if (!it.done()) {
      ASSERT_EQ(it.key(), expected->first);
      it.Next();
      ASSERT_EQ(it.done(), std::next(expected) == model.end());
    }
  }
  for (const auto& [version, content] : versions) EXPECT_EQ(Content(version), content);
  EXPECT_EQ(Content(map), model);
}

// Sorted insertion is the worst case of an unbalanced tree. It is tested indirectly: a million
// steps would take for ever, and a deep recursion would overflow the stack.
TEST(OrderedMapTest, StaysBalanced) {
  OrderedMap<int, int> map;
  constexpr int kSize = 200'000;
  for (int i = 0; i < kSize; ++i) map.Set(i, i);
  EXPECT_EQ(map.size(), static_cast<size_t>(kSize));
  for (int i = 0; i < kSize; i += 2) map.Erase(i);
  EXPECT_EQ(map.size(), static_cast<size_t>(kSize / 2));
  EXPECT_EQ(*map.Find(kSize - 1), kSize - 1);
}

}  // namespace
}  // namespace steward::storage
