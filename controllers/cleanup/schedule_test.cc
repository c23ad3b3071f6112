// A cleanup that is killed, lied to and interfered with at every point: what it does stays inside
// of what is allowed, and it ends or says why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"
#include "controllers/cleanup/testing/driver.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

using Kind = TestFate::Kind;

CleanerOptions OneAtATime() {
  CleanerOptions options;
  // The order of calls is the schedule's.
  options.deleter.width = 1;
  options.deleter.read_ahead = false;
  options.guards.width = 1;
  options.deleter.batch = 3;
  options.deleter.round = 4;
  return options;
}

// As it really works: calls overlap, and guards are read while deletions are under way.
CleanerOptions SeveralAtATime(size_t batch) {
  CleanerOptions options;
  options.deleter.width = 3;
  options.guards.width = 2;
  options.deleter.batch = batch;
  options.deleter.round = 6;
  return options;
}

TestFate Of(Kind kind, absl::Status error = absl::OkStatus()) {
  TestFate fate;
  fate.kind = kind;
  fate.error = std::move(error);
  return fate;
}

void ExpectNoViolations(TestDriver& driver, const std::string& what) {
  if (driver.oracle().violations().empty()) return;
  std::string text;
  for (const std::string& violation : driver.oracle().violations()) {
    StrAppend(&text, "  ", violation, "\n");
  }
  StrAppend(&text, "log:\n");
  for (const std::string& line : driver.log()) StrAppend(&text, "  ", line, "\n");
  ADD_FAILURE() << what << "\n" << text;
}

// --- One fault at every point of one cleanup.

// An ordinary cleanup with CRs that take their time, rights that are held, and bystanders.
std::unique_ptr<TestDriver> Ordinary() {
  auto driver = std::make_unique<TestDriver>(ClusterShape{}, OneAtATime(), 7);
  TestCluster& cluster = driver->cluster();
  for (const char* ns : {"a", "b", "c"}) {
    driver->Change(cluster.AddWidget(ns, "plain", false));
    driver->Change(cluster.AddWidget(ns, "slow", true));
  }
  driver->Change(cluster.AddGadget("g", false));
  driver->Pass();
  driver->Change(cluster.Remove(kCsvs, kCsv));
  driver->Change(cluster.OlmCleansUp());
  return driver;
}

void Finish(TestDriver& driver) {
  driver.Quiet(60, 1);
  driver.cluster().clock().Advance(absl::Minutes(1));
  driver.Sweep();
  driver.cluster().Run(driver.oracle().CheckHolds());
}

void ExpectCleaned(TestDriver& driver, const std::string& what) {
  EXPECT_TRUE(driver.Released()) << what;
  EXPECT_THAT(driver.cluster().Names(kWidgets),
              ::testing::UnorderedElementsAre("c/plain", "c/slow"))
      << what;
  EXPECT_THAT(driver.cluster().Names(kGadgets), ::testing::ElementsAre("g")) << what;
  ExpectNoViolations(driver, what);
}

TEST(FaultTest, KilledAtEveryWrite) {
  std::unique_ptr<TestDriver> whole = Ordinary();
  const int before = whole->writes();
  Finish(*whole);
  ExpectCleaned(*whole, "undisturbed");
  const int writes = whole->writes() - before;
  ASSERT_GE(writes, 8);
  for (int i = 0; i < writes; ++i) {
    for (const Kind kind : {TestFate::kDieBefore, TestFate::kDieAfter, TestFate::kLose}) {
      std::unique_ptr<TestDriver> driver = Ordinary();
      int left = i;
      driver->SetNemesis([&](const TestCall& call) -> boost::asio::awaitable<TestFate> {
        const bool now = call.IsWrite() && left-- == 0;
        co_return now ? Of(kind) : TestFate();
      });
      Finish(*driver);
      ExpectCleaned(*driver, StrCat("write ", i, " fate ", static_cast<int>(kind)));
    }
  }
}

