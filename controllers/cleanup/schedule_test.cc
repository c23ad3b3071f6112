// Random schedules of cleanups that are killed, given false answers and interfered with, alone and
// several at a time. Their writes stay within the allowed ones, and they end or report why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/testing/driver.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

VoidTask Nothing() { co_return; }

VoidTask OperatorWorks(TestCluster& cluster, int most) {
  const int ignored = co_await cluster.OperatorFinishes(most);
  (void)ignored;
}

std::string Owning(const std::vector<std::string>& owned) {
  std::string list;
  for (const std::string& crd : owned) {
    StrAppend(&list, list.empty() ? "" : ",", R"({"name":")", crd, R"("})");
  }
  return StrCat(R"({"spec":{"customresourcedefinitions":{"owned":[)", list, "]}}}");
}

std::string Annotated(std::string_view key, std::string_view value) {
  return StrCat(R"({"metadata":{"annotations":{"steward.operatorframework.io/)", key, R"(":)",
                value, "}}}");
}

std::string Labelled(std::string_view key, std::string_view value) {
  return StrCat(R"({"metadata":{"labels":{"steward.operatorframework.io/)", key, R"(":)", value,
                "}}}");
}

// The fate of a call that goes wrong.
kube::HookedFate Trouble(Dice& dice, const kube::HookedCall& call) {
  switch (dice.Draw(10)) {
    case 0:
      return kube::HookedFate::kDieBefore;
    case 1:
      return kube::HookedFate::kDieAfter;
    case 2:
    case 3:
      return kube::HookedFate::kLose;
    case 4:
      return kube::ToStatus(kube::TooManyRequests("busy", 1));
    case 5:
      return kube::ToStatus(kube::Conflict(kCsvs, "x", "changed"));
    case 6:
      return kube::ToStatus(kube::Forbidden(kWidgets, "x", "denied"));
    case 7:
      return kube::ToStatus(kube::Expired("too old"));
    case 8:
      if (call.verb == kube::ClientVerb::kDelete) return kube::HookedFate::kHold;
      return kube::HookedFate::kLose;
    default:
      return kube::ToStatus(kube::InternalError("storage"));
  }
}

// Changes the OperatorGroup of ops. OLM may update its status later.
VoidTask ChangeTargets(Dice& dice, TestCluster& cluster) {
  switch (dice.Draw(7)) {
    case 0:
      return cluster.SetGroup(R"({"targetNamespaces":["b"]})", {"b"});
    case 1:
      return cluster.SetGroup("{}", {""});
    case 2:
      return cluster.SetGroup(R"({"targetNamespaces":["a","c"]})", {"a", "c"});
    case 3:
      return cluster.SetGroup(R"({"targetNamespaces":["a","b","c"]})", {"a"});
    case 4:
      return cluster.SetGroup(R"({"targetNamespaces":["b"]})", {"a", "b"});
    case 5: {
      // One draw after the other: compilers differ in which argument they take first.
      const char* const name = dice.Chance(50) ? "a" : "c";
      return cluster.Merge(kNamespaces, {"", name},
                           dice.Chance(50) ? R"({"metadata":{"labels":{"team":"x"}}})"
                                           : R"({"metadata":{"labels":{"team":"y"}}})");
    }
    default:
      return cluster.SetGroup(R"({"targetNamespaces":["a","b"]})", {});
  }
}

