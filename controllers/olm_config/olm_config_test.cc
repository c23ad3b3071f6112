#include "controllers/olm_config/olm_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "controllers/copied_csv/testing/copies_process.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "controllers/olm_config/known_olm_config.h"
#include "controllers/runtime/controller.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/config/olm_config.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kOff[] = R"({"disableCopiedCSVs":true})";
constexpr char kOn[] = R"({"disableCopiedCSVs":false})";
constexpr char kEnabled[] =
    "False CopiedCSVsEnabled Copied CSVs are enabled and present across the cluster";
constexpr char kMissing[] =
    "False CopiedCSVsEnabled Copied CSVs are enabled and at least one copied CSVs is missing";
constexpr char kUnexpected[] =
    "False CopiedCSVsDisabled Copied CSVs are disabled and at least one unexpected copied CSV was "
    "found for an operator installed in AllNamespace mode";
constexpr char kDisabled[] =
    "True CopiedCSVsDisabled Copied CSVs are disabled and no unexpected copied CSVs were found for "
    "operators installed in AllNamespace mode";

class OlmConfigReconcilerTest : public ::testing::Test {
 protected:
  OlmConfigReconcilerTest() {
    for (const char* ns : {"ops", "red", "blue"}) cluster_.PutNamespace(ns);
    cluster_.PutGroup("ops", "g", "{}");
    cluster_.PutCsv("ops", "etcd.v1");
  }
  ~OlmConfigReconcilerTest() override { Stop(); }

  // Starts both reconcilers in one process.
  void Start(CopyToggleDefaults toggle = {}) {
    Prepare(toggle);
    Begin(toggle);
  }
  void Prepare(const CopyToggleDefaults& toggle = {}) {
    process_.emplace(cluster_, clock_, io_, toggle);
  }
  void Begin(const CopyToggleDefaults& toggle = {}) {
    controller_ = std::make_unique<Controller>(
        KnownOlmConfig(nullptr).options,
        [this, toggle] {
          return std::make_unique<OlmConfigReconciler>(process_->Deps(), metrics_,
                                                       process_->copy_state, toggle);
        },
        io_.get_executor(), clock_, process_->registry());
    controller_->Start();
    Look();
  }
  void Stop() {
    if (controller_) RunOn(io_, controller_->Stop(absl::ZeroDuration()));
    controller_.reset();
    process_.reset();
  }
  void Look() {
    process_->Look();
    process_->Pass(absl::Seconds(4));
  }
  void Choose(const std::string& features) {
    cluster_.PutOlmConfig(features);
    process_->Pass(absl::Seconds(4));
  }
  // "<status> <reason> <message>" of the condition of the OLMConfig; "" = none.
  std::string Condition(const std::string& name = "cluster") {
    for (const json::object& config : cluster_.All(kTestOlmConfigs)) {
      if (config.at("metadata").at("name") != json::value(name)) continue;
      if (!config.contains("status")) return "";
      const json::object& condition = config.at("status").at("conditions").at(0).as_object();
      const auto text = [&condition](const char* key) {
        return std::string(condition.at(key).as_string());
      };
      return StrCat(text("status"), " ", text("reason"), " ", text("message"));
    }
    return "";
  }
  // "<namespace>: <kind> <name>" of the Events that stand.
  std::multiset<std::string> Notices() {
    std::multiset<std::string> found;
    for (const json::object& event : cluster_.All(kTestEvents)) {
      EXPECT_EQ(event.at("reason"), "DisabledCopiedCSVs");
      EXPECT_EQ(event.at("type"), "Warning");
      const json::object& about = event.at("involvedObject").as_object();
      found.insert(StrCat(std::string(event.at("metadata").at("namespace").as_string()), ": ",
                          std::string(about.at("kind").as_string()), " ",
                          std::string(about.at("name").as_string())));
    }
    return found;
  }
  int Calls(ClientVerb verb, const kube::GroupVersionResource& gvr) {
    return process_->faults().calls({verb, gvr});
  }
  void FailCopies(ClientVerb verb) {
    process_->faults().FailNext({verb, kTestCsvs}, absl::UnavailableError("reset"), 100000);
  }

  prometheus::Registry registry_;
  OlmConfigMetrics metrics_{registry_};
  FakeClock clock_;
  boost::asio::io_context io_{1};
  CopyCluster cluster_;
  std::optional<CopiesProcess> process_;
  std::unique_ptr<Controller> controller_;
};

TEST_F(OlmConfigReconcilerTest, TheConditionTellsEachState) {
  cluster_.PutOlmConfig("{}");
  Start();
  EXPECT_EQ(Condition(), kEnabled);
  Choose(kOff);
  EXPECT_EQ(Condition(), kDisabled);
  Choose(kOn);
  EXPECT_EQ(Condition(), kEnabled);
  const int writes = Calls(ClientVerb::kUpdate, kTestOlmConfigs);
  process_->Pass(absl::Minutes(5), absl::Seconds(1));
  EXPECT_EQ(Calls(ClientVerb::kUpdate, kTestOlmConfigs), writes) << "idle";
}

