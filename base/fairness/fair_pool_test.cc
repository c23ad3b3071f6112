#include "base/fairness/fair_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/seeds/seeds.h"

namespace steward {
namespace {

using Answer = FairPool::Answer;
using Ticket = FairPool::Ticket;
using ::testing::ElementsAre;

// Tickets are numbered from 1 on, in the order of their entries.
std::vector<Ticket> Enter(FairPool& pool, const std::string& flow, int times) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < times; ++i) tickets.push_back(pool.Enter(flow).ticket);
  return tickets;
}

TEST(FairPoolTest, AFlowThatIsAloneGetsEverything) {
  FairPool pool({.places = 3, .waiting_per_flow = 2, .waiting = 10});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.Enter("a").answer, Answer::kAdmitted);
  EXPECT_EQ(pool.Enter("a").answer, Answer::kWaits);
  EXPECT_EQ(pool.Enter("a").answer, Answer::kWaits);
  EXPECT_EQ(pool.Enter("a").answer, Answer::kRefused);
  EXPECT_EQ(pool.held(), 3u);
  EXPECT_EQ(pool.waiting(), 2u);
  EXPECT_EQ(pool.Leave(1), 4u);
  EXPECT_EQ(pool.Leave(2), 5u);
  for (const Ticket ticket : {3, 4, 5}) EXPECT_EQ(pool.Leave(ticket), std::nullopt);
  EXPECT_EQ(pool.held(), 0u);
  EXPECT_EQ(pool.flows(), 0u);
}

TEST(FairPoolTest, AFlowHoldsNoMoreThanItMay) {
  FairPool pool({.places = 4, .places_per_flow = 2, .waiting_per_flow = 2, .waiting = 10});
  Enter(pool, "greedy", 4);  // 1, 2 hold, 3, 4 wait
  EXPECT_EQ(pool.held(), 2u);
  EXPECT_EQ(pool.Enter("greedy").answer, Answer::kRefused);
  EXPECT_EQ(pool.Enter("b").answer, Answer::kAdmitted) << "others are served at once";  // 5
  EXPECT_EQ(pool.Leave(5), std::nullopt) << "which is no reason to hold more";
  EXPECT_EQ(pool.Leave(1), 3u);
  EXPECT_EQ(pool.Leave(2), 4u);
  EXPECT_EQ(pool.held(), 2u);
}

TEST(FairPoolTest, WhoHoldsFewestIsNextAndAmongEqualsWhoWaitedLongest) {
  FairPool pool({.places = 4, .waiting_per_flow = 10, .waiting = 100});
  Enter(pool, "greedy", 10);  // 1..4 hold, 5..10 wait
  Enter(pool, "b", 2);        // 11, 12
  Enter(pool, "c", 1);        // 13
  std::vector<Ticket> next;
  for (const Ticket ticket : {1, 2, 3, 4}) next.push_back(pool.Leave(ticket).value());
  // b and c hold nothing; then greedy and b hold one place each, and greedy has waited longer.
  EXPECT_THAT(next, ElementsAre(11, 13, 5, 6));
}

TEST(FairPoolTest, WhoWaitsNoLongerGetsNothingAndFreesNothing) {
  FairPool pool({.places = 1, .waiting_per_flow = 10, .waiting = 100});
  Enter(pool, "a", 3);
  EXPECT_EQ(pool.Leave(2), std::nullopt);
  EXPECT_EQ(pool.Leave(1), 3u);
}

TEST(FairPoolTest, AFullQueueMakesRoomForThoseWhoQueueLess) {
  FairPool pool({.places = 1, .waiting_per_flow = 3, .waiting = 4});
  Enter(pool, "a", 4);  // 2, 3, 4 wait
  Enter(pool, "b", 1);  // 5
  EXPECT_EQ(pool.Enter("a").answer, Answer::kRefused);
  const FairPool::Entry third = pool.Enter("c");
  EXPECT_EQ(third.answer, Answer::kWaits);
  EXPECT_EQ(third.displaced, 4u) << "the newest of the longest";
  // b's queue would then be as long as a's is now.
  const FairPool::Entry again = pool.Enter("b");
  EXPECT_EQ(again.answer, Answer::kRefused);
  EXPECT_EQ(again.displaced, std::nullopt);
  EXPECT_EQ(pool.waiting(), 4u);
}

TEST(FairPoolTest, TheLastEighthIsForThoseWhoHoldNothing) {
  FairPool pool({.places = 16, .waiting_per_flow = 10, .waiting = 100, .reserve = true});
  Enter(pool, "greedy", 16);
  EXPECT_EQ(pool.held(), 14u);
  EXPECT_EQ(pool.waiting(), 2u);
  EXPECT_EQ(pool.Enter("modest").answer, Answer::kAdmitted);  // 17
  EXPECT_EQ(pool.Enter("modest").answer, Answer::kWaits);     // 18
  EXPECT_EQ(pool.Enter("third").answer, Answer::kAdmitted);   // 19
  EXPECT_EQ(pool.Enter("fourth").answer, Answer::kWaits);     // 20
  EXPECT_EQ(pool.Leave(1), 20u);
  EXPECT_EQ(pool.Leave(2), std::nullopt) << "the reserve is full again";
  EXPECT_EQ(pool.Leave(17), 18u) << "who holds nothing now";
  EXPECT_EQ(pool.Leave(3), std::nullopt);
}