// Changes one CSV.
VoidTask ChangeOne(Dice& dice, TestCluster& cluster, const kube::NamespacedName& csv) {
  const std::vector<std::string> all = {"widgets.example.com", "gadgets.example.com",
                                        "gizmos.example.com", "cogs.example.com"};
  switch (dice.Draw(18)) {
    case 0:
      return cluster.Merge(kCsvs, csv, R"({"spec":{"cleanup":{"enabled":false}}})");
    case 13:
      return cluster.Merge(kCsvs, csv, R"({"spec":{"cleanup":{"enabled":true}}})");
    case 14:
      return cluster.Merge(kCsvs, csv, Labelled("opt-in-confirmed", "null"));
    case 15:
      return cluster.Merge(kCsvs, csv, Labelled("opt-in-confirmed", R"("another-policy")"));
    case 16:
      return cluster.Merge(
          kCsvs, csv, dice.Chance(50) ? kWithOwner : R"({"metadata":{"ownerReferences":null}})");
    case 1:
      return cluster.Merge(kCsvs, csv, R"({"status":{"phase":"Deleting"}})", "status");
    case 2:
      return cluster.Merge(
          kCsvs, csv,
          R"({"metadata":{"annotations":{"console.openshift.io/disable-operand-delete":"true"}}})");
    case 3:
      return cluster.Merge(kCsvs, csv, Annotated("cleanup-record", "null"));
    case 4:
      return cluster.Merge(kCsvs, csv, Annotated("cleanup-record", R"("{}")"));
    case 5: {
      kube::DeleteOptions options;
      options.propagation = dice.Chance(50) ? kube::DeleteOptions::Propagation::kForeground
                                            : kube::DeleteOptions::Propagation::kOrphan;
      return cluster.Remove(kCsvs, csv, options);
    }
    case 6:
      return cluster.Merge(kCsvs, csv, Owning({}));
    case 7:
      return cluster.Merge(kCsvs, csv, Owning(all));
    case 8:
    case 9:
      return cluster.Merge(kCsvs, csv, Owning({dice.Any(all)}));
    case 10:
      return cluster.Merge(kCsvs, csv, Annotated("cleanup-refused", R"("by hand")"));
    case 11:
      return cluster.Merge(kCsvs, csv, Annotated("cleanup-refused", "null"));
    case 12:
      return cluster.Merge(kCsvs, csv,
                           dice.Chance(50)
                               ? R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})"
                               : R"({"metadata":{"labels":{"olm.copiedFrom":null}}})");
    default:
      return cluster.Merge(kCsvs, csv, R"({"metadata":{"annotations":{"someone":"else"}}})");
  }
}

// --- One cleanup.

class Schedule : private Dice {
 public:
  // Schedules of odd seeds make one call at a time, and are easier to follow.
  explicit Schedule(unsigned seed) : Dice(seed), seed_(seed), several_(seed % 2 == 0) {}

  void Run();
  TestDriver& driver() { return *driver_; }

 private:
  std::string Namespace() { return Any<std::string>({"a", "b", "a", "b", "c", "ops"}); }

  ClusterShape Shape();
  VoidTask Interfere();
  VoidTask ReplaceGroup(bool again);
  VoidTask ChangeOthers();
  VoidTask ChangeOperands();
  boost::asio::awaitable<kube::HookedFate> Decide(const kube::HookedCall& call);
  void Storm();
  void Calm();

  const unsigned seed_;
  const bool several_;
  std::unique_ptr<TestDriver> driver_;
  int trouble_ = 0;       // per mille of the calls
  int interference_ = 0;  // per mille of the calls
  int names_ = 0;
};

ClusterShape Schedule::Shape() {
  ClusterShape shape;
  switch (Draw(5)) {
    case 0:
      shape.targets = {};
      break;
    case 1:
      shape.targets = {"a"};
      break;
    case 2:
      shape.targets = {"team=x"};
      break;
    case 3:
      shape.targets = {"a", "b", "c", "ops"};
      break;
    default:
      break;
  }
  return shape;
}

VoidTask Schedule::ReplaceGroup(bool again) {
  TestCluster& cluster = driver_->cluster();
  VoidTask remove = cluster.Remove(kOperatorGroups, kGroup);
  co_await std::move(remove);
  if (!again) co_return;
  co_await driver_->oracle().Observe();
  VoidTask create = cluster.CreateGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"});
  co_await std::move(create);
}