TEST_F(OlmConfigReconcilerTest, WhatIsNotDoneIsNotSaid) {
  cluster_.PutOlmConfig("{}");
  Start();
  FailCopies(ClientVerb::kDelete);
  Choose(kOff);
  EXPECT_EQ(Condition(), kUnexpected);
  process_->faults().ForgetFaults(kTestCsvs);
  process_->Pass(absl::Minutes(2), absl::Seconds(1));
  EXPECT_EQ(Condition(), kDisabled);
  FailCopies(ClientVerb::kCreate);
  Choose(kOn);
  EXPECT_EQ(Condition(), kMissing);
  process_->faults().ForgetFaults(kTestCsvs);
  process_->Pass(absl::Minutes(2), absl::Seconds(1));
  EXPECT_EQ(Condition(), kEnabled);
}

TEST_F(OlmConfigReconcilerTest, CopiesThatStayAreToldByConditionAndMetric) {
  cluster_.PutOlmConfig("{}");
  Start();
  cluster_.PutGroup("ops", "second", "{}");
  Look();
  Choose(kOff);
  EXPECT_EQ(Condition(), StrCat("False CopiedCSVsDisabled ", olm::kUnexplainedCopies));
  EXPECT_EQ(metrics_.unwanted.Value(), 2);
  cluster_.DropGroup("ops", "second");
  Look();
  process_->Pass(absl::Seconds(10), absl::Seconds(1));
  EXPECT_EQ(Condition(), kDisabled);
  EXPECT_EQ(metrics_.unwanted.Value(), 0);
}

// OLM compares counts, and stays False for ever in these cases.
TEST_F(OlmConfigReconcilerTest, TheConditionIsNeverStuck) {
  cluster_.PutOlmConfig(kOff);
  cluster_.PutNamespace("green", "", /*terminating=*/true);
  cluster_.PutCsv("ops", "failed.v1", {.phase = "Failed", .reason = "TooManyOperatorGroups"});
  cluster_.PutCsv("blue", "etcd.v1", {.note = "own"});
  Start({.disabled = false, .protected_namespaces = {"ops", "absent", "green", "blue"}});
  EXPECT_EQ(Condition(), kDisabled);
  Choose(kOn);
  EXPECT_EQ(Condition(), kEnabled);
}

// A copy too many does not hide one that is missing.
TEST_F(OlmConfigReconcilerTest, SetsAreComparedNotCounts) {
  cluster_.PutOlmConfig("{}");
  Start();
  EXPECT_EQ(Condition(), kEnabled);
  FailCopies(ClientVerb::kCreate);
  FailCopies(ClientVerb::kDelete);
  cluster_.DropCsv("red", "etcd.v1");
  cluster_.PutCsv("ops", "gone.v1");
  Look();
  cluster_.DropCsv("ops", "gone.v1");
  Look();
  EXPECT_EQ(Condition(), kMissing);
}

TEST_F(OlmConfigReconcilerTest, TheConditionOfSomebodyElseIsRepaired) {
  cluster_.PutOlmConfig(kOff);
  Start();
  json::object config = cluster_.All(kTestOlmConfigs).front();
  config.at("status").at("conditions").at(0).as_object()["status"] = "False";
  cluster_.fake().Put(kTestOlmConfigs, json::serialize(config));
  process_->Pass(absl::Seconds(4));
  EXPECT_EQ(Condition(), kDisabled);
}

TEST_F(OlmConfigReconcilerTest, R_004_23_OtherOlmConfigsAreNotWritten) {
  cluster_.PutOlmConfig(kOff, "another");
  Start();
  EXPECT_EQ(Condition("another"), "");
  EXPECT_EQ(Calls(ClientVerb::kUpdate, kTestOlmConfigs), 0);
  EXPECT_THAT(cluster_.Copies(), SizeIs(2));
  EXPECT_THAT(cluster_.All(kTestOlmConfigs), SizeIs(1)) << "none is made";
}

TEST_F(OlmConfigReconcilerTest, FailedWritesOfTheConditionAreTriedAgain) {
  cluster_.PutOlmConfig(kOff);
  Start();
  process_->faults().FailNext({ClientVerb::kUpdate, kTestOlmConfigs},
                              kube::ToStatus(kube::Conflict(kTestOlmConfigs, "cluster", "old")));
  process_->faults().FailNext({ClientVerb::kGet, kTestOlmConfigs}, absl::UnavailableError("away"),
                              2);
  Choose(kOn);
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_EQ(Condition(), kEnabled);
}

