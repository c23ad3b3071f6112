#include "controllers/cleanup/test_driver.h"

#include <algorithm>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/resources.h"

namespace steward::controllers {
namespace {

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

TestDriver::Process::Process(TestDriver& driver, CleanerDeps deps, const CleanerOptions& options) {
  hooked = std::make_unique<HookClient>(driver.cluster_.client(), driver);
  client = std::make_unique<FencedClient>(*hooked, leadership, driver.cluster_.clock());
  CleanerDeps mine{*client, leadership, deps.events, deps.clock, deps.metrics, deps.known};
  cleaner = std::make_unique<Cleaner>(std::move(mine), options);
}

TestDriver::TestDriver(const ClusterShape& shape, CleanerOptions options, uint64_t seed)
    : cluster_(shape, seed), oracle_(cluster_), options_(std::move(options)), pace_(seed) {
  cluster_.Run(oracle_.Observe());
  Restart();
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

VoidTask TestDriver::TakeOver() {
  if (nested_) co_return;
  Log("another process takes over");
  Process* const deposed = acting_;
  deposed->leadership.live = false;
  processes_.push_back(NewProcess());
  Process* const next = processes_.back().get();
  nested_ = true;
  acting_ = next;
  next->pass_began = cluster_.clock().Monotonic();
  next->blind = false;
  const absl::StatusOr<ReconcileResult> ignored = co_await next->cleaner->Reconcile(kCsv);
  (void)ignored;
  acting_ = deposed;
  nested_ = false;
  Log("the deposed one goes on");
}

TestDriver::Outcome TestDriver::Pass() {
  Process* const process = processes_.back().get();
  Outcome outcome;
  acting_ = process;
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
  acting_ = nullptr;
  if (outcome.killed) Restart();
  return outcome;
}

void TestDriver::Sweep() {
  Process* const process = processes_.back().get();
  acting_ = process;
  process->pass_began = cluster_.clock().Monotonic();
  process->blind = false;
  Log("sweep");
  bool killed = false;
  try {
    const absl::Status ignored = cluster_.Run(process->cleaner->Sweep()).status();
    (void)ignored;
  } catch (const ProcessKilled&) {
    killed = true;
  }
  nested_ = false;
  acting_ = nullptr;
  if (killed) Restart();
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

boost::asio::awaitable<TestFate> TestDriver::Before(const TestCall& call) {
  Process* const caller = acting_;
  cluster_.clock().Advance(absl::Milliseconds(1 + static_cast<int>(pace_() % 8)));
  ++calls_;
  TestFate fate;
  if (nemesis_ && !nested_) fate = co_await nemesis_(call);
  const bool made = fate.kind != TestFate::kFail && fate.kind != TestFate::kDieBefore;
  if (!made || fate.kind == TestFate::kLose) {
    if (IsGuard(call)) caller->blind = true;
  }
  if (call.IsWrite()) {
    ++writes_;
    Log(StrCat(Describe(call), " fate ", static_cast<int>(fate.kind)));
    if (made) oracle_.CheckWrite(call, caller->number);
  }
  acting_ = caller;
  co_return fate;
}

boost::asio::awaitable<void> TestDriver::After(const TestCall& call, const absl::Status& outcome) {
  Process* const caller = acting_;
  if (call.IsWrite() && outcome.ok()) {
    co_await oracle_.NoteWritten(call, caller->pass_began, caller->blind);
  }
  if (call.verb == kube::ClientVerb::kDelete) cluster_.clock().Advance(slowness_);
}

}  // namespace steward::controllers