TEST(FaultTest, EveryCallFailsOnce) {
  std::unique_ptr<TestDriver> whole = Ordinary();
  const int before = whole->calls();
  Finish(*whole);
  const int calls = whole->calls() - before;
  const absl::Status errors[] = {
      kube::ToStatus(kube::TooManyRequests("busy", 1)),
      kube::ToStatus(kube::InternalError("storage")),
      kube::ToStatus(kube::Conflict(kCsvs, "widget.v1", "changed")),
      kube::ToStatus(kube::Expired("too old")),
      absl::DeadlineExceededError("no answer"),
  };
  for (int i = 0; i < calls; ++i) {
    const absl::Status& error = errors[static_cast<size_t>(i) % std::size(errors)];
    std::unique_ptr<TestDriver> driver = Ordinary();
    int left = i;
    driver->SetNemesis([&](const TestCall&) -> boost::asio::awaitable<TestFate> {
      co_return left-- == 0 ? Of(TestFate::kFail, error) : TestFate();
    });
    Finish(*driver);
    ExpectCleaned(*driver, StrCat("call ", i, ": ", error.message()));
  }
}

TEST(FaultTest, AnotherLeaderAtEveryWrite) {
  std::unique_ptr<TestDriver> whole = Ordinary();
  const int before = whole->writes();
  Finish(*whole);
  const int writes = whole->writes() - before;
  for (int i = 0; i < writes; ++i) {
    std::unique_ptr<TestDriver> driver = Ordinary();
    int left = i;
    driver->SetNemesis([&](const TestCall& call) -> boost::asio::awaitable<TestFate> {
      if (call.IsWrite() && left-- == 0) co_await driver->TakeOver();
      co_return TestFate();
    });
    Finish(*driver);
    ExpectCleaned(*driver, StrCat("write ", i));
  }
}

// One guard each that no longer holds.
using ChangeOf = VoidTask (*)(TestCluster& cluster);
const std::pair<const char*, ChangeOf> kForbidding[] = {
    {"group narrowed",
     [](TestCluster& c) { return c.SetGroup(R"({"targetNamespaces":["c"]})", {"c"}); }},
    {"group's spec narrowed, and its status lags",
     [](TestCluster& c) {
       return c.SetGroup(R"({"targetNamespaces":["c"]})", {"a", "b"});
     }},
    {"group's status narrowed",
     [](TestCluster& c) { return c.SetGroup(R"({"targetNamespaces":["a","b"]})", {"c"}); }},
    {"group gone", [](TestCluster& c) { return c.Remove(kOperatorGroups, kGroup); }},
    {"another owner",
     [](TestCluster& c) {
       return c.AddOtherCsv(
           "c", "other.v1",
           R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})");
     }},
    {"a requirer",
     [](TestCluster& c) {
       return c.AddOtherCsv(
           "c", "other.v1",
           R"({"customresourcedefinitions":{"required":[{"name":"widgets.example.com"}]}})");
     }},
    {"replaced",
     [](TestCluster& c) { return c.AddOtherCsv("ops", "w.v2", R"({"replaces":"widget.v1"})"); }},
    {"phase",
     [](TestCluster& c) {
       return c.Merge(kCsvs, kCsv, R"({"status":{"phase":"Deleting"}})", "status");
     }},
    {"annotation",
     [](TestCluster& c) {
       return c.Merge(
           kCsvs, kCsv,
           R"({"metadata":{"annotations":{"console.openshift.io/disable-operand-delete":"true"}}})");
     }},
    {"abort",
     [](TestCluster& c) {
       return c.Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
     }},
    {"policy",
     [](TestCluster& c) {
       return c.Remove(kPolicyBindings, {"", "steward-cleanup-opt-in"});
     }},
    {"deployment",
     [](TestCluster& c) -> VoidTask {
       c.SetDeployment("widget-operator", false);
       return c.Remove(kPolicyBindings, {"", "there is none of this name"});
     }},
    {"namespace",
     [](TestCluster& c) {
       return c.Remove(kNamespaces, {"", "ops"});
     }},
};