VoidTask Schedule::ChangeOthers() {
  TestCluster& cluster = driver_->cluster();
  switch (Draw(8)) {
    case 0:
      return cluster.AddOtherCsv(
          "c", "other.v1",
          R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})");
    case 1:
      return cluster.AddOtherCsv(
          "c", "other.v1",
          R"({"customresourcedefinitions":{"required":[{"name":"widgets.example.com"}]}})");
    case 2:
      return cluster.Remove(kCsvs, {"c", "other.v1"});
    case 3:
      return cluster.AddOtherCsv("ops", "widget.v2", R"({"replaces":"widget.v1"})");
    case 4:
      return cluster.Remove(kPolicyBindings, {"", "steward-cleanup-opt-in"});
    case 5:
      return cluster.Remove(kNamespaces, {"", "ops"});
    case 6:
      return cluster.TerminateNamespace(Any<std::string>({"ops", "a", "b"}));
    default:
      cluster.SetDeployment("widget-operator", false);
      return Nothing();
  }
}

VoidTask Schedule::ChangeOperands() {
  TestCluster& cluster = driver_->cluster();
  const std::string name = StrCat("n", names_++ % 4);
  switch (Draw(8)) {
    case 0:
    case 1: {
      const std::string ns = Namespace();
      return cluster.AddWidget(ns, name, Chance(50));
    }
    case 2:
      return cluster.AddGadget(name, Chance(50));
    case 3:
      return cluster.Remove(kWidgets, {Namespace(), name});
    case 4:
      if (!Chance(30)) return Nothing();
      if (Chance(50)) return cluster.RecreateCrd("widgets.example.com");
      return cluster.Remove(kCrds, {"", "widgets.example.com"});
    case 5:
      return cluster.FinishCrd("widgets.example.com");
    default:
      return OperatorWorks(cluster, 1 + Draw(3));
  }
}

VoidTask Schedule::Interfere() {
  const int kind = Draw(20);
  driver_->Log(StrCat("interference ", kind));
  if (kind < 13) {
    co_await driver_->ChangeNow(ChangeOperands());
  } else if (kind < 15) {
    TestCluster& cluster = driver_->cluster();
    VoidTask change = Chance(15) ? ReplaceGroup(Chance(50)) : ChangeTargets(*this, cluster);
    co_await driver_->ChangeNow(std::move(change));
  } else if (kind < 16) {
    co_await driver_->ChangeNow(ChangeOthers());
  } else if (kind < 17) {
    VoidTask change = ChangeOne(*this, driver_->cluster(), kCsv);
    co_await driver_->ChangeNow(std::move(change));
  } else if (kind < 19) {
    co_await driver_->ChangeNow(driver_->cluster().OlmCleansUp());
  } else {
    driver_->cluster().clock().SetBy(absl::Seconds(Draw(7200)) - absl::Hours(1));
  }
}

boost::asio::awaitable<kube::HookedFate> Schedule::Decide(const kube::HookedCall& call) {
  if (PerMille(interference_)) co_await Interfere();
  if (PerMille(trouble_ / 4)) {
    driver_->cluster().clock().Advance(absl::Milliseconds(Draw(3000)));
  }
  if (PerMille(trouble_ / 4)) co_await driver_->TakeOver();
  kube::HookedFate fate;
  if (PerMille(trouble_)) fate = Trouble(*this, call);
  if (call.IsWrite() && PerMille(trouble_)) fate.delay = absl::Milliseconds(Draw(5000));
  if (!fate.passes()) {
    driver_->Log(StrCat("trouble ", static_cast<int>(fate.kind), " for ", Describe(call), " ",
                        fate.error.message()));
  }
  co_return fate;
}

void Schedule::Storm() {
  const int actions = 4 + Draw(10);
  for (int i = 0; i < actions; ++i) {
    if (Chance(20)) driver_->cluster().Run(Interfere());
    if (Chance(5)) driver_->Restart();
    if (Chance(10)) driver_->Sweep();
    const TestDriver::Outcome outcome = driver_->Pass();
    const absl::Duration again = outcome.again.value_or(absl::Seconds(1));
    if (Chance(70)) driver_->cluster().clock().Advance(again);
  }
}

