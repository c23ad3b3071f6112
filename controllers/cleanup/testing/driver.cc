#include "controllers/cleanup/testing/driver.h"

#include <algorithm>
#include <utility>

#include "base/async/yield.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/resources.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kLongestCall = absl::Milliseconds(8);

std::string_view NameOf(kube::ClientVerb verb) {
  switch (verb) {
    case kube::ClientVerb::kGet:
      return "get";
    case kube::ClientVerb::kList:
      return "list";
    case kube::ClientVerb::kWatch:
      return "watch";
    case kube::ClientVerb::kCreate:
      return "create";
    case kube::ClientVerb::kUpdate:
      return "update";
    case kube::ClientVerb::kPatch:
      return "patch";
    case kube::ClientVerb::kDelete:
      return "delete";
  }
  return "";
}

}  // namespace

std::string Describe(const TestCall& call) {
  return StrCat(NameOf(call.verb), " ", call.gvr.resource, " ", call.name.ns, "/", call.name.name,
                call.body == nullptr ? "" : StrCat(" ", Serialize(*call.body)));
}

TestDriver::Process::Process(TestDriver& of, CleanerDeps deps, const CleanerOptions& options)
    : driver(of) {
  hooked = std::make_unique<HookClient>(driver.cluster_.client(), *this);
  client = std::make_unique<FencedClient>(*hooked, *hooked, leadership, driver.cluster_.clock());
  CleanerDeps mine{*client, leadership, deps.events, deps.clock, deps.metrics, deps.known};
  cleaner = std::make_unique<Cleaner>(std::move(mine), options);
}

boost::asio::awaitable<TestFate> TestDriver::Process::Before(const TestCall& call) {
  return driver.Before(*this, call);
}

boost::asio::awaitable<void> TestDriver::Process::After(const TestCall& call,
                                                        const absl::Status& outcome) {
  return driver.After(*this, call, outcome);
}

TestDriver::TestDriver(const ClusterShape& shape, CleanerOptions options, uint64_t seed)
    : cluster_(shape, seed), oracle_(cluster_), options_(std::move(options)), pace_(seed) {
  SetSlowness(absl::ZeroDuration());
  cluster_.Run(oracle_.Observe());
  Restart();
}

void TestDriver::SetSlowness(absl::Duration each_delete) {
  slowness_ = each_delete;
  const size_t others = options_.deleter.width - 1;
  oracle_.Allow(others * (each_delete + kLongestCall));
}

TestDriver::~TestDriver() = default;

std::unique_ptr<TestDriver::Process> TestDriver::NewProcess() {
  static const TestLeadership unused;
  CleanerDeps deps{cluster_.client(), unused, events_, cluster_.clock(), metrics_, nullptr};
  auto process = std::make_unique<Process>(*this, std::move(deps), options_);
  process->number = static_cast<int>(processes_.size());
  return process;
}

void TestDriver::Log(std::string line) {
  log_.push_back(
      StrCat(absl::FormatDuration(cluster_.clock().Monotonic() - absl::Seconds(1'700'000'000)), " ",
             std::move(line)));
}

void TestDriver::Change(VoidTask change) { cluster_.Run(ChangeNow(std::move(change))); }

VoidTask TestDriver::ChangeNow(VoidTask change) {
  cluster_.clock().Advance(absl::Milliseconds(1));
  co_await std::move(change);
  co_await oracle_.Observe();
}

void TestDriver::Restart() {
  Log("a process begins");
  if (!processes_.empty()) {
    processes_.back()->leadership.live = false;
    processes_.back()->cleaner.reset();
  }
  processes_.push_back(NewProcess());
}

// Whoever changed something before one of its calls may have died with it.
void TestDriver::RestartAfterDeath() {
  cluster_.Run(oracle_.Observe());
  Restart();
}

VoidTask TestDriver::TakeOver() {
  if (nested_) co_return;
  Log("another process takes over");
  processes_.back()->leadership.live = false;
  processes_.push_back(NewProcess());
  Process* const next = processes_.back().get();
  nested_ = true;
  next->pass_began = cluster_.clock().Monotonic();
  next->blind = false;
  const absl::StatusOr<ReconcileResult> ignored = co_await next->cleaner->Reconcile(kCsv);
  (void)ignored;
  nested_ = false;
  Log("the deposed one goes on");
}

TestDriver::Outcome TestDriver::Pass() {
  Process* const process = processes_.back().get();
  Outcome outcome;
  process->pass_began = cluster_.clock().Monotonic();
  process->blind = false;
  Log(StrCat("pass of process ", process->number));
  cluster_.clock().Advance(absl::Milliseconds(1));
  try {
    const absl::StatusOr<ReconcileResult> result = cluster_.Run(process->cleaner->Reconcile(kCsv));
    outcome.failed = !result.ok();
    if (result.ok()) outcome.again = result->requeue_after;
    if (!result.ok()) Log(StrCat("failed: ", result.status().message()));
  } catch (const ProcessKilled&) {
    outcome.killed = true;
  }
  nested_ = false;
  if (outcome.killed) RestartAfterDeath();
  return outcome;
}

void TestDriver::Sweep() {
  Process* const process = processes_.back().get();
  process->pass_began = cluster_.clock().Monotonic();
  process->blind = false;
  Log("sweep");
  bool killed = false;
  try {
    const absl::Status ignored = cluster_.Run(process->cleaner->Sweep()).failure;
    (void)ignored;
  } catch (const ProcessKilled&) {
    killed = true;
  }
  nested_ = false;
  if (killed) RestartAfterDeath();
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

bool TestDriver::IsGuard(const TestCall& call) const {
  if (call.IsWrite() || call.gvr.group == "example.com") return false;
  const bool held = call.gvr.resource == "clusterroles" ||
                    call.gvr.resource == "clusterrolebindings" ||
                    call.gvr.resource.ends_with("webhookconfigurations");
  return !held;
}

boost::asio::awaitable<TestFate> TestDriver::Before(Process& caller, const TestCall& call) {
  cluster_.clock().Advance(kLongestCall / 8 * (1 + pace_() % 8));
  if (options_.deleter.width > 1) {
    for (unsigned turns = pace_() % 4; turns > 0; --turns) co_await Yield();
  }
  ++calls_;
  TestFate fate;
  if (nemesis_ && !nested_) fate = co_await nemesis_(call);
  const bool made = fate.kind != TestFate::kFail && fate.kind != TestFate::kDieBefore;
  if (!made || fate.kind == TestFate::kLose) {
    if (IsGuard(call)) caller.blind = true;
  }
  if (call.IsWrite()) {
    ++writes_;
    Log(StrCat(Describe(call), " fate ", static_cast<int>(fate.kind)));
    if (made) oracle_.CheckWrite(call, caller.number);
  }
  co_return fate;
}

boost::asio::awaitable<void> TestDriver::After(Process& caller, const TestCall& call,
                                               const absl::Status& outcome) {
  if (call.IsWrite() && outcome.ok()) {
    co_await oracle_.NoteWritten(call, caller.pass_began, caller.blind);
  }
  if (call.verb == kube::ClientVerb::kDelete) cluster_.clock().Advance(slowness_);
}

}  // namespace steward::controllers