// Two seconds later, nothing is sent any more that the guards would not allow now.
TEST(FaultTest, AGuardChangesAtEveryDelete) {
  for (const auto& forbidding : kForbidding) {
    const ChangeOf change = forbidding.second;  // clang does not capture structured bindings
    for (int i = 0; i < 6; ++i) {
      const bool several = i >= 4;
      // A batch takes longer than its guards are good for.
      TestDriver driver(ClusterShape{}, several ? SeveralAtATime(100) : OneAtATime(), 7);
      TestCluster& cluster = driver.cluster();
      for (int n = 0; n < (several ? 30 : 12); ++n)
        driver.Change(cluster.AddWidget("a", StrCat("x", n), n % 2 == 0));
      driver.Change(cluster.Remove(kCsvs, kCsv));
      driver.SetSlowness(absl::Milliseconds(several ? 120 : i % 2 == 0 ? 250 : 700));
      int left = several ? 7 * (i - 4) : i;
      driver.SetNemesis([&](const TestCall& call) -> boost::asio::awaitable<TestFate> {
        if (call.verb == kube::ClientVerb::kDelete && left-- == 0) {
          VoidTask now = driver.ChangeNow(change(cluster));
          co_await std::move(now);
        }
        co_return TestFate();
      });
      driver.Quiet(25, 3);
      EXPECT_LT(left, 0) << "it never came to this";
      ExpectNoViolations(driver, StrCat(forbidding.first, " at DELETE ", i));
    }
  }
}

// --- Random schedules.

class Schedule {
 public:
  // Those of odd seeds make one call at a time, and are easier to follow.
  explicit Schedule(uint64_t seed) : random_(seed), seed_(seed), several_(seed % 2 == 0) {}

  void Run();
  int deletions() { return driver_->oracle().deletions(); }
  void Tell() {
    for (const std::string& line : driver_->log()) std::printf("  %s\n", line.c_str());
  }

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool Chance(int percent) { return Pick(100) < percent; }
  std::string Namespace() {
    return std::vector<std::string>{"a", "b", "a", "b", "c", "ops"}[Pick(6)];
  }

  ClusterShape Shape();
  VoidTask Interfere();
  VoidTask ReplaceGroup(bool again);
  VoidTask OperatorWorks(int most);
  VoidTask ChangeGroup();
  VoidTask ChangeOthers();
  VoidTask ChangeCsv();
  VoidTask ChangeOperands();
  boost::asio::awaitable<TestFate> Decide(const TestCall& call);
  TestFate Trouble();
  void Storm();
  void Calm();

  std::mt19937_64 random_;
  const uint64_t seed_;
  const bool several_;
  std::unique_ptr<TestDriver> driver_;
  int trouble_ = 0;       // per mille of the calls
  int interference_ = 0;  // likewise
  int names_ = 0;
};

