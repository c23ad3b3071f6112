#include "apiserver/http/limits/connection_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/address.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Pass = ConnectionGate::Pass;
using Passes = std::vector<std::unique_ptr<Pass>>;

constexpr size_t kMax = 80;
constexpr size_t kOthers = 70;

boost::asio::ip::address Source(int n) {
  return boost::asio::ip::address_v4(static_cast<unsigned>(0x0a000000 + n));
}

// Opens `count` connections on which requests run, each from a source of its own.
Passes Fill(ConnectionGate& gate, size_t count) {
  Passes passes;
  for (size_t i = 0; i < count; ++i) {
    passes.push_back(gate.Admit(Source(1000 + static_cast<int>(i))));
    EXPECT_NE(passes.back(), nullptr);
    passes.back()->Busy();
  }
  return passes;
}

std::unique_ptr<Pass> Busy(ConnectionGate& gate, int source) {
  std::unique_ptr<Pass> pass = gate.Admit(Source(source));
  pass->Busy();
  return pass;
}

TEST(ConnectionGateTest, ASourceHasItsLimit) {
  ConnectionGate gate(kMax, 2);
  const auto one = Busy(gate, 1);
  auto two = Busy(gate, 1);
  EXPECT_FALSE(two->provisional());
  const auto over = gate.Admit(Source(1));
  EXPECT_TRUE(over->provisional());
  EXPECT_FALSE(gate.Admit(Source(2))->provisional());
  EXPECT_FALSE(over->Settle(/*front_proxy=*/false));
  EXPECT_EQ(gate.stats().rejected_source, 1u);
  two.reset();
  EXPECT_FALSE(gate.Admit(Source(1))->provisional());
}

TEST(ConnectionGateTest, AFrontProxyCountsAgainstNoSource) {
  ConnectionGate gate(kMax, 2);
  Passes passes;
  for (int i = 0; i < 20; ++i) {
    passes.push_back(gate.Admit(Source(1)));
    ASSERT_NE(passes.back(), nullptr);
    EXPECT_TRUE(passes.back()->Settle(/*front_proxy=*/true));
  }
  EXPECT_EQ(gate.stats().connections, 20u);
  EXPECT_FALSE(gate.Admit(Source(1))->provisional());
  passes.clear();
  EXPECT_EQ(gate.stats().connections, 0u);
}

TEST(ConnectionGateTest, TheReserveIsForFrontProxies) {
  ConnectionGate gate(kMax, kMax);
  Passes others = Fill(gate, kOthers);
  const auto proxy = gate.Admit(Source(1));
  ASSERT_TRUE(proxy->provisional());
  EXPECT_TRUE(proxy->Settle(true));
  const auto other = gate.Admit(Source(2));
  ASSERT_TRUE(other->provisional());
  EXPECT_FALSE(other->Settle(false));
  EXPECT_EQ(gate.stats().rejected_full, 1u);
  // A connection for which a place became free by the end of its handshake stays.
  const auto lucky = gate.Admit(Source(3));
  others.pop_back();
  EXPECT_TRUE(lucky->Settle(false));
  lucky->Busy();
  EXPECT_TRUE(gate.Admit(Source(4))->provisional());
}

TEST(ConnectionGateTest, TheTotalHasNoException) {
  ConnectionGate gate(kMax, kMax);
  const Passes others = Fill(gate, kOthers);
  Passes reserve;
  for (size_t i = kOthers; i < kMax; ++i) {
    reserve.push_back(gate.Admit(Source(1)));
    ASSERT_NE(reserve.back(), nullptr);
  }
  EXPECT_EQ(gate.Admit(Source(1)), nullptr);
  EXPECT_EQ(gate.stats().connections, kMax);
  EXPECT_EQ(gate.stats().rejected_full, 1u);
}

TEST(ConnectionGateTest, FewAreProvisionalAtATime) {
  ConnectionGate gate(10000, 1);
  const auto one = Busy(gate, 1);
  Passes passes;
  for (size_t i = 0; i < ConnectionGate::kMaxProvisional; ++i) {
    passes.push_back(gate.Admit(Source(1)));
    ASSERT_NE(passes.back(), nullptr);
  }
  EXPECT_EQ(gate.Admit(Source(1)), nullptr);
  EXPECT_EQ(gate.stats().rejected_source, 1u);
  passes.pop_back();
  EXPECT_TRUE(gate.Admit(Source(1))->provisional());
}

// A fixture whose connections end as soon as they are told to.
class FloodTest : public ::testing::Test {
 protected:
  Pass* Connect(const std::string& name, int source) {
    std::unique_ptr<Pass> pass = gate_.Admit(Source(source));
    if (pass == nullptr) return nullptr;
    Pass* const raw = pass.get();
    EXPECT_TRUE(raw->Enter([this, name] {
      closed_.push_back(name);
      open_.erase(name);
    }));
    open_[name] = std::move(pass);
    return raw;
  }

