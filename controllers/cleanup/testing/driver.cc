#include "controllers/cleanup/testing/driver.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/async/yield.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/resources.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kLongestCall = absl::Milliseconds(8);
// The time that passes while all workers are idle.
constexpr absl::Duration kTick = absl::Milliseconds(50);
const kube::NamespacedName kSweep = {"", "sweep"};

}  // namespace

std::string Describe(const kube::HookedCall& call) {
  return StrCat(kube::VerbText(call.verb), " ", call.gvr.resource, " ", call.name.ns, "/",
                call.name.name, call.body == nullptr ? "" : StrCat(" ", Serialize(*call.body)));
}

TestDriver::Process::Process(TestDriver& of, CleanerDeps deps, const CleanerOptions& options)
    : driver(of) {
  hooked = std::make_unique<kube::HookClient>(driver.cluster_.client(), *this);
  client = std::make_unique<FencedClient>(*hooked, *hooked, leadership, driver.cluster_.clock());
  CleanerDeps mine{*client, leadership, deps.events, deps.clock, deps.metrics, deps.known};
  cleaner = std::make_unique<Cleaner>(std::move(mine), options);
}

boost::asio::awaitable<kube::HookedFate> TestDriver::Process::Before(const kube::HookedCall& call) {
  return driver.Before(*this, call);
}

boost::asio::awaitable<void> TestDriver::Process::After(const kube::HookedCall& call,
                                                        const absl::Status& outcome) {
  return driver.After(*this, call, outcome);
}

void TestDriver::Process::Wait(absl::Duration delay) { driver.cluster_.clock().Advance(delay); }

void TestDriver::Process::Leaves(const kube::HookedCall& call) {
  if (call.IsWrite()) driver.oracle_.CheckWrite(call, number);
}

void TestDriver::Process::Hold(const kube::HookedCall& call) {
  const absl::Duration due =
      driver.cluster_.clock().Monotonic() + absl::Seconds(1) * (1 + driver.pace_() % 60);
  driver.held_.push_back({due, call.gvr, call.name, *call.deletion});
}

CleanerOptions OneAtATime() {
  CleanerOptions options;
  options.deleter.width = 1;
  options.deleter.read_ahead = false;
  options.guards.width = 1;
  options.deleter.batch = 3;
  options.deleter.round = 4;
  return options;
}

CleanerOptions SeveralAtATime(size_t batch) {
  CleanerOptions options;
  options.deleter.width = 3;
  options.guards.width = 2;
  options.deleter.batch = batch;
  options.deleter.round = 6;
  return options;
}

TestDriver::TestDriver(const ClusterShape& shape, CleanerOptions options, uint64_t seed)
    : cluster_(shape, seed), oracle_(cluster_), options_(std::move(options)), pace_(seed) {
  cluster_.Run(oracle_.Observe());
  Restart();
}

TestDriver::~TestDriver() {
  for (const auto& process : processes_) StopWorkers(*process);
}

std::unique_ptr<TestDriver::Process> TestDriver::NewProcess() {
  static const TestLeadership unused;
  CleanerDeps deps{cluster_.client(), unused, events_, cluster_.clock(), metrics_, nullptr};
  auto process = std::make_unique<Process>(*this, std::move(deps), options_);
  process->number = static_cast<int>(processes_.size());
  return process;
}

std::string TestDriver::Violations() const {
  if (oracle_.violations().empty()) return "";
  std::string text;
  for (const std::string& violation : oracle_.violations()) StrAppend(&text, violation, "\n");
  StrAppend(&text, "log:\n");
  for (const std::string& line : log_) StrAppend(&text, "  ", line, "\n");
  return text;
}