ClusterShape Schedule::Shape() {
  ClusterShape shape;
  switch (Pick(5)) {
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

VoidTask Nothing() { co_return; }

VoidTask Schedule::ReplaceGroup(bool again) {
  TestCluster& cluster = driver_->cluster();
  VoidTask remove = cluster.Remove(kOperatorGroups, kGroup);
  co_await std::move(remove);
  if (!again) co_return;
  co_await driver_->oracle().Observe();
  VoidTask create = cluster.CreateGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"});
  co_await std::move(create);
}

VoidTask Schedule::ChangeGroup() {
  TestCluster& cluster = driver_->cluster();
  switch (Pick(7)) {
    case 0:
      return cluster.SetGroup(R"({"targetNamespaces":["b"]})", {"b"});
    case 1:
      return cluster.SetGroup("{}", {""});
    case 2:
      return cluster.SetGroup(R"({"targetNamespaces":["a","c"]})", {"a", "c"});
    case 3:
      return cluster.SetGroup(R"({"targetNamespaces":["a","b","c"]})", {"a"});
    case 4:
      return ReplaceGroup(Chance(50));
    case 5: {
      const std::string ns = Chance(50) ? "a" : "c";
      return cluster.Merge(kNamespaces, {"", ns},
                           Chance(50) ? R"({"metadata":{"labels":{"team":"x"}}})"
                                      : R"({"metadata":{"labels":{"team":"y"}}})");
    }
    default:
      return cluster.SetGroup(R"({"targetNamespaces":["a","b"]})", {});
  }
}

VoidTask Schedule::ChangeOthers() {
  TestCluster& cluster = driver_->cluster();
  switch (Pick(6)) {
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
    default:
      cluster.SetDeployment("widget-operator", true);
      cluster.SetDeployment("widget-operator", false);
      return Nothing();
  }
}

VoidTask Schedule::ChangeCsv() {
  TestCluster& cluster = driver_->cluster();
  switch (Pick(7)) {
    case 0:
      return cluster.Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
    case 1:
      return cluster.Merge(kCsvs, kCsv, R"({"status":{"phase":"Deleting"}})", "status");
    case 2:
      return cluster.Merge(
          kCsvs, kCsv,
          R"({"metadata":{"annotations":{"console.openshift.io/disable-operand-delete":"true"}}})");
    case 3:
      return cluster.Merge(
          kCsvs, kCsv,
          R"({"metadata":{"annotations":{"steward.operatorframework.io/cleanup-record":null}}})");
    case 4: {
      kube::DeleteOptions options;
      options.propagation = kube::DeleteOptions::Propagation::kForeground;
      return cluster.Remove(kCsvs, kCsv, options);
    }
    case 5:
      return cluster.Remove(kNamespaces, {"", "ops"});
    default:
      return cluster.Merge(kCsvs, kCsv, R"({"metadata":{"annotations":{"someone":"else"}}})");
  }
}

VoidTask Schedule::OperatorWorks(int most) {
  const int ignored = co_await driver_->cluster().OperatorFinishes(most);
  (void)ignored;
}

VoidTask Schedule::ChangeOperands() {
  TestCluster& cluster = driver_->cluster();
  const std::string name = StrCat("n", names_++ % 4);
  switch (Pick(8)) {
    case 0:
    case 1:
      return cluster.AddWidget(Namespace(), name, Chance(50));
    case 2:
      return cluster.AddGadget(name, Chance(50));
    case 3:
      return cluster.Remove(kWidgets, {Namespace(), name});
    case 4:
      if (!Chance(30)) return Nothing();
      return cluster.Remove(kCrds, {"", "widgets.example.com"});
    case 5:
      return cluster.FinishCrd("widgets.example.com");
    default:
      return OperatorWorks(1 + Pick(3));
  }
}

VoidTask Schedule::Interfere() {
  const int kind = Pick(20);
  driver_->Log(StrCat("interference ", kind));
  if (kind < 13) {
    co_await driver_->ChangeNow(ChangeOperands());
  } else if (kind < 15) {
    co_await driver_->ChangeNow(ChangeGroup());
  } else if (kind < 16) {
    co_await driver_->ChangeNow(ChangeOthers());
  } else if (kind < 17) {
    co_await driver_->ChangeNow(ChangeCsv());
  } else if (kind < 19) {
    co_await driver_->ChangeNow(driver_->cluster().OlmCleansUp());
  } else {
    driver_->cluster().clock().SetBy(absl::Seconds(Pick(7200) - 3600));
  }
}

TestFate Schedule::Trouble() {
  switch (Pick(9)) {
    case 0:
      return Of(TestFate::kDieBefore);
    case 1:
      return Of(TestFate::kDieAfter);
    case 2:
    case 3:
      return Of(TestFate::kLose);
    case 4:
      return Of(TestFate::kFail, kube::ToStatus(kube::TooManyRequests("busy", 1)));
    case 5:
      return Of(TestFate::kFail, kube::ToStatus(kube::Conflict(kCsvs, "x", "changed")));
    case 6:
      return Of(TestFate::kFail, kube::ToStatus(kube::Forbidden(kWidgets, "x", "denied")));
    case 7:
      return Of(TestFate::kFail, kube::ToStatus(kube::Expired("too old")));
    default:
      return Of(TestFate::kFail, kube::ToStatus(kube::InternalError("storage")));
  }
}

boost::asio::awaitable<TestFate> Schedule::Decide(const TestCall& call) {
  if (Pick(1000) < interference_) co_await Interfere();
  // What comes of a leap while several calls are under way is no fault of whoever made them; nor is
  // a DELETE that was sent in time and takes its time to arrive.
  if (!several_ && Pick(1000) < trouble_ / 4) {
    const absl::Duration leap = absl::Milliseconds(Pick(3000));
    if (call.verb != kube::ClientVerb::kDelete) driver_->cluster().clock().Advance(leap);
  }
  if (Pick(1000) < trouble_ / 4) co_await driver_->TakeOver();
  TestFate fate;
  if (Pick(1000) < trouble_) fate = Trouble();
  if (fate.kind != TestFate::kPass) {
    driver_->Log(StrCat("trouble ", static_cast<int>(fate.kind), " for ", Describe(call), " ",
                        fate.error.message()));
  }
  co_return fate;
}

void Schedule::Storm() {
  const int actions = 4 + Pick(10);
  for (int i = 0; i < actions; ++i) {
    if (Chance(20)) driver_->cluster().Run(Interfere());
    if (Chance(5)) driver_->Restart();
    if (Chance(10)) driver_->Sweep();
    const TestDriver::Outcome outcome = driver_->Pass();
    const absl::Duration again = outcome.again.value_or(absl::Seconds(1));
    if (Chance(70)) driver_->cluster().clock().Advance(again);
  }
}

// Nothing interferes any more: now it ends, or says why not.
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
      EXPECT_NE(cluster.Condition("CleanupStalled"), "") << "I3, seed " << seed_;
      if (cluster.Condition("CleanupStalled").empty()) Tell();
    }
  }
  cluster.clock().Advance(absl::Minutes(1));
  driver_->Sweep();
  cluster.Run(driver_->oracle().CheckHolds());
}

