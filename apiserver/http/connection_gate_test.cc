#include "apiserver/http/connection_gate.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/address.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace steward::http {
namespace {

using Verdict = ConnectionGate::Verdict;
using Passes = std::vector<std::unique_ptr<ConnectionGate::Pass>>;

constexpr size_t kMax = 80;
constexpr size_t kOthers = 70;

boost::asio::ip::address Source(int n) {
  return boost::asio::ip::address_v4(static_cast<unsigned>(0x0a000000 + n));
}

// As many connections, each from a source of its own.
Passes Fill(ConnectionGate& gate, size_t count) {
  Passes passes;
  for (size_t i = 0; i < count; ++i) {
    passes.push_back(gate.Admit(Source(1000 + static_cast<int>(i))).pass);
    EXPECT_NE(passes.back(), nullptr);
  }
  return passes;
}

TEST(ConnectionGateTest, ASourceHasItsLimit) {
  ConnectionGate gate(kMax, 2);
  const auto one = gate.Admit(Source(1));
  auto two = gate.Admit(Source(1));
  EXPECT_EQ(two.verdict, Verdict::kAdmitted);
  const auto over = gate.Admit(Source(1));
  EXPECT_EQ(over.verdict, Verdict::kProvisional);
  EXPECT_EQ(gate.Admit(Source(2)).verdict, Verdict::kAdmitted);
  EXPECT_FALSE(over.pass->Settle(/*front_proxy=*/false));
  two.pass.reset();
  EXPECT_EQ(gate.Admit(Source(1)).verdict, Verdict::kAdmitted);
}

TEST(ConnectionGateTest, AFrontProxyCountsAgainstNoSource) {
  ConnectionGate gate(kMax, 2);
  Passes passes;
  for (int i = 0; i < 20; ++i) {
    ConnectionGate::Admission admission = gate.Admit(Source(1));
    ASSERT_NE(admission.pass, nullptr);
    EXPECT_TRUE(admission.pass->Settle(/*front_proxy=*/true));
    passes.push_back(std::move(admission.pass));
  }
  EXPECT_EQ(gate.connections(), 20u);
  EXPECT_EQ(gate.Admit(Source(1)).verdict, Verdict::kAdmitted);
  passes.clear();
  EXPECT_EQ(gate.connections(), 0u);
}

TEST(ConnectionGateTest, TheReserveIsForFrontProxies) {
  ConnectionGate gate(kMax, kMax);
  Passes strangers = Fill(gate, kOthers);
  EXPECT_TRUE(gate.crowded());
  const auto proxy = gate.Admit(Source(1));
  ASSERT_EQ(proxy.verdict, Verdict::kProvisional);
  EXPECT_TRUE(proxy.pass->Settle(true));
  const auto stranger = gate.Admit(Source(2));
  ASSERT_EQ(stranger.verdict, Verdict::kProvisional);
  EXPECT_FALSE(stranger.pass->Settle(false));
  // One that found a place by the end of its handshake stays.
  const auto lucky = gate.Admit(Source(3));
  strangers.pop_back();
  EXPECT_FALSE(gate.crowded());
  EXPECT_TRUE(lucky.pass->Settle(false));
  EXPECT_TRUE(gate.crowded());
}

TEST(ConnectionGateTest, TheTotalHasNoException) {
  ConnectionGate gate(kMax, kMax);
  const Passes others = Fill(gate, kOthers);
  Passes reserve;
  for (size_t i = kOthers; i < kMax; ++i) {
    reserve.push_back(gate.Admit(Source(1)).pass);
    ASSERT_NE(reserve.back(), nullptr);
  }
  EXPECT_EQ(gate.Admit(Source(1)).verdict, Verdict::kFull);
  EXPECT_EQ(gate.connections(), kMax);
}

TEST(ConnectionGateTest, FewAreProvisionalAtATime) {
  ConnectionGate gate(10000, 1);
  const auto one = gate.Admit(Source(1));
  Passes passes;
  for (size_t i = 0; i < ConnectionGate::kMaxProvisional; ++i) {
    passes.push_back(gate.Admit(Source(1)).pass);
    ASSERT_NE(passes.back(), nullptr);
  }
  EXPECT_EQ(gate.Admit(Source(1)).verdict, Verdict::kSourceFull);
  passes.pop_back();
  EXPECT_EQ(gate.Admit(Source(1)).verdict, Verdict::kProvisional);
}

}  // namespace
}  // namespace steward::http