  // Closes all connections that can be displaced, one after the other; returns their names.
  std::vector<std::string> ShedAll() {
    closed_.clear();
    for (uint64_t before = ~uint64_t{0}; before != gate_.stats().shed;) {
      before = gate_.stats().shed;
      gate_.Shed();
    }
    return closed_;
  }

  std::vector<std::string> closed_;
  ConnectionGate gate_{8, 3};  // 7 for others than front proxies
  std::map<std::string, std::unique_ptr<Pass>> open_;
};

TEST_F(FloodTest, TheLongestIdleGoesFirst) {
  for (const char* name : {"a", "b", "c"}) Connect(name, 1);
  EXPECT_THAT(ShedAll(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ShedAll(), IsEmpty()) << "each once";
}

TEST_F(FloodTest, ARequestThatRunsProtects) {
  Pass* const a = Connect("a", 1);
  Connect("b", 1);
  a->Busy();
  a->Busy();
  EXPECT_THAT(ShedAll(), ElementsAre("b"));
  a->Idle(false);
  EXPECT_THAT(ShedAll(), ElementsAre("a"));
}

TEST_F(FloodTest, WhoWasIdleLateGoesLate) {
  Pass* const a = Connect("a", 1);
  Connect("b", 1);
  a->Busy();
  a->Idle(false);
  EXPECT_THAT(ShedAll(), ElementsAre("b", "a"));
}

TEST_F(FloodTest, WhoIsKnownStays) {
  Pass* const user = Connect("user", 1);
  user->Busy();
  user->Idle(true);
  Pass* const proxy = Connect("proxy", 1);
  EXPECT_TRUE(proxy->Settle(/*front_proxy=*/true));
  EXPECT_THAT(ShedAll(), IsEmpty());
}

TEST_F(FloodTest, WhoIsGoneIsForgotten) {
  for (const char* name : {"a", "b"}) Connect(name, 1);
  open_.erase("a");
  EXPECT_THAT(ShedAll(), ElementsAre("b"));
}

TEST_F(FloodTest, WhoeverComesTakesAnIdleStrangersPlace) {
  for (int i = 0; i < 100; ++i) {
    Pass* const stranger = Connect(StrCat(i), i);
    ASSERT_NE(stranger, nullptr);
    EXPECT_FALSE(stranger->provisional());
    EXPECT_TRUE(stranger->Settle(false));
  }
  EXPECT_EQ(gate_.stats().connections, 7u);
  EXPECT_EQ(closed_.front(), "0");
  EXPECT_EQ(closed_.back(), "92");
  EXPECT_EQ(gate_.stats().shed, 93u);
}

TEST_F(FloodTest, ASourceThatHasEnoughDisplacesItself) {
  Connect("other", 2);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(Connect(StrCat(i), 1)->provisional());
  EXPECT_THAT(closed_, ElementsAre("0", "1"));
}

TEST_F(FloodTest, FrontProxiesInTheReserveTakeNoMoreThanThat) {
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(Connect(StrCat("proxy", i), 1)->Settle(true));
  EXPECT_EQ(Connect("a", 2), nullptr);
  open_.erase("proxy0");
  EXPECT_NE(Connect("a", 2), nullptr);
  EXPECT_NE(Connect("b", 2), nullptr);
  EXPECT_THAT(closed_, ElementsAre("a"));
}

TEST_F(FloodTest, OneThatEndsItsHandshakeDisplacesToo) {
  Passes busy = Fill(gate_, 7);
  Pass* const provisional = Connect("provisional", 1);
  ASSERT_TRUE(provisional->provisional());
  busy[0]->Idle(false);
  EXPECT_TRUE(provisional->Settle(false));
  EXPECT_EQ(gate_.stats().shed, 1u);
  // This connection lost its place before it could be told to close.
  EXPECT_FALSE(busy[0]->Enter([] { FAIL(); }));
  EXPECT_FALSE(busy[0]->Settle(/*front_proxy=*/true));
  busy[0]->Idle(false);
  EXPECT_THAT(ShedAll(), ElementsAre("provisional"));
}

TEST(ConnectionGateTest, FewAreLeavingAtATime) {
  ConnectionGate gate(8, 8);
  Passes passes;
  for (size_t i = 0; i < 8 + ConnectionGate::kMaxLeaving - 1; ++i) {
    passes.push_back(gate.Admit(Source(1)));
    ASSERT_NE(passes.back(), nullptr) << i;
  }
  while (auto pass = gate.Admit(Source(1))) passes.push_back(std::move(pass));
  EXPECT_EQ(gate.stats().connections, 8 + ConnectionGate::kMaxLeaving);
  // One of the displaced connections ends.
  passes.erase(passes.begin());
  EXPECT_NE(gate.Admit(Source(1)), nullptr);
}

}  // namespace
}  // namespace steward::http