void Schedule::Run() {
  const CleanerOptions options = several_ ? SeveralAtATime(4) : OneAtATime();
  driver_ = std::make_unique<TestDriver>(Shape(), options, seed_);
  TestCluster& cluster = driver_->cluster();
  const int widgets = 2 + Pick(7);
  for (int i = 0; i < widgets; ++i) {
    driver_->Change(cluster.AddWidget(Namespace(), StrCat("n", Pick(8)), Chance(60)));
  }
  if (Chance(50)) driver_->Change(cluster.AddGadget("n0", Chance(60)));
  if (Chance(70)) driver_->Pass();
  trouble_ = std::vector<int>{0, 5, 20, 60}[Pick(4)];
  interference_ = std::vector<int>{0, 5, 20, 60}[Pick(4)];
  driver_->SetNemesis([this](const TestCall& call) { return Decide(call); });
  if (Chance(90)) driver_->Change(cluster.Remove(kCsvs, kCsv));
  Storm();
  driver_->Change(cluster.Remove(kCsvs, kCsv));
  Calm();
  ExpectNoViolations(*driver_, StrCat("STEWARD_CLEANUP_SEED=", seed_));
}

#if defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSchedules = 60;  // each takes several times as long
#else
constexpr uint64_t kSchedules = 500;
#endif

uint64_t Number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// STEWARD_CLEANUP_SCHEDULES: how many; STEWARD_CLEANUP_SEED: the first seed, and without a number
// of schedules that one alone.
TEST(ScheduleTest, StaysInsideOfWhatIsAllowed) {
  const bool one = std::getenv("STEWARD_CLEANUP_SEED") != nullptr;
  const uint64_t first = Number("STEWARD_CLEANUP_SEED", 1);
  const uint64_t count = Number("STEWARD_CLEANUP_SCHEDULES", one ? 1 : kSchedules);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  int deletions = 0;
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    Schedule schedule(seed);
    schedule.Run();
    deletions += schedule.deletions();
    if (count == 1) schedule.Tell();
  }
  std::printf("%d deletions\n", deletions);
  // A test that interferes so much that nothing ever happens would prove nothing.
  if (count >= 50) {
    EXPECT_GE(deletions, static_cast<int>(count));
  }
}

}  // namespace
}  // namespace steward::controllers