// Checks that without interference the cleanup ends now, or reports why not.
void Schedule::Calm() {
  trouble_ = interference_ = 0;
  TestCluster& cluster = driver_->cluster();
  const bool operator_works = Chance(85);
  driver_->Quiet(25, operator_works ? 3 : 0);
  if (!driver_->Released()) {
    cluster.clock().Advance(absl::Minutes(11));
    driver_->Pass();
    cluster.clock().Advance(absl::Seconds(30));
    driver_->Pass();
    if (!driver_->Released()) {
      EXPECT_NE(cluster.Condition("CleanupStalled"), "") << "it hangs, and does not say so";
    }
  }
  cluster.clock().Advance(absl::Minutes(1));
  driver_->Sweep();
  driver_->oracle().CheckHolds();
}

void Schedule::Run() {
  const CleanerOptions options = several_ ? SeveralAtATime(4) : OneAtATime();
  driver_ = std::make_unique<TestDriver>(Shape(), options, seed_);
  TestCluster& cluster = driver_->cluster();
  const int widgets = 2 + Draw(7);
  for (int i = 0; i < widgets; ++i) {
    const std::string ns = Namespace();
    const std::string name = StrCat("n", Draw(8));
    driver_->Change(cluster.AddWidget(ns, name, Chance(60)));
  }
  if (Chance(50)) driver_->Change(cluster.AddGadget("n0", Chance(60)));
  if (Chance(70)) driver_->Pass();
  trouble_ = std::vector<int>{0, 5, 20, 60}[Draw(4)];
  interference_ = std::vector<int>{0, 5, 20, 60}[Draw(4)];
  driver_->SetNemesis([this](const kube::HookedCall& call) { return Decide(call); });
  if (Chance(90)) driver_->Change(cluster.Remove(kCsvs, kCsv));
  Storm();
  driver_->Change(cluster.Remove(kCsvs, kCsv));
  Calm();
}

// --- Several cleanups at a time, through one queue.

class Together : private Dice {
 public:
  explicit Together(unsigned seed) : Dice(seed), seed_(seed), workers_(1 + seed % 4) {}

  void Run();
  TestDriver& driver() { return *driver_; }

 private:
  void Install();
  void AddOperands();
  kube::NamespacedName Someone() { return Any(csvs_); }
  VoidTask Change();
  boost::asio::awaitable<kube::HookedFate> Decide(const kube::HookedCall& call);
  std::vector<kube::NamespacedName> Waiting();
  void Calm();

  const unsigned seed_;
  const size_t workers_;
  std::unique_ptr<TestDriver> driver_;
  std::vector<kube::NamespacedName> csvs_;
  int trouble_ = 0;       // per mille of the calls
  int interference_ = 0;  // per mille of the calls and of the moments when all are idle
};

// Installs chains of owners, and other operators.
void Together::Install() {
  const std::vector<std::string> crds = {"widgets.example.com", "gizmos.example.com",
                                         "cogs.example.com"};
  const std::vector<std::vector<std::vector<std::string>>> shapes = {
      {{crds[0]}, {crds[0]}},
      {{crds[0]}, {crds[0], crds[1]}, {crds[1]}},
      {{crds[0]}, {crds[0], crds[1]}, {crds[1], crds[2]}, {crds[2]}},
      {{crds[0]}, {crds[1]}, {crds[2]}},
      {{crds[0]}, {crds[1]}, {crds[1], crds[2]}, {"gadgets.example.com"}, {crds[2]}},
  };
  TestCluster& cluster = driver_->cluster();
  driver_->Change(cluster.AddKinds());
  int nth = 0;
  for (const std::vector<std::string>& owned : Any(shapes)) {
    const std::string name = StrCat("op", nth++);
    driver_->Change(cluster.AddOperator(name, owned, Chance(90)));
    csvs_.push_back({"ops", StrCat(name, ".v1")});
  }
}

