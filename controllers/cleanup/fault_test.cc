// Tests with one fault at each point of a cleanup: its writes stay within the allowed ones, and it
// ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/testing/driver.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

// Under a sanitizer each case takes several times as long: the release run does all of them.
const int kStep = static_cast<int>(StepOfShare());

// An ordinary cleanup with CRs that finish slowly, held rights, and bystanders.
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
  driver.oracle().CheckHolds();
}

void ExpectCleaned(TestDriver& driver, const std::string& what) {
  EXPECT_TRUE(driver.Released()) << what;
  EXPECT_THAT(driver.cluster().Names(kWidgets),
              ::testing::UnorderedElementsAre("c/plain", "c/slow"))
      << what;
  EXPECT_THAT(driver.cluster().Names(kGadgets), ::testing::ElementsAre("g")) << what;
  EXPECT_EQ(driver.Violations(), "") << what;
}

TEST(FaultTest, KilledAtEveryWrite) {
  std::unique_ptr<TestDriver> whole = Ordinary();
  const int before = whole->writes();
  Finish(*whole);
  ExpectCleaned(*whole, "undisturbed");
  const int writes = whole->writes() - before;
  ASSERT_GE(writes, 8);
  for (int i = 0; i < writes; ++i) {
    for (const kube::HookedFate::Kind kind :
         {kube::HookedFate::kDieBefore, kube::HookedFate::kDieAfter, kube::HookedFate::kLose}) {
      std::unique_ptr<TestDriver> driver = Ordinary();
      int left = i;
      driver->SetNemesis(
          [&](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
            const bool now = call.IsWrite() && left-- == 0;
            co_return now ? kube::HookedFate{kind} : kube::HookedFate();
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
  for (int i = 0; i < calls; i += kStep) {
    const absl::Status& error = errors[static_cast<size_t>(i) % std::size(errors)];
    std::unique_ptr<TestDriver> driver = Ordinary();
    int left = i;
    driver->SetNemesis([&](const kube::HookedCall&) -> boost::asio::awaitable<kube::HookedFate> {
      co_return left-- == 0 ? error : kube::HookedFate();
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
    driver->SetNemesis(
        [&](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
          if (call.IsWrite() && left-- == 0) co_await driver->TakeOver();
          co_return kube::HookedFate();
        });
    Finish(*driver);
    ExpectCleaned(*driver, StrCat("write ", i));
  }
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

// Changes after each of which one guard no longer holds.
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
    {"owner", [](TestCluster& c) { return c.Merge(kCsvs, kCsv, kWithOwner); }},
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
    {"namespace going", [](TestCluster& c) { return c.TerminateNamespace("ops"); }},
    {"definition of CSVs going", [](TestCluster& c) { return c.TerminateCsvs(); }},
    {"owns less", [](TestCluster& c) { return c.Merge(kCsvs, kCsv, Owning({})); }},
    {"owns something else",
     [](TestCluster& c) { return c.Merge(kCsvs, kCsv, Owning({"gizmos.example.com"})); }},
    {"marked",
     [](TestCluster& c) { return c.Merge(kCsvs, kCsv, Annotated("cleanup-refused", R"("x")")); }},
    {"record removed",
     [](TestCluster& c) { return c.Merge(kCsvs, kCsv, Annotated("cleanup-record", "null")); }},
    {"record edited",
     [](TestCluster& c) { return c.Merge(kCsvs, kCsv, Annotated("cleanup-record", R"("{}")")); }},
    {"copy",
     [](TestCluster& c) {
       return c.Merge(kCsvs, kCsv, R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})");
     }},
    {"another definition", [](TestCluster& c) { return c.RecreateCrd("widgets.example.com"); }},
};

// Two seconds after the change, nothing is sent that the guards would not allow now.
TEST(FaultTest, AGuardChangesAtEveryDelete) {
  int nth = 0;
  for (const auto& forbidding : kForbidding) {
    const ChangeOf change = forbidding.second;  // clang does not capture structured bindings
    for (int i = 0; i < 6; ++i, ++nth) {
      if (nth % kStep != 0) continue;
      const bool several = i >= 4;
      // A batch takes longer than its guards are good for.
      TestDriver driver(ClusterShape{}, several ? SeveralAtATime(100) : OneAtATime(), 7);
      TestCluster& cluster = driver.cluster();
      for (int n = 0; n < (several ? 30 : 12); ++n)
        driver.Change(cluster.AddWidget("a", StrCat("x", n), n % 2 == 0));
      driver.Change(cluster.Remove(kCsvs, kCsv));
      driver.SetSlowness(absl::Milliseconds(several ? 120 : i % 2 == 0 ? 250 : 700));
      int left = several ? 7 * (i - 4) : i;
      driver.SetNemesis(
          [&](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
            if (call.verb == kube::ClientVerb::kDelete && left-- == 0) {
              VoidTask now = driver.ChangeNow(change(cluster));
              co_await std::move(now);
            }
            co_return kube::HookedFate();
          });
      driver.Quiet(25, 3);
      EXPECT_LT(left, 0) << "it never came to this";
      EXPECT_EQ(driver.Violations(), "") << forbidding.first << " at DELETE " << i;
    }
  }
}

// The operator finishes what was begun, and needs its rights for that.
TEST(FaultTest, R_000_73_RightsAreHeldUntilWhatWasBegunHasEnded) {
  const char* const changes[] = {R"({"status":{"phase":"Deleting"}})",
                                 R"({"status":{"phase":"Replacing"}})",
                                 R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})"};
  for (const char* change : changes) {
    std::unique_ptr<TestDriver> driver = Ordinary();
    TestCluster& cluster = driver->cluster();
    driver->Quiet(5, 0);
    const bool status = std::string_view(change).find("status") != std::string_view::npos;
    driver->Change(cluster.Merge(kCsvs, kCsv, change, status ? "status" : ""));
    driver->Quiet(5, 0);
    driver->Sweep();
    EXPECT_TRUE(driver->oracle().now().held.contains("widget-role")) << change;
    Finish(*driver);
    EXPECT_TRUE(driver->Released()) << change;
    EXPECT_EQ(driver->Violations(), "") << change;
  }
}

// --- Writes that wait.

// A write waits before its bytes leave, longer than guards are good for, while something changes.
TEST(FaultTest, R_000_78_WhatWaitedTooLongIsNotSent) {
  int nth = 0;
  for (const auto& forbidding : kForbidding) {
    const ChangeOf change = forbidding.second;
    for (int i = 0; i < 3; ++i, ++nth) {
      if (nth % kStep != 0) continue;
      std::unique_ptr<TestDriver> driver = Ordinary();
      TestCluster& cluster = driver->cluster();
      int left = i;
      driver->SetNemesis(
          [&](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
            kube::HookedFate fate;
            if (call.verb == kube::ClientVerb::kDelete && left-- == 0) {
              VoidTask now = driver->ChangeNow(change(cluster));
              co_await std::move(now);
              fate.delay = absl::Seconds(60);
            }
            co_return fate;
          });
      driver->Quiet(25, 3);
      EXPECT_LT(left, 0) << "it never came to this";
      EXPECT_EQ(driver->Violations(), "") << forbidding.first << " at DELETE " << i;
    }
  }
}

// --- Owned definitions that change during a cleanup.

// DELETEs were sent: objects that are being deleted have to end, whatever the CSV claims to own
// then.
TEST(FaultTest, WhatWasBegunEndsWhateverIsOwnedThen) {
  const std::vector<std::string> owned[] = {{}, {"gadgets.example.com"}, {"gizmos.example.com"}};
  for (const std::vector<std::string>& left : owned) {
    for (int i = 0; i < 3; ++i) {
      std::unique_ptr<TestDriver> driver = Ordinary();
      TestCluster& cluster = driver->cluster();
      int until = i;
      driver->SetNemesis(
          [&](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
            if (call.verb == kube::ClientVerb::kDelete && until-- == 0) {
              VoidTask now = driver->ChangeNow(cluster.Merge(kCsvs, kCsv, Owning(left)));
              co_await std::move(now);
            }
            co_return kube::HookedFate();
          });
      driver->Quiet(20, 0);
      EXPECT_LT(until, 0) << "it never came to this";
      Finish(*driver);
      EXPECT_TRUE(driver->Released());
      EXPECT_EQ(driver->Violations(), "") << left.size() << " owned from DELETE " << i;
    }
  }
}

// --- Operators that share definitions, uninstalled together.

// Reasons that keep one of them from being cleaned up, whatever the others do.
const std::pair<const char*, VoidTask (*)(TestCluster&, kube::NamespacedName)> kSelfRefusals[] = {
    {"none", [](TestCluster& c, kube::NamespacedName csv) { return c.Merge(kCsvs, csv, "{}"); }},
    {"not enabled",
     [](TestCluster& c, kube::NamespacedName csv) {
       return c.Merge(kCsvs, csv, R"({"spec":{"cleanup":{"enabled":false}}})");
     }},
    {"failed",
     [](TestCluster& c, kube::NamespacedName csv) {
       return c.Merge(kCsvs, csv, R"({"status":{"phase":"Failed","reason":"OwnerConflict"}})",
                      "status");
     }},
    {"its author forbids it",
     [](TestCluster& c, kube::NamespacedName csv) {
       return c.Merge(
           kCsvs, csv,
           R"({"metadata":{"annotations":{"console.openshift.io/disable-operand-delete":"true"}}})");
     }},
    {"owner",
     [](TestCluster& c, kube::NamespacedName csv) { return c.Merge(kCsvs, csv, kWithOwner); }},
    {"malformed",
     [](TestCluster& c, kube::NamespacedName csv) {
       return c.Merge(kCsvs, csv, R"({"spec":{"install":{"spec":{"deployments":{}}}}})");
     }},
    {"marked",
     [](TestCluster& c, kube::NamespacedName csv) {
       return c.Merge(kCsvs, csv, Annotated("cleanup-refused", R"("SharedOwner")"));
     }},
    {"orphan",
     [](TestCluster& c, kube::NamespacedName csv) {
       kube::DeleteOptions options;
       options.propagation = kube::DeleteOptions::Propagation::kOrphan;
       return c.Remove(kCsvs, csv, options);
     }},
    {"foreground",
     [](TestCluster& c, kube::NamespacedName csv) {
       kube::DeleteOptions options;
       options.propagation = kube::DeleteOptions::Propagation::kForeground;
       return c.Remove(kCsvs, csv, options);
     }},
};

const char* const kNames[] = {"op0", "op1", "op2", "op3"};

// Operators of which each shares one definition with the next one, with custom resources of all.
std::unique_ptr<TestDriver> Chain(size_t length) {
  const std::vector<std::vector<std::string>> owned = {
      {"widgets.example.com"},
      {"widgets.example.com", "gizmos.example.com"},
      {"gizmos.example.com", "cogs.example.com"},
      {"cogs.example.com"}};
  ClusterShape nothing;
  nothing.owned = {};
  nothing.opted_in = false;
  auto driver = std::make_unique<TestDriver>(nothing, OneAtATime(), 7);
  TestCluster& cluster = driver->cluster();
  driver->Change(cluster.AddKinds());
  for (size_t i = 0; i < length; ++i) {
    std::vector<std::string> of = owned[i];
    if (length == 3 && i == 2) of = {"gizmos.example.com"};
    driver->Change(cluster.AddOperator(kNames[i], of, true));
  }
  for (const char* ns : {"a", "b"}) {
    driver->Change(cluster.AddWidget(ns, "one", true));
    driver->Change(cluster.AddOperand(kGizmos, ns, "one", true));
    driver->Change(cluster.AddOperand(kCogs, ns, "one", true));
  }
  return driver;
}

// The number of CSVs that wait for cleanup.
size_t Waiting(TestDriver& driver) {
  const auto& csvs = driver.oracle().now().csvs;
  return static_cast<size_t>(std::count_if(csvs.begin(), csvs.end(),
                                           [](const auto& csv) { return csv.second.finalizer; }));
}

void ExpectNoneIsCleanedUp(size_t length, size_t refused, size_t refusal,
                           const std::vector<size_t>& order) {
  std::string what =
      StrCat(length, " operators, op", refused, ": ", kSelfRefusals[refusal].first, ", looked at:");
  for (const size_t i : order) StrAppend(&what, " ", i);
  std::unique_ptr<TestDriver> driver = Chain(length);
  TestCluster& cluster = driver->cluster();
  for (size_t i = 0; i < length; ++i) driver->Pass({"ops", StrCat(kNames[i], ".v1")});
  driver->Change(kSelfRefusals[refusal].second(cluster, {"ops", StrCat(kNames[refused], ".v1")}));
  for (size_t i = 0; i < length; ++i) {
    driver->Change(cluster.Remove(kCsvs, {"ops", StrCat(kNames[i], ".v1")}));
  }
  size_t left = length;
  for (int round = 0; round < 20 && left > 0; ++round) {
    for (const size_t i : order) driver->Pass({"ops", StrCat(kNames[i], ".v1")});
    driver->Change(cluster.OlmCleansUp());
    cluster.clock().Advance(absl::Seconds(1));
    left = Waiting(*driver);
  }
  EXPECT_EQ(left, 0u) << what;
  EXPECT_EQ(driver->oracle().deletions(), 0) << what;
  EXPECT_EQ(driver->Violations(), "") << what;
}

TEST(TogetherTest, R_000_60_NoneOfAChainIsCleanedUp) {
  size_t nth = 0;
  for (const size_t length : {size_t{2}, size_t{3}, size_t{4}}) {
    std::vector<size_t> order;
    for (size_t i = 0; i < length; ++i) order.push_back(i);
    do {
      // Chains of three are tested with all of them, chains of four with some.
      const size_t cases = length == 4 ? 1 : length * std::size(kSelfRefusals);
      for (size_t i = 0; i < cases && !::testing::Test::HasFailure(); ++i, ++nth) {
        if (nth % static_cast<size_t>(kStep) != 0) continue;
        ExpectNoneIsCleanedUp(length, nth % length, nth / length % std::size(kSelfRefusals), order);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

// --- Refusals.

// Nothing was ever sent, so nothing has to be listed, and a failing list delays no refusal.
TEST(FaultTest, R_000_86_ARefusalWithoutARecordEndsWithoutAnyList) {
  for (const auto& refusal : kSelfRefusals) {
    if (refusal.first == std::string_view("none")) continue;
    std::unique_ptr<TestDriver> driver = Chain(1);
    TestCluster& cluster = driver->cluster();
    const kube::NamespacedName csv{"ops", "op0.v1"};
    driver->Pass(csv);
    int lists = 0;
    driver->SetNemesis(
        [&](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
          if (call.gvr.group != "example.com") co_return kube::HookedFate();
          ++lists;
          co_return kube::ToStatus(kube::Forbidden(call.gvr, "", "no rights"));
        });
    driver->Change(refusal.second(cluster, csv));
    driver->Change(cluster.Remove(kCsvs, csv));
    for (int i = 0; i < 8 && Waiting(*driver) > 0; ++i) {
      driver->Pass(csv);
      driver->Change(cluster.OlmCleansUp());
      cluster.clock().Advance(absl::Seconds(1));
    }
    EXPECT_EQ(Waiting(*driver), 0u) << refusal.first;
    EXPECT_EQ(lists, 0) << refusal.first;
    EXPECT_EQ(driver->Violations(), "") << refusal.first;
  }
}

// A guard fails for a moment, at every write: either cleanup continues, or nothing more is deleted
// once the operator's rights were released.
TEST(FaultTest, R_000_89_AGuardFlickersAtEveryCall) {
  std::unique_ptr<TestDriver> whole = Ordinary();
  const int before = whole->calls();
  Finish(*whole);
  const int calls = whole->calls() - before;
  for (int i = 0; i < calls; i += kStep) {
    for (const absl::Duration length : {absl::Milliseconds(20), absl::Milliseconds(1500)}) {
      std::unique_ptr<TestDriver> driver = Ordinary();
      TestCluster& cluster = driver->cluster();
      int left = i;
      std::optional<absl::Duration> since;
      driver->SetNemesis([&](const kube::HookedCall&) -> boost::asio::awaitable<kube::HookedFate> {
        if (left-- == 0) {
          since = cluster.clock().Monotonic();
          VoidTask now =
              driver->ChangeNow(cluster.AddOtherCsv("ops", "w.v2", R"({"replaces":"widget.v1"})"));
          co_await std::move(now);
        } else if (since.has_value() && cluster.clock().Monotonic() > *since + length) {
          since.reset();
          VoidTask now = driver->ChangeNow(cluster.Remove(kCsvs, {"ops", "w.v2"}));
          co_await std::move(now);
        }
        co_return kube::HookedFate();
      });
      Finish(*driver);
      EXPECT_TRUE(driver->Released()) << "call " << i;
      EXPECT_EQ(driver->Violations(), "") << "call " << i << " for " << length;
    }
  }
}

// OLM has not reported yet what the OperatorGroup's new spec selects: no record may be written that
// would leave a namespace out for good.
TEST(FaultTest, R_000_88_NothingIsRecordedWhileTheStatusLags) {
  std::unique_ptr<TestDriver> driver = Ordinary();
  TestCluster& cluster = driver->cluster();
  driver->Change(cluster.SetGroup(R"({"targetNamespaces":["a","b"]})", {"a"}));
  driver->Quiet(5, 3);
  EXPECT_EQ(driver->oracle().deletions(), 0);
  driver->Change(cluster.SetGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"}));
  Finish(*driver);
  ExpectCleaned(*driver, "synced in the end");
}

}  // namespace
}  // namespace steward::controllers