TEST_F(OlmConfigReconcilerTest, R_004_29_OneEventForEachNamespaceAndEachOperator) {
  cluster_.PutNamespace("one");
  cluster_.PutGroup("one", "g", R"({"targetNamespaces":["red"]})");
  cluster_.PutCsv("one", "single.v1");
  cluster_.PutNamespace("green", "", /*terminating=*/true);
  cluster_.PutOlmConfig(kOff);
  Start({.disabled = false, .protected_namespaces = {"blue"}});
  EXPECT_THAT(Notices(), ElementsAre("one: Namespace one", "ops: ClusterServiceVersion etcd.v1",
                                     "red: Namespace red"));
  cluster_.PutNamespace("new");
  cluster_.PutCsv("ops", "more.v1");
  Look();
  EXPECT_THAT(Notices(), ElementsAre("new: Namespace new", "one: Namespace one",
                                     "ops: ClusterServiceVersion etcd.v1",
                                     "ops: ClusterServiceVersion more.v1", "red: Namespace red"));
  Choose(kOn);
  EXPECT_THAT(Notices(), IsEmpty());
}

// An operator's own namespace is affected by others that are installed elsewhere.
TEST_F(OlmConfigReconcilerTest, InstallNamespacesAreAffectedByOthers) {
  cluster_.PutNamespace("tools");
  cluster_.PutGroup("tools", "g", "{}");
  cluster_.PutCsv("tools", "hammer.v1");
  cluster_.PutOlmConfig(kOff);
  Start();
  EXPECT_THAT(Notices(),
              ElementsAre("blue: Namespace blue", "ops: ClusterServiceVersion etcd.v1",
                          "ops: Namespace ops", "red: Namespace red",
                          "tools: ClusterServiceVersion hammer.v1", "tools: Namespace tools"));
}

TEST_F(OlmConfigReconcilerTest, EventsAreWrittenOnceAndAgainWhenTheyExpired) {
  cluster_.PutOlmConfig(kOff);
  Start();
  const size_t all = Notices().size();
  EXPECT_EQ(all, 3u);
  EXPECT_EQ(Calls(ClientVerb::kCreate, kTestEvents), 3);
  Stop();
  Start();
  EXPECT_EQ(Calls(ClientVerb::kCreate, kTestEvents), 0) << "after a restart";
  for (const auto& [key, text] : cluster_.fake().Objects(kTestEvents)) {
    cluster_.fake().Delete(kTestEvents, key);
  }
  process_->Pass(absl::Minutes(21), absl::Seconds(10));
  EXPECT_EQ(Notices().size(), all);
}

TEST_F(OlmConfigReconcilerTest, TenThousandNamespaces) {
  for (int n = 0; n < 10000; ++n) cluster_.PutNamespace(StrCat("n", n));
  cluster_.PutOlmConfig(kOff);
  Start();
  EXPECT_EQ(Notices().size(), 10003u);
  FailCopies(ClientVerb::kCreate);
  Choose(kOn);
  EXPECT_THAT(Notices(), IsEmpty());
}

TEST_F(OlmConfigReconcilerTest, EventsOfOlmGoAndThoseOfOthersStay) {
  const auto put = [this](const std::string& name, const std::string& component,
                          const std::string& uid) {
    cluster_.fake().Put(
        kTestEvents,
        StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"ops"},)",
               R"("involvedObject":{"kind":"ClusterServiceVersion","name":"etcd.v1","uid":")", uid,
               R"("},"reason":"DisabledCopiedCSVs","type":"Warning","source":{"component":")",
               component, R"("}})"));
  };
  const json::object original = *cluster_.Find({"ops", "etcd.v1"});
  const std::string uid(original.at("metadata").at("uid").as_string());
  put("a", "operator-lifecycle-manager", uid);
  put("b", "operator-lifecycle-manager", uid);
  put("c", "operator-lifecycle-manager", "another");
  put("d", "somebody", uid);
  cluster_.PutOlmConfig(kOff);
  Start();
  std::set<std::string> names;
  for (const auto& [key, text] : cluster_.fake().Objects(kTestEvents)) {
    if (key.ns == "ops") names.insert(key.name);
  }
  EXPECT_THAT(names, ElementsAre("a", "d")) << "one about the operator is enough";
  Choose(kOn);
  EXPECT_THAT(Notices(), SizeIs(1)) << "somebody's";
}

TEST_F(OlmConfigReconcilerTest, AnEventThatIsRefusedKeepsNobodyWaiting) {
  cluster_.PutOlmConfig(kOff);
  Prepare();
  process_->faults().FailNext({ClientVerb::kCreate, kTestEvents},
                              kube::ToStatus(kube::Forbidden(kTestEvents, "x", "no")));
  Begin();
  EXPECT_THAT(Notices(), SizeIs(2));
  process_->Pass(absl::Minutes(21), absl::Seconds(10));
  EXPECT_THAT(Notices(), SizeIs(3)) << "with the next look";
}

TEST_F(OlmConfigReconcilerTest, WithoutLeadershipNothingIsWritten) {
  cluster_.PutOlmConfig(kOff);
  Start();
  cluster_.PutNamespace("new");
  process_->leadership.leads = false;
  Look();
  EXPECT_THAT(Notices(), SizeIs(3));
}

}  // namespace
}  // namespace steward::controllers
