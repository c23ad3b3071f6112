// States from before a writer began, and from times that it missed, told to it later.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/text/str_cat.h"
#include "storage/world/history.h"
#include "storage/world/rewind.h"
#include "storage/world/testing/lamp_world.h"
#include "storage/world/world_writer.h"

namespace steward::storage {
namespace {

using Lamps = std::map<kube::NamespacedName, LampPtr>;

// A cluster's whole past, of which the writer sees parts. Each revision changes one lamp, or none.
class Truth {
 public:
  Truth(std::mt19937& random, uint64_t revisions) : states_(1) {
    for (uint64_t revision = 1; revision <= revisions; ++revision) {
      Lamps next = states_.back();
      const auto draw = [&random](int n) {
        return std::uniform_int_distribution(0, n - 1)(random);
      };
      const kube::NamespacedName key = {"room", StrCat("lamp-", draw(5))};
      switch (draw(4)) {
        case 0:
          next.erase(key);
          break;
        case 1:
          break;
        default: {
          auto lamp = std::make_shared<Lamp>();
          lamp->key = key;
          lamp->uid = StrCat(key.name, "-", draw(2));
          lamp->on = draw(2) == 0;
          next[key] = std::move(lamp);
        }
      }
      states_.push_back(std::move(next));
    }
  }
  const Lamps& At(uint64_t revision) const { return states_[revision]; }
  std::vector<ObjectPtr> ListAt(uint64_t revision) const {
    std::vector<ObjectPtr> list;
    for (const auto& [key, lamp] : At(revision)) list.push_back(lamp);
    return list;
  }
  bool SameSince(uint64_t revision, uint64_t now) const {
    for (uint64_t r = revision; r < now; ++r) {
      if (!Same(At(r), At(r + 1))) return false;
    }
    return true;
  }
  static bool Same(const Lamps& a, const Lamps& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.first == y.first && *x.second == *y.second;
    });
  }

 private:
  std::vector<Lamps> states_;
};

class Writing {
 public:
  Writing(const Truth& truth, uint64_t start) : truth_(truth) {
    writer_.Replace(kRoomSource, {}, 1);
    Relist(start);
  }
  uint64_t seen() const { return seen_; }
  bool Knows(uint64_t revision) const {
    return writer_.Knows(kLampSource, revision) == Knowledge::kKnown;
  }
  void Relist(uint64_t revision) {
    seen_ = revision;
    writer_.Replace(kLampSource, truth_.ListAt(revision), revision);
  }
  void Follow() {
    const Lamps& before = truth_.At(seen_);
    const Lamps& after = truth_.At(++seen_);
    for (const auto& [key, lamp] : after) {
      const auto found = before.find(key);
      if (found == before.end() || !(*found->second == *lamp))
        writer_.Put(kLampSource, lamp, seen_);
    }
    for (const auto& [key, lamp] : before) {
      if (!after.contains(key)) writer_.Remove(kLampSource, key, seen_);
    }
    writer_.Progress(kLampSource, seen_);
  }
  void Recall(uint64_t revision) {
    std::optional<std::vector<ObjectPtr>> objects;
    if (!truth_.SameSince(revision, seen_)) objects = truth_.ListAt(revision);
    writer_.Recall(kLampSource, revision, std::move(objects));
  }
  // Checks that every state that the writer claims to know is the true one. States above the
  // current component must be the current one, because a number takes the larger of two revisions.
  void Check() const {
    const WorldPtr world = writer_.Snapshot();
    const uint64_t component = world->source(kLampSource).component;
    for (uint64_t revision = 1; revision <= seen_; ++revision) {
      if (!Knows(revision)) continue;
      StateVector vector = world->Vector();
      vector[static_cast<size_t>(kLampSource)] = revision;
      boost::asio::io_context io(1);
      const WorldPtr past = RunOn(io, Rewind(world, vector));
      Lamps lamps;
      const auto& found = LampWorld::Of(*past).lamps();
      for (auto it = found.begin(); !it.done(); it.Next()) lamps[it.key()] = it.value();
      ASSERT_TRUE(Truth::Same(lamps, truth_.At(revision))) << revision << " of " << seen_;
      if (revision <= component) continue;
      ASSERT_TRUE(Truth::Same(lamps, truth_.At(seen_)))
          << revision << " is not named " << component;
    }
  }

 private:
  const Truth& truth_;
  WorldWriter writer_{kLampSources};
  uint64_t seen_ = 0;
};

TEST(RecallTest, WhatIsRecalledIsWhatWas) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto draw = [&random](uint64_t low, uint64_t high) {
      return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    const Truth truth(random, 80);
    Writing writing(truth, draw(10, 40));
    for (int step = 0; step < 25 && writing.seen() < 70; ++step) {
      const uint64_t what = draw(0, 9);
      if (what < 4) {
        writing.Follow();
      } else if (what < 5) {
        writing.Relist(writing.seen() + draw(1, 6));
      } else {
        const uint64_t revision = draw(1, writing.seen());
        writing.Recall(revision);
        ASSERT_TRUE(writing.Knows(revision));
      }
      writing.Check();
      if (HasFatalFailure()) return;
    }
  }
}

// A lamp came and went between two equal lists. A client that has seen the lamp holds a number
// between the two lists' revisions, which must not be taken for the current state.
TEST(RecallTest, WhatCameAndWentIsAChange) {
  WorldWriter writer(kLampSources);
  writer.Replace(kRoomSource, {}, 1);
  writer.Replace(kLampSource, {}, 100);
  writer.Replace(kLampSource, {}, 110);
  EXPECT_EQ(writer.Snapshot()->source(kLampSource).component, 100);
  auto lamp = std::make_shared<Lamp>();
  lamp->key = {"a", "x"};
  const uint64_t changes = writer.Snapshot()->changes();
  writer.Recall(kLampSource, 105, std::vector<ObjectPtr>{std::move(lamp)});
  EXPECT_EQ(writer.Snapshot()->source(kLampSource).component, 110);
  EXPECT_GT(writer.Snapshot()->changes(), changes);
}

TEST(RecallTest, WhatNobodyKnowsAnyMoreIsGone) {
  WorldWriter writer(kLampSources);
  writer.Replace(kRoomSource, {}, 1);
  writer.Replace(kLampSource, {}, 100);
  const auto gone = [&writer](uint64_t revision) {
    return writer.Snapshot()->IsGone({1, revision});
  };
  EXPECT_FALSE(gone(50));
  writer.Recall(kLampSource, 40, std::vector<ObjectPtr>());
  writer.Forget(kLampSource, 60);
  EXPECT_TRUE(gone(50));
  EXPECT_TRUE(gone(60));
  EXPECT_FALSE(gone(40)) << "it was recalled before";
  EXPECT_FALSE(gone(61));
  EXPECT_FALSE(gone(100));
}

TEST(RecallTest, WhatIsAboveOrKnownIsLeftAlone) {
  WorldWriter writer(kLampSources);
  writer.Recall(kLampSource, 5, std::vector<ObjectPtr>());
  EXPECT_NE(writer.Knows(kLampSource, 5), Knowledge::kKnown) << "nothing was listed yet";
  writer.Replace(kLampSource, {}, 100);
  writer.Recall(kLampSource, 101, std::vector<ObjectPtr>());
  EXPECT_EQ(writer.Knows(kLampSource, 101), Knowledge::kNotYet);
  writer.Recall(kLampSource, 0, std::vector<ObjectPtr>());
  EXPECT_EQ(writer.Knows(kLampSource, 0), Knowledge::kForgotten);
}

}  // namespace
}  // namespace steward::storage
