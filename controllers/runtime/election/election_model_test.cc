// Random schedules: several processes campaign over networks that delay, fail and lose requests,
// hang for a while, have their wall clocks set, and write whenever they believe that they may.
// There are never two leaders, and no write arrives while another process leads.
#include <prometheus/registry.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/seeds/seeds.h"
#include "base/status/matchers.h"
#include "controllers/runtime/election/fenced_client.h"
#include "controllers/runtime/election/lease_elector.h"
#include "controllers/runtime/election/lease_record.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};
constexpr size_t kProcesses = 3;

struct Process {
  Process(int number, kube::FakeClient& cluster, FakeClock& clock, Random& random)
      : name(std::string(1, static_cast<char>('a' + number))),
        clock(clock),
        network(cluster, clock),
        elector(network, clock, random, Options(name), registry),
        client(network, network, elector.leadership(), clock) {
    tasks.Spawn("campaign", Campaign(*this));
    tasks.Spawn("write", Write(*this));
  }

  static LeaseElectorOptions Options(const std::string& name) {
    LeaseElectorOptions options;
    options.lease = {"ns", "l"};
    options.identity = name;
    return options;
  }
  static VoidTask Campaign(Process& self) {
    while (true) {
      co_await self.elector.Acquire();
      ++self.terms;
      if (self.release_next) {
        self.release_next = false;
        co_await self.elector.Release();
        continue;
      }
      co_await self.elector.Renew();
    }
  }
  // Patches an object of its own each half second.
  static VoidTask Write(Process& self) {
    const kube::NamespacedName object = {"", self.name};
    for (int64_t i = 0;; ++i) {
      const boost::json::value patch = {{"spec", i}};
      const kube::WriteOptions options;
      self.writing = true;
      (void)co_await self.client.Patch(kWidgets, object, kube::PatchType::kJsonMerge, patch,
                                       options);
      self.writing = false;
      co_await self.clock.Sleep(absl::Milliseconds(500));
    }
  }
  bool live() const { return elector.leadership().IsLive(); }
  void Settle() {
    if (hangs) return;
    io.restart();
    while (io.poll() > 0) {
    }
  }

  const std::string name;
  FakeClock& clock;
  boost::asio::io_context io{1};
  prometheus::Registry registry;
  kube::HookClient network;
  LeaseElector elector;
  FencedClient client;
  TaskGroup tasks{io.get_executor()};
  bool hangs = false;
  bool writing = false;
  bool release_next = false;
  int terms = 0;
};

class SeededRandom : public Random {
 public:
  explicit SeededRandom(uint32_t seed) : engine_(seed) {}
  double Uniform() override { return std::uniform_real_distribution<double>(0, 1)(engine_); }
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

 private:
  std::mt19937 engine_;
};

class ElectionModelTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  ElectionModelTest() {
    cluster_.Serve(kLeases);
    cluster_.Serve(kWidgets);
    for (size_t i = 0; i < kProcesses; ++i) {
      processes_[i] = std::make_unique<Process>(static_cast<int>(i), cluster_, clock_, random_);
      cluster_.Put(kWidgets, R"({"metadata":{"name":")" + processes_[i]->name + R"("}})");
    }
    seen_ = cluster_.Objects(kWidgets);
  }
  ~ElectionModelTest() override {
    for (auto& process : processes_) {
      process->network.ForgetFaults(kLeases);
      process->network.ForgetFaults(kWidgets);
      RunOn(process->io, process->tasks.Stop());
    }
  }

  Process& Any() { return *processes_[static_cast<size_t>(random_.Below(kProcesses))]; }

  void Misfortune() {
    Process& process = Any();
    static constexpr ClientVerb kVerbs[] = {ClientVerb::kGet, ClientVerb::kUpdate,
                                            ClientVerb::kUpdate, ClientVerb::kCreate};
    const kube::Calls lease = {kVerbs[random_.Below(4)], kLeases};
    const kube::Calls write = {ClientVerb::kPatch, kWidgets};
    const int times = 1 + random_.Below(6);
    switch (random_.Below(12)) {
      case 0:
        return process.network.FailNext(lease, absl::UnavailableError("reset"), times);
      case 1:
        return process.network.FailNext(
            lease, kube::ToStatus(kube::Conflict(kLeases, "l", "changed")), times);
      case 2:
        return process.network.FailNext(lease, kube::ToStatus(kube::InternalError("x")), times);
      case 3:
        return process.network.LoseNext(lease, times);
      case 4:
        return process.network.DelayNext(lease, absl::Milliseconds(random_.Below(20'000)), times);
      case 5:
        // No write may be half done while the process hangs: its own fence cannot stop what it
        // would do on waking.
        if (!process.writing) process.hangs = true;
        return;
      case 6:
      case 7:
        process.hangs = false;
        return;
      case 8:
        return process.network.DelayNext(write, absl::Milliseconds(random_.Below(20'000)));
      case 9:
        return clock_.SetBy(absl::Milliseconds(random_.Below(20'000) - 10'000));
      case 10:
        process.release_next = true;
        return;
      default:
        // The whole network of one process fails for a while.
        process.network.FailNext({ClientVerb::kUpdate, kLeases}, absl::UnavailableError("reset"),
                                 10 + random_.Below(10));
        process.network.DelayNext(write, absl::Seconds(10 + random_.Below(20)));
        return;
    }
  }
  void Step() {
    clock_.Advance(absl::Milliseconds(50 + random_.Below(400)));
    std::array<size_t, kProcesses> order{};
    for (size_t i = 0; i < kProcesses; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), shuffle_);
    for (const size_t i : order) {
      processes_[i]->Settle();
      Check();
    }
  }
  void Check() {
    std::string live;
    for (const auto& process : processes_) {
      if (process->live()) live += process->name;
    }
    EXPECT_LE(live.size(), 1u) << live << " lead";
    const auto objects = cluster_.Objects(kWidgets);
    for (const auto& [name, object] : objects) {
      if (seen_.at(name) == object) continue;
      ++writes_;
      EXPECT_TRUE(live.empty() || live == name.name)
          << name.name << " wrote while " << live << " leads";
    }
    seen_ = objects;
  }

  FakeClock clock_;
  SeededRandom random_{GetParam()};
  std::mt19937 shuffle_{GetParam()};
  kube::FakeClient cluster_;
  std::array<std::unique_ptr<Process>, kProcesses> processes_;
  std::map<kube::NamespacedName, std::string> seen_;
  int writes_ = 0;

  // Schedules in which nothing happens prove nothing; but a single one may have no luck.
  static void TearDownTestSuite() {
    if (schedules_ < 10) return;
    EXPECT_GT(all_terms_, 3 * schedules_);
    EXPECT_GT(all_writes_, 200 * schedules_);
  }
  static inline int schedules_ = 0;
  static inline int all_terms_ = 0;
  static inline int all_writes_ = 0;
};

TEST_P(ElectionModelTest, NeverTwoLeadersAndNoWriteOfAnother) {
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    if (random_.Below(20) == 0) Misfortune();
    Step();
  }
  // Without faults, one of the processes leads in the end.
  for (auto& process : processes_) {
    process->hangs = false;
    process->release_next = false;
    process->network.ForgetFaults(kLeases);
    process->network.ForgetFaults(kWidgets);
  }
  for (int i = 0; i < 400 && !HasFailure(); ++i) Step();
  int live = 0;
  int terms = 0;
  for (const auto& process : processes_) {
    live += process->live() ? 1 : 0;
    terms += process->terms;
  }
  EXPECT_EQ(live, 1);
  ++schedules_;
  all_terms_ += terms;
  all_writes_ += writes_;
}

const Seeds kSeeds = SeedsOr({1, 24});
INSTANTIATE_TEST_SUITE_P(Seeds, ElectionModelTest, ::testing::Range(kSeeds.first, kSeeds.end()));

}  // namespace
}  // namespace steward::controllers
