// Runs cleaners as processes that crash, lose their leadership and meet failing servers.
#ifndef CONTROLLERS_CLEANUP_TESTING_DRIVER_H_
#define CONTROLLERS_CLEANUP_TESTING_DRIVER_H_

#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/cleanup/testing/hook_client.h"
#include "controllers/cleanup/testing/oracle.h"
#include "controllers/runtime/election/fenced_client.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"

namespace steward::controllers {

class TestLeadership : public Leadership {
 public:
  absl::Duration Remaining() const override {
    return live ? absl::InfiniteDuration() : absl::ZeroDuration();
  }
  bool live = true;
};

class NoEvents : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

// Decides each call's fate, in the middle of a pass. It may change the cluster before.
using Nemesis = std::function<boost::asio::awaitable<TestFate>(const TestCall& call)>;

// A cluster, an oracle, and the process that is leader. Every call takes a few milliseconds, and
// where a cleaner makes several at a time they overlap in an order that follows from the seed.
class TestDriver {
 public:
  TestDriver(const ClusterShape& shape, CleanerOptions options, uint64_t seed);
  ~TestDriver();

  TestCluster& cluster() { return cluster_; }
  Oracle& oracle() { return oracle_; }
  void SetNemesis(Nemesis nemesis) { nemesis_ = std::move(nemesis); }

  // What each DELETE takes, after it was carried out.
  void SetSlowness(absl::Duration each_delete);

  // A change that a test makes, between passes.
  void Change(VoidTask change);
  VoidTask ChangeNow(VoidTask change);

  // A fresh process takes over; the one before is killed, or deposed and forgotten.
  void Restart();
  // Another process takes over in the middle of a pass of this one, which goes on for a while
  // without knowing: the new one makes a whole pass meanwhile.
  VoidTask TakeOver();

  struct Outcome {
    bool killed = false;
    bool failed = false;
    std::optional<absl::Duration> again;
  };
  Outcome Pass();
  void Sweep();
  // Passes, with the time between them that they ask for, until there is nothing left to do, or
  // `passes` were made; the operator finishes `finishing` CRs and OLM does its part in between.
  void Quiet(int passes, int finishing);

  bool Released() { return !cluster_.HasFinalizer("operatorframework.io/delete-custom-resources"); }
  // Writes begun so far, and reads and writes.
  int writes() const { return writes_; }
  int calls() const { return calls_; }
  const std::vector<std::string>& log() const { return log_; }
  void Log(std::string line);

 private:
  struct Process : TestHooks {
    Process(TestDriver& driver, CleanerDeps deps, const CleanerOptions& options);
    boost::asio::awaitable<TestFate> Before(const TestCall& call) override;
    boost::asio::awaitable<void> After(const TestCall& call, const absl::Status& outcome) override;

    TestDriver& driver;
    TestLeadership leadership;
    std::unique_ptr<HookClient> hooked;
    std::unique_ptr<FencedClient> client;
    std::unique_ptr<Cleaner> cleaner;
    int number = 0;
    absl::Duration pass_began;
    bool blind = false;
  };
  std::unique_ptr<Process> NewProcess();

  boost::asio::awaitable<TestFate> Before(Process& caller, const TestCall& call);
  boost::asio::awaitable<void> After(Process& caller, const TestCall& call,
                                     const absl::Status& outcome);
  void RestartAfterDeath();
  bool IsGuard(const TestCall& call) const;

  TestCluster cluster_;
  Oracle oracle_;
  const CleanerOptions options_;
  NoEvents events_;
  prometheus::Registry registry_;
  Nemesis nemesis_;
  absl::Duration slowness_;
  std::vector<std::unique_ptr<Process>> processes_;
  bool nested_ = false;
  int writes_ = 0;
  int calls_ = 0;
  std::mt19937 pace_;
  std::vector<std::string> log_;
  CleanupMetrics metrics_{registry_};
};

std::string Describe(const TestCall& call);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_DRIVER_H_
