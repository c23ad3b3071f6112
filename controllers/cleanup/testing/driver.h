// Runs cleaners in processes that crash, lose their leadership and meet failing servers, for tests.
// Not thread-safe.
#ifndef CONTROLLERS_CLEANUP_TESTING_DRIVER_H_
#define CONTROLLERS_CLEANUP_TESTING_DRIVER_H_

#include <prometheus/registry.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/cleanup/testing/oracle.h"
#include "controllers/runtime/election/fenced_client.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/queue/queue_metrics.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {

class NoEvents : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

// Decides each call's fate, during a pass. It may change the cluster first.
using Nemesis =
    std::function<boost::asio::awaitable<kube::HookedFate>(const kube::HookedCall& call)>;

// Options by which the schedule alone determines the order of calls.
CleanerOptions OneAtATime();
// Options as in production: calls overlap, and guards are read while deletions are under way.
CleanerOptions SeveralAtATime(size_t batch);

// A cluster, an oracle, and the process that is leader. Every call takes a few milliseconds. Calls
// that a cleaner makes at the same time overlap in an order that the seed determines.
class TestDriver {
 public:
  TestDriver(const ClusterShape& shape, CleanerOptions options, uint64_t seed);
  ~TestDriver();

  TestCluster& cluster() { return cluster_; }
  Oracle& oracle() { return oracle_; }
  void SetNemesis(Nemesis nemesis) { nemesis_ = std::move(nemesis); }

  // Sets the duration of each DELETE's answer, after it was carried out.
  void SetSlowness(absl::Duration each_delete) { slowness_ = each_delete; }

  // Makes a test's change, between passes.
  void Change(VoidTask change);
  VoidTask ChangeNow(VoidTask change);

  // Lets a new process take over; the old one is killed, or deposed and forgotten.
  void Restart();
  // Lets another process take over during a pass of this one. This one continues for a while
  // without knowing it, while the new one makes a whole pass.
  VoidTask TakeOver();

  struct Outcome {
    bool killed = false;
    bool failed = false;
    std::optional<absl::Duration> again;
  };
  Outcome Pass(const kube::NamespacedName& csv = kCsv);
  void Sweep();
  // Lets `workers` of the leader take CSVs, and the sweep, from one queue, for this time, or until
  // `tick` returns false. `tick` is called whenever all workers are idle, before time passes. A CSV
  // is added when it changes.
  void Work(absl::Duration how_long, size_t workers, const std::function<bool()>& tick);
  // Makes passes, at the requested times, until there is nothing left to do, or `passes` were made;
  // in between the operator finishes `finishing` CRs and OLM does its part.
  void Quiet(int passes, int finishing);

  bool Released() { return !cluster_.HasFinalizer("operatorframework.io/delete-custom-resources"); }
  // The number of writes that were begun so far, and that of all calls.
  int writes() const { return writes_; }
  int calls() const { return calls_; }
  const std::vector<std::string>& log() const { return log_; }
  // The violations that the oracle has found, and the log before them; empty = none.
  std::string Violations() const;
  void Log(std::string line);

 private:
  struct Process : kube::Hooks {
    Process(TestDriver& driver, CleanerDeps deps, const CleanerOptions& options);
    boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override;
    boost::asio::awaitable<void> After(const kube::HookedCall& call,
                                       const absl::Status& outcome) override;

    TestDriver& driver;
    TestLeadership leadership;
    std::unique_ptr<kube::HookClient> hooked;
    std::unique_ptr<FencedClient> client;
    void Wait(absl::Duration delay) override;
    void Leaves(const kube::HookedCall& call) override;
    void Hold(const kube::HookedCall& call) override;

    std::unique_ptr<Cleaner> cleaner;
    int number = 0;
    bool dead = false;
    std::map<kube::NamespacedName, Oracle::Pass> passes;  // those under way
    std::unique_ptr<WorkQueue> queue;                     // while its workers run
    std::unique_ptr<TaskGroup> workers;
    std::map<kube::NamespacedName, std::string> fed;  // by CSV: its state when queued
  };
  // A DELETE whose bytes are on their way.
  struct Held {
    absl::Duration due;
    kube::GroupVersionResource gvr;
    kube::NamespacedName name;
    kube::DeleteOptions options;
  };
  std::unique_ptr<Process> NewProcess();
  void StartWorkers(Process& process, size_t count);
  void StopWorkers(Process& process);
  VoidTask WorkOn(Process& process);
  void Feed();
  VoidTask DeliverHeld();

  boost::asio::awaitable<kube::HookedFate> Before(Process& caller, const kube::HookedCall& call);
  boost::asio::awaitable<void> After(Process& caller, const kube::HookedCall& call,
                                     const absl::Status& outcome);
  void RestartAfterDeath();
  bool IsGuard(const kube::HookedCall& call) const;

  TestCluster cluster_;
  Oracle oracle_;
  const CleanerOptions options_;
  NoEvents events_;
  prometheus::Registry registry_;
  Nemesis nemesis_;
  absl::Duration slowness_;
  size_t workers_ = 0;  // of each process; 0 = tests make the passes
  std::vector<Held> held_;
  std::vector<std::unique_ptr<Process>> processes_;
  bool nested_ = false;
  int writes_ = 0;
  int calls_ = 0;
  std::mt19937 pace_;
  std::vector<std::string> log_;
  CleanupMetrics metrics_{registry_};
  QueueMetrics queue_metrics_{registry_, "cleanup"};
};

std::string Describe(const kube::HookedCall& call);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_DRIVER_H_