void TestDriver::Log(std::string line) {
  log_.push_back(
      StrCat(absl::FormatDuration(cluster_.clock().Monotonic() - absl::Seconds(1'700'000'000)), " ",
             line));
}

void TestDriver::Change(VoidTask change) { cluster_.Run(ChangeNow(std::move(change))); }

VoidTask TestDriver::ChangeNow(VoidTask change) {
  cluster_.clock().Advance(absl::Milliseconds(1));
  co_await std::move(change);
  co_await oracle_.Observe();
  Feed();
}

// Adds changed CSVs, as the watches of ClusterServiceVersions would.
void TestDriver::Feed() {
  for (const auto& process : processes_) {
    if (process->queue == nullptr) continue;
    for (const auto& [key, csv] : oracle_.now().csvs) {
      std::string& fed = process->fed[key];
      if (csv.finalizer && fed != csv.resource_version) process->queue->Add(key);
      fed = csv.resource_version;
    }
  }
}

// Carries out the held DELETEs that are due.
VoidTask TestDriver::DeliverHeld() {
  for (size_t i = 0; i < held_.size();) {
    if (held_[i].due > cluster_.clock().Monotonic()) {
      ++i;
      continue;
    }
    const Held one = held_[i];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    const absl::Status ignored =
        (co_await cluster_.client().Delete(one.gvr, one.name, one.options)).status();
    (void)ignored;
    Log(StrCat("the DELETE of ", one.name.ns, "/", one.name.name, " arrives"));
  }
}

void TestDriver::Restart() {
  Log("a process begins");
  if (!processes_.empty()) {
    Process* const ended = processes_.back().get();
    ended->leadership.leads = false;
    StopWorkers(*ended);
    ended->cleaner.reset();
    if (processes_.back().get() != ended) return;  // another one took over meanwhile
  }
  processes_.push_back(NewProcess());
  if (workers_ > 0) StartWorkers(*processes_.back(), workers_);
}

// The process may have died in a call that was preceded by a change.
void TestDriver::RestartAfterDeath() {
  Change(DeliverHeld());
  Restart();
}

VoidTask TestDriver::TakeOver() {
  if (nested_) co_return;
  Log("another process takes over");
  processes_.back()->leadership.leads = false;
  processes_.push_back(NewProcess());
  Process* const next = processes_.back().get();
  if (workers_ > 0) {
    StartWorkers(*next, workers_);
    co_return;
  }
  nested_ = true;
  next->passes = {{kCsv, {cluster_.clock().Monotonic()}}};
  const absl::StatusOr<ReconcileResult> ignored = co_await next->cleaner->Reconcile(kCsv);
  (void)ignored;
  nested_ = false;
  Log("the deposed one goes on");
}

TestDriver::Outcome TestDriver::Pass(const kube::NamespacedName& csv) {
  Process* const process = processes_.back().get();
  Outcome outcome;
  if (!held_.empty()) Change(DeliverHeld());
  process->passes = {{csv, {cluster_.clock().Monotonic()}}};
  Log(StrCat("pass of process ", process->number, " over ", csv.name));
  cluster_.clock().Advance(absl::Milliseconds(1));
  try {
    const absl::StatusOr<ReconcileResult> result = cluster_.Run(process->cleaner->Reconcile(csv));
    outcome.failed = !result.ok();
    if (result.ok()) outcome.again = result->requeue_after;
    if (!result.ok()) Log(StrCat("failed: ", result.status().message()));
  } catch (const kube::ProcessKilled&) {
    outcome.killed = true;
  }
  nested_ = false;
  if (outcome.killed) RestartAfterDeath();
  return outcome;
}

void TestDriver::Sweep() {
  Process* const process = processes_.back().get();
  process->passes = {{kSweep, {cluster_.clock().Monotonic()}}};
  Log("sweep");
  bool killed = false;
  try {
    const absl::Status ignored = cluster_.Run(process->cleaner->Sweep()).failure;
    (void)ignored;
  } catch (const kube::ProcessKilled&) {
    killed = true;
  }
  nested_ = false;
  if (killed) RestartAfterDeath();
}

void TestDriver::StartWorkers(Process& process, size_t count) {
  process.queue = std::make_unique<WorkQueue>(RateLimits{}, cluster_.clock(), queue_metrics_);
  process.workers = std::make_unique<TaskGroup>(cluster_.io().get_executor());
  process.workers->Spawn("delays", process.queue->RunDelays());
  for (size_t i = 0; i < count; ++i) process.workers->Spawn("worker", WorkOn(process));
  process.queue->Add(kSweep);
  Feed();
}

void TestDriver::StopWorkers(Process& process) {
  if (process.workers == nullptr) return;
  process.queue->ShutDown();
  cluster_.Run(process.workers->Stop());
  process.workers.reset();
  process.queue.reset();
}

VoidTask TestDriver::WorkOn(Process& process) {
  while (process.leadership.leads && !process.dead) {
    const std::optional<Key> key = co_await process.queue->Take();
    if (!key.has_value()) co_return;
    process.passes[*key] = {cluster_.clock().Monotonic()};
    Log(StrCat("pass of process ", process.number, " over ", key->name));
    absl::StatusOr<ReconcileResult> result = ReconcileResult::After(absl::Minutes(1));
    try {
      if (*key == kSweep) {
        const SweepResult found = co_await process.cleaner->Sweep();
        for (const Key& csv : found.look_at) process.queue->Add(csv);
      } else {
        result = co_await process.cleaner->Reconcile(*key);
      }
    } catch (const kube::ProcessKilled&) {
      process.dead = true;
      co_return;
    }
    process.passes.erase(*key);
    if (!result.ok()) {
      process.queue->AddRateLimited(*key);
    } else {
      process.queue->Forget(*key);
      if (result->requeue_after.has_value()) {
        process.queue->AddAfter(*key, *result->requeue_after);
      }
    }
    process.queue->Done(*key);
  }
}

void TestDriver::Work(absl::Duration how_long, size_t workers, const std::function<bool()>& tick) {
  workers_ = workers;
  const absl::Duration until = cluster_.clock().Monotonic() + how_long;
  if (processes_.back()->queue == nullptr) StartWorkers(*processes_.back(), workers);
  while (cluster_.clock().Monotonic() < until) {
    cluster_.io().restart();
    do {
      // The process may have died during a change.
      if (processes_.back()->dead) RestartAfterDeath();
    } while (cluster_.clock().Monotonic() < until && cluster_.io().poll_one() > 0);
    if (!tick()) return;
    if (!held_.empty()) Change(DeliverHeld());
    cluster_.clock().Advance(kTick);
  }
}

void TestDriver::Quiet(int passes, int finishing) {
  for (int i = 0; i < passes; ++i) {
    const Outcome outcome = Pass();
    if (finishing > 0) {
      const int most = finishing;
      const auto finish = [](TestCluster& cluster, int count) -> VoidTask {
        const int ignored = co_await cluster.OperatorFinishes(count);
        (void)ignored;
        for (const char* crd : {"widgets.example.com", "gadgets.example.com"}) {
          co_await cluster.FinishCrd(crd);
        }
      };
      Change(finish(cluster_, most));
    }
    Change(cluster_.OlmCleansUp());
    if (Released()) return;
    cluster_.clock().Advance(outcome.again.value_or(absl::Seconds(1)));
  }
}

bool TestDriver::IsGuard(const kube::HookedCall& call) const {
  if (call.IsWrite() || call.gvr.group == "example.com") return false;
  // Without this guard every CSV is read (R-000-85).
  if (call.name.name == "steward-cleanup-copied-from") return false;
  const bool held = call.gvr.resource == "clusterroles" ||
                    call.gvr.resource == "clusterrolebindings" ||
                    call.gvr.resource.ends_with("webhookconfigurations");
  return !held;
}

boost::asio::awaitable<kube::HookedFate> TestDriver::Before(Process& caller,
                                                            const kube::HookedCall& call) {
  if (caller.dead) throw kube::ProcessKilled();
  cluster_.clock().Advance(kLongestCall / 8 * (1 + pace_() % 8));
  if (options_.deleter.width > 1 || workers_ > 0) {
    for (unsigned turns = pace_() % 4; turns > 0; --turns) co_await Yield();
  }
  ++calls_;
  kube::HookedFate fate;
  if (nemesis_ && !nested_) fate = co_await nemesis_(call);
  const bool made = fate.error.ok() && fate.kind != kube::HookedFate::kDieBefore;
  if (fate.kind == kube::HookedFate::kDieBefore || fate.kind == kube::HookedFate::kDieAfter) {
    caller.dead = workers_ > 0;  // with all its workers
  }
  // With several passes it is unknown whose guard failed.
  if ((!made || fate.kind == kube::HookedFate::kLose) && IsGuard(call) && workers_ == 0) {
    const bool definition =
        call.gvr.resource == "customresourcedefinitions" && !call.name.name.empty();
    for (auto& [csv, pass] : caller.passes) {
      (definition ? pass.blind_to_definition : pass.blind) = true;
    }
  }
  if (call.IsWrite()) {
    ++writes_;
    Log(StrCat(Describe(call), " fate ", static_cast<int>(fate.kind)));
  }
  co_return fate;
}

boost::asio::awaitable<void> TestDriver::After(Process& caller, const kube::HookedCall& call,
                                               const absl::Status& outcome) {
  if (call.IsWrite() && outcome.ok()) {
    co_await oracle_.NoteWritten(call, caller.passes);
    Feed();
  }
  if (call.verb == kube::ClientVerb::kDelete) cluster_.clock().Advance(slowness_);
}

}  // namespace steward::controllers