void Together::AddOperands() {
  TestCluster& cluster = driver_->cluster();
  for (const char* ns : {"a", "b", "c"}) {
    for (const char* name : {"n0", "n1"}) {
      driver_->Change(cluster.AddWidget(ns, name, Chance(60)));
      driver_->Change(cluster.AddOperand(kGizmos, ns, name, Chance(60)));
      driver_->Change(cluster.AddOperand(kCogs, ns, name, Chance(60)));
    }
  }
}

VoidTask Together::Change() {
  TestCluster& cluster = driver_->cluster();
  switch (Draw(12)) {
    case 0:
    case 1: {
      const kube::GroupVersionResource& gvr = Chance(50) ? kGizmos : kCogs;
      const std::string ns = Any<std::string>({"a", "b", "c"});
      return cluster.AddOperand(gvr, ns, "n3", Chance(50));
    }
    case 2:
      return cluster.Remove(kGizmos, {Chance(50) ? "a" : "b", "n0"});
    case 3:
      return ChangeTargets(*this, cluster);
    case 4:
    case 5:
      return ChangeOne(*this, cluster, Someone());
    case 6:
      return cluster.OlmCleansUp();
    case 7: {
      const kube::NamespacedName csv = Someone();
      cluster.SetDeployment(StrCat(csv.name.substr(0, csv.name.find('.')), "-operator"),
                            Chance(50));
      return Nothing();
    }
    case 8:
      if (!Chance(10)) return Nothing();
      return cluster.TerminateNamespace(Any<std::string>({"ops", "a"}));
    default:
      return OperatorWorks(cluster, 1 + Draw(3));
  }
}

boost::asio::awaitable<kube::HookedFate> Together::Decide(const kube::HookedCall& call) {
  if (PerMille(interference_)) {
    VoidTask change = Change();
    co_await driver_->ChangeNow(std::move(change));
  }
  if (PerMille(trouble_ / 4)) co_await driver_->TakeOver();
  kube::HookedFate fate;
  if (PerMille(trouble_)) fate = Trouble(*this, call);
  if (call.IsWrite() && PerMille(trouble_)) fate.delay = absl::Milliseconds(Draw(5000));
  if (!fate.passes()) {
    driver_->Log(StrCat("trouble ", static_cast<int>(fate.kind), " for ", Describe(call), " ",
                        fate.error.message()));
  }
  co_return fate;
}

// Other finalizers of a CSV do not concern cleanup.
std::vector<kube::NamespacedName> Together::Waiting() {
  std::vector<kube::NamespacedName> waiting;
  for (const auto& [key, csv] : driver_->oracle().now().csvs) {
    if (csv.finalizer) waiting.push_back(key);
  }
  return waiting;
}

void Together::Calm() {
  trouble_ = interference_ = 0;
  TestCluster& cluster = driver_->cluster();
  const bool operator_works = Chance(85);
  const auto tick = [this, &cluster, operator_works, turn = 0]() mutable {
    if (++turn % 20 != 0) return true;
    if (operator_works) driver_->Change(OperatorWorks(cluster, 5));
    driver_->Change(cluster.OlmCleansUp());
    return !Waiting().empty();
  };
  driver_->Work(absl::Minutes(2), workers_, tick);
  if (Waiting().empty()) return;
  cluster.clock().Advance(absl::Minutes(11));
  driver_->Work(absl::Minutes(1), workers_, tick);
  for (const kube::NamespacedName& csv : Waiting()) {
    EXPECT_NE(cluster.Condition("CleanupStalled", csv), "")
        << csv.name << " hangs, and does not say so";
  }
}