TEST(FairPoolTest, WithoutQueuesNobodyWaits) {
  FairPool pool({.places = 1});
  EXPECT_EQ(pool.Enter("a").answer, Answer::kAdmitted);
  EXPECT_EQ(pool.Enter("b").answer, Answer::kRefused);
  EXPECT_EQ(pool.flows(), 1u);
}

// The rules of FairPool, written as plainly as possible.
class Oracle {
 public:
  explicit Oracle(FairPool::Limits limits) : limits_(limits) {}

  FairPool::Entry Enter(const std::string& flow) {
    FairPool::Entry entry;
    if (!HasPlaceFor(flow)) {
      if (Waiting(flow) >= limits_.waiting_per_flow) return entry;
      if (waiting_.size() >= limits_.waiting) {
        entry.displaced = NewestOfTheLongest();
        if (!entry.displaced || Waiting(waiting_.at(*entry.displaced)) <= Waiting(flow) + 1) {
          entry.displaced.reset();
          return entry;
        }
        waiting_.erase(*entry.displaced);
      }
      entry.answer = Answer::kWaits;
      waiting_[entry.ticket = ++last_] = flow;
      return entry;
    }
    entry.answer = Answer::kAdmitted;
    held_[entry.ticket = ++last_] = flow;
    return entry;
  }
  std::optional<Ticket> Leave(Ticket ticket) {
    if (waiting_.erase(ticket) > 0) return std::nullopt;
    held_.erase(ticket);
    std::optional<Ticket> best;
    for (const auto& [candidate, flow] : waiting_) {
      if (!best || Held(flow) < Held(waiting_.at(*best))) best = candidate;
    }
    if (best && !HasPlaceFor(waiting_.at(*best))) best.reset();
    if (best) {
      held_[*best] = waiting_.at(*best);
      waiting_.erase(*best);
    }
    return best;
  }
  std::vector<Ticket> Present() const {
    std::vector<Ticket> present;
    for (const auto& [ticket, flow] : held_) present.push_back(ticket);
    for (const auto& [ticket, flow] : waiting_) present.push_back(ticket);
    return present;
  }
  // No flow waits while there is a free place that it may have.
  bool NobodyWaitsInVain() const {
    return std::none_of(waiting_.begin(), waiting_.end(),
                        [&](const auto& entry) { return HasPlaceFor(entry.second); });
  }
  size_t held() const { return held_.size(); }
  size_t waiting() const { return waiting_.size(); }

 private:
  bool HasPlaceFor(const std::string& flow) const {
    if (held_.size() >= limits_.places) return false;
    const bool in_reserve = held_.size() >= limits_.places - limits_.places / 8;
    return !limits_.reserve || !in_reserve || Held(flow) == 0;
  }
  static size_t Count(const std::map<Ticket, std::string>& in, const std::string& flow) {
    return std::count_if(in.begin(), in.end(), [&](const auto& e) { return e.second == flow; });
  }
  size_t Held(const std::string& flow) const { return Count(held_, flow); }
  size_t Waiting(const std::string& flow) const { return Count(waiting_, flow); }
  std::optional<Ticket> NewestOfTheLongest() const {
    std::optional<Ticket> newest;
    for (const auto& [ticket, flow] : waiting_) {
      if (!newest || Waiting(flow) >= Waiting(waiting_.at(*newest))) newest = ticket;
    }
    return newest;
  }

  const FairPool::Limits limits_;
  Ticket last_ = 0;
  std::map<Ticket, std::string> held_, waiting_;  // flow by ticket
};

TEST(FairPoolTest, DoesWhatTheOracleSays) {
  const Seeds seeds = SeedsOr({.first = 1, .count = 200});
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const bool reserve = seed % 2 == 0;
    const FairPool::Limits limits{.places = 1 + random() % (reserve ? 30 : 5),
                                  .waiting_per_flow = random() % 5,
                                  .waiting = random() % 9,
                                  .reserve = reserve};
    FairPool pool(limits);
    Oracle oracle(limits);
    const unsigned crowd = 2 + random() % 8;  // of ten steps, this many are entries
    for (int step = 0; step < 300; ++step) {
      const std::vector<Ticket> present = oracle.Present();
      if (present.empty() || random() % 10 < crowd) {
        // One flow makes as many requests as the others together.
        const std::string flow = random() % 2 == 0 ? "greedy" : std::string(1, 'a' + random() % 4);
        const FairPool::Entry got = pool.Enter(flow);
        const FairPool::Entry want = oracle.Enter(flow);
        ASSERT_EQ(got.answer, want.answer) << step;
        ASSERT_EQ(got.ticket, want.ticket) << step;
        ASSERT_EQ(got.displaced, want.displaced) << step;
      } else {
        const Ticket ticket = present[random() % present.size()];
        ASSERT_EQ(pool.Leave(ticket), oracle.Leave(ticket)) << step;
      }
      ASSERT_EQ(pool.held(), oracle.held());
      ASSERT_EQ(pool.waiting(), oracle.waiting());
      ASSERT_TRUE(oracle.NobodyWaitsInVain()) << step;
    }
    for (const Ticket ticket : oracle.Present()) {
      ASSERT_EQ(pool.Leave(ticket), oracle.Leave(ticket));
    }
    EXPECT_EQ(pool.flows(), 0u);
  }
}

}  // namespace
}  // namespace steward