void Together::Run() {
  ClusterShape nothing;
  nothing.owned = {};
  nothing.opted_in = false;
  driver_ = std::make_unique<TestDriver>(nothing, seed_ % 2 == 0 ? SeveralAtATime(4) : OneAtATime(),
                                         seed_);
  TestCluster& cluster = driver_->cluster();
  Install();
  AddOperands();
  const auto busy = [this] {
    if (PerMille(interference_)) driver_->Change(Change());
    return true;
  };
  driver_->Work(absl::Seconds(1), workers_, busy);
  if (Chance(50)) driver_->Change(ChangeOne(*this, cluster, Someone()));
  trouble_ = Any<int>({0, 5, 20, 60});
  interference_ = Any<int>({0, 0, 5, 20});
  driver_->SetNemesis([this](const kube::HookedCall& call) { return Decide(call); });
  std::vector<kube::NamespacedName> order = csvs_;
  std::shuffle(order.begin(), order.end(), random());
  const int gap = Any<int>({0, 0, 100, 3000});
  for (const kube::NamespacedName& csv : order) {
    driver_->Change(cluster.Remove(kCsvs, csv));
    if (gap > 0) driver_->Work(absl::Milliseconds(Draw(gap)), workers_, busy);
  }
  driver_->Work(absl::Seconds(1 + Draw(20)), workers_, busy);
  Calm();
}

unsigned Number(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoull(text, nullptr, 10));
}

template <typename T>
int RunOne(unsigned seed, bool tell) {
  T schedule(seed);
  schedule.Run();
  EXPECT_EQ(schedule.driver().Violations(), "");
  if (tell || ::testing::Test::HasFailure()) {
    for (const std::string& line : schedule.driver().log()) std::printf("  %s\n", line.c_str());
  }
  return schedule.driver().oracle().deletions();
}

// Returns the number of deletions.
int RunAll(Seeds seeds) {
  const bool tell = std::getenv("STEWARD_CLEANUP_SEED") != nullptr && seeds.count == 1;
  int deletions = 0;
  const auto play = [&](unsigned seed) {
    deletions += seed % 3 == 0 ? RunOne<Together>(seed, tell) : RunOne<Schedule>(seed, tell);
  };
  PlaySeeds(seeds, play, "STEWARD_CLEANUP_SEED");
  std::printf("%d deletions\n", deletions);
  return deletions;
}

// STEWARD_CLEANUP_SCHEDULES: the number of schedules; STEWARD_CLEANUP_SEED: the first seed, and
// without a number of schedules the only one. STEWARD_CLEANUP_FRESH: the number of further
// schedules, with new random seeds.
TEST(ScheduleTest, StaysInsideOfWhatIsAllowed) {
  const bool one = std::getenv("STEWARD_CLEANUP_SEED") != nullptr;
  const unsigned first = Number("STEWARD_CLEANUP_SEED", 1);
  const unsigned count = Number("STEWARD_CLEANUP_SCHEDULES", one ? 1 : ShareOf(500));
  const int deletions = RunAll({first, count});
  // If interference were so frequent that nothing ever happens, the test would prove nothing.
  if (count >= 50) {
    EXPECT_GE(deletions, static_cast<int>(count));
  }
}

// Repeats seeds that once found faults: nobody woke a sender that waited beyond its round's time; a
// co-owner was seen disappearing; a namespace was terminated twice.
TEST(ScheduleTest, SeedsThatFoundFaultsDoSo) {
  if (std::getenv("STEWARD_CLEANUP_SEED") != nullptr) GTEST_SKIP() << "one seed is asked for";
  for (const unsigned seed : {3011581559u, 3338699676u, 4241438225u}) {
    (void)RunAll({seed, 1});
  }
}

TEST(ScheduleTest, FreshSeedsDoSo) {
  if (std::getenv("STEWARD_CLEANUP_SEED") != nullptr) GTEST_SKIP() << "one seed is asked for";
  (void)RunAll({std::random_device{}(), Number("STEWARD_CLEANUP_FRESH", ShareOf(100))});
}

}  // namespace
}  // namespace steward::controllers
