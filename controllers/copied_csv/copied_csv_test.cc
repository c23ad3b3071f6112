#include "controllers/copied_csv/copied_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "controllers/copied_csv/testing/copies_process.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;

using kube::ClientVerb;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CopiedCsvTest : public ::testing::Test {
 protected:
  CopiedCsvTest() {
    for (const char* ns : {"ops", "red", "blue"}) cluster_.PutNamespace(ns);
    cluster_.PutGroup("ops", "g", "{}");
  }
  void Start() {
    process_.emplace(cluster_, clock_, io_);
    process_->Look();
  }
  void Restart() {
    process_.reset();
    Start();
  }
  int Calls(ClientVerb verb) { return process_->faults().calls({verb, kTestCsvs}); }
  // A tenant's ClusterServiceVersion without the label of a copy.
  void PutOwn(const std::string& ns, const std::string& name) {
    cluster_.PutCsv(ns, name, {.note = "own"});
  }

  FakeClock clock_;
  boost::asio::io_context io_{1};
  CopyCluster cluster_;
  std::optional<CopiesProcess> process_;
};

TEST_F(CopiedCsvTest, R_004_18_CopiesToEachNamespaceThatTheGroupTargets) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  const json::object copy = *cluster_.Find({"red", "etcd.v1"});
  EXPECT_EQ(copy.at("metadata").at("labels"),
            json::parse(R"({"olm.managed":"true","note":"1","olm.copiedFrom":"ops"})"));
  EXPECT_EQ(copy.at("spec"), json::parse(R"({"note":"1"})"));
  EXPECT_EQ(copy.at("status"),
            json::parse(R"({"phase":"Succeeded","note":"1","cleanup":{},"reason":"Copied",)"
                        R"("message":"The operator is running in ops but is managing this )"
                        R"(namespace"})"));
  EXPECT_EQ(Calls(ClientVerb::kCreate), 2);
  EXPECT_EQ(Calls(ClientVerb::kUpdate), 2) << "the status of each";
  EXPECT_EQ(process_->reads(), 0);
  EXPECT_THAT(process_->events.told, IsEmpty());
  EXPECT_THAT(process_->Metrics(), HasSubstr("steward_copied_csvs 2"));
}

TEST_F(CopiedCsvTest, OneRequestWhereTheServerTakesTheStatus) {
  cluster_.keeps_status_on_create = true;
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  EXPECT_EQ(Calls(ClientVerb::kCreate), 2);
  EXPECT_EQ(Calls(ClientVerb::kUpdate), 0);
}

TEST_F(CopiedCsvTest, R_004_28_ListsAndSelectorsAreTargetsToo) {
  cluster_.PutNamespace("green", "x");
  cluster_.PutNamespace("list");
  cluster_.PutGroup("list", "g", R"({"targetNamespaces":["red","gone"]})");
  cluster_.PutCsv("list", "a.v1");
  cluster_.PutNamespace("sel");
  cluster_.PutGroup("sel", "g", R"({"selector":{"matchLabels":{"team":"x"}}})");
  cluster_.PutCsv("sel", "b.v1");
  Start();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("green/b.v1", "red/a.v1"));
  cluster_.PutNamespace("blue", "x");
  cluster_.PutNamespace("green", "y");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/b.v1", "red/a.v1"));
}

TEST_F(CopiedCsvTest, WhatIsRightIsNeitherReadNorWritten) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  const int writes = process_->writes();
  process_->Pass(absl::Minutes(2), absl::Seconds(1));
  EXPECT_EQ(process_->writes(), writes);
  Restart();
  process_->Pass(absl::Minutes(2), absl::Seconds(1));
  EXPECT_EQ(process_->writes(), 0) << "after a restart";
  EXPECT_EQ(process_->reads(), 0);
}

TEST_F(CopiedCsvTest, ANewNamespaceIsServedAtOnce) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.PutNamespace("new");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), Contains("new/etcd.v1"));
  cluster_.DropNamespace("new");
  process_->Look();
  cluster_.PutNamespace("new");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), Contains("new/etcd.v1")) << "made anew";
}

TEST_F(CopiedCsvTest, ChangesOfTheOriginalReachItsCopies) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.PutCsv("ops", "etcd.v1", {.note = "2"});
  process_->Look();
  for (const char* ns : {"red", "blue"}) {
    const std::string text = cluster_.Text({ns, "etcd.v1"});
    EXPECT_THAT(text, Not(HasSubstr(R"("note":"1")"))) << ns;
  }
  EXPECT_EQ(Calls(ClientVerb::kUpdate), 6) << "two statuses, then two objects with theirs";
  // Only the status changes.
  cluster_.PutCsv("ops", "etcd.v1",
                  {.phase = "Failed", .reason = "ComponentUnhealthy", .note = "2"});
  process_->Look();
  EXPECT_EQ(Calls(ClientVerb::kUpdate), 8);
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr(R"("phase":"Failed")"));
}

// Many copies are read by the page.
TEST_F(CopiedCsvTest, ManyChangesAreReadTogether) {
  for (int i = 0; i < 60; ++i) cluster_.PutNamespace(StrCat("n", i));
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  const int reads = process_->reads();
  const int updates = Calls(ClientVerb::kUpdate);
  cluster_.PutCsv("ops", "etcd.v1", {.note = "2"});
  process_->Look();
  EXPECT_EQ(Calls(ClientVerb::kUpdate) - updates, 2 * 62);
  EXPECT_LE(process_->reads() - reads, 20);
  EXPECT_THAT(cluster_.Text({"n7", "etcd.v1"}), Not(HasSubstr(R"("note":"1")")));
  const int before = process_->reads();
  cluster_.DropCsv("ops", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
  EXPECT_EQ(Calls(ClientVerb::kDelete), 62);
  EXPECT_LE(process_->reads() - before, 20);
}

// The list is taken up where it ended by other means.
TEST_F(CopiedCsvTest, AListThatFailsIsNoTrouble) {
  for (int i = 0; i < 60; ++i) cluster_.PutNamespace(StrCat("n", i));
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_->faults().FailNext({ClientVerb::kList, kTestCsvs}, absl::OkStatus(), 1);
  process_->faults().FailNext({ClientVerb::kList, kTestCsvs},
                              kube::ToStatus(kube::Expired("too old")), 1);
  cluster_.DropCsv("ops", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
}

TEST_F(CopiedCsvTest, DriftIsRepaired) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  const std::string before = cluster_.Text({"red", "etcd.v1"});
  const auto without_version = [](std::string text) {
    json::object object = json::parse(text).as_object();
    object["metadata"].as_object().erase("resourceVersion");
    object["metadata"].as_object().erase("generation");
    return json::value(object);
  };
  const std::function<void(json::object&)> edits[] = {
      [](json::object& o) { o["metadata"].as_object()["labels"].as_object()["more"] = "x"; },
      [](json::object& o) { o["metadata"].as_object()["labels"].as_object().erase("note"); },
      [](json::object& o) {
        o["metadata"].as_object()["labels"].as_object()["olm.copiedFrom"] = "else";
      },
      [](json::object& o) { o["metadata"].as_object().erase("annotations"); },
      [](json::object& o) { o["spec"].as_object()["note"] = "x"; },
      [](json::object& o) { o["status"].as_object()["phase"] = "Failed"; },
      [](json::object& o) { o["status"].as_object()["reason"] = "Mine"; },
      [](json::object& o) { o.erase("status"); },
  };
  for (const auto& edit : edits) {
    cluster_.Edit({"red", "etcd.v1"}, edit);
    process_->Look();
    process_->Pass(absl::Minutes(11), absl::Seconds(5));
    EXPECT_EQ(without_version(cluster_.Text({"red", "etcd.v1"})), without_version(before));
  }
  cluster_.DropCsv("red", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), Contains("red/etcd.v1"));
}

TEST_F(CopiedCsvTest, OwnersAndFinalizersOfACopyStay) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.Edit({"red", "etcd.v1"}, [](json::object& o) {
    o["metadata"].as_object()["finalizers"] = json::array{"somebody/s"};
    o["spec"].as_object()["note"] = "x";
  });
  process_->Look();
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr("somebody/s"));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr(R"("spec":{"note":"1"})"));
}

TEST_F(CopiedCsvTest, CopiesOfWhatIsGoneArePruned) {
  cluster_.PutCsv("ops", "etcd.v1");
  cluster_.PutCsv("ops", "kept.v1");
  Start();
  cluster_.DropCsv("ops", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/kept.v1", "red/kept.v1"));
}

TEST_F(CopiedCsvTest, CopiesOfWhatWentMeanwhileArePruned) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_.reset();
  cluster_.DropCsv("ops", "etcd.v1");
  Start();
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
  EXPECT_EQ(Calls(ClientVerb::kDelete), 2);
}

// The original is replaced by the copy of another operator of its name.
TEST_F(CopiedCsvTest, CopiesOfWhatIsACopyArePruned) {
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["red"]})");
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("red/etcd.v1"));
  process_.reset();
  cluster_.DropCsv("ops", "etcd.v1");
  cluster_.PutGroup("blue", "g", R"({"targetNamespaces":["ops"]})");
  cluster_.PutCsv("blue", "etcd.v1");
  Start();
  process_->Pass(absl::Seconds(5));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("ops/etcd.v1"));
}

TEST_F(CopiedCsvTest, NamespacesThatAreNoTargetAnyMoreArePruned) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["red"]})");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("red/etcd.v1"));
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["ops"]})");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
}

TEST_F(CopiedCsvTest, WhatIsNotKnownDeletesNothing) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  const auto all = ElementsAre("blue/etcd.v1", "red/etcd.v1");
  cluster_.DropGroup("ops", "g");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), all) << "no group";
  cluster_.PutGroup("ops", "g", "{}");
  cluster_.PutGroup("ops", "h", R"({"targetNamespaces":["ops"]})");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), all) << "two groups";
  cluster_.DropGroup("ops", "h");
  cluster_.PutCsv("ops", "etcd.v1", {.phase = "Failed", .reason = "TooManyOperatorGroups"});
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), all) << "uncopiable";
  cluster_.PutCsv("ops", "etcd.v1",
                  {.phase = "Failed", .reason = "InterOperatorGroupOwnerConflict"});
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty()) << "OLM's one exception";
}

// Any tenant can create one.
TEST_F(CopiedCsvTest, R_004_17_18_ANamesakeWithoutAGroupPinsNoCopies) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  cluster_.PutNamespace("tenant");
  cluster_.PutCsv("tenant", "etcd.v1", {.note = "mine"});
  process_->Look();
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["red"]})");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("red/etcd.v1")) << "blue is no target any more";
  cluster_.DropCsv("ops", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty()) << "the original is gone";
  EXPECT_THAT(cluster_.Text({"tenant", "etcd.v1"}), HasSubstr("mine"));
}

TEST_F(CopiedCsvTest, CopiesOfADeletingOriginalAreLeftAlone) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  const int writes = process_->writes();
  cluster_.PutCsv("ops", "etcd.v1", {.note = "2", .deleting = true});
  process_->Look();
  cluster_.PutNamespace("new");
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["blue"]})");
  cluster_.Edit({"red", "etcd.v1"}, [](json::object& o) { o["spec"].as_object()["note"] = "x"; });
  process_->Look();
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_EQ(process_->writes(), writes);
  cluster_.DropCsv("ops", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
}

TEST_F(CopiedCsvTest, TerminatingNamespacesAreSkippedAndLookedAtAgain) {
  cluster_.PutNamespace("red", "", /*terminating=*/true);
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1"));
  EXPECT_EQ(Calls(ClientVerb::kCreate), 1);
  cluster_.DropNamespace("red");
  process_->Look();
  cluster_.PutNamespace("red");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  EXPECT_THAT(process_->events.told, IsEmpty());
}

// The World has not heard yet that the namespace is going.
TEST_F(CopiedCsvTest, ANamespaceThatBeginsToTerminateIsNoNews) {
  Start();
  cluster_.PutCsv("ops", "etcd.v1");
  cluster_.before_write = [this] { cluster_.PutNamespace("red", "", true); };
  process_->Look();
  process_->Pass(absl::Seconds(30), absl::Seconds(1));
  EXPECT_THAT(process_->events.told, IsEmpty());
  EXPECT_LE(Calls(ClientVerb::kCreate), 8) << "with a backoff";
  process_->Look();
  cluster_.before_write = nullptr;
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1"));
}

TEST_F(CopiedCsvTest, ANameThatIsTakenIsReportedAndNeverOverwritten) {
  PutOwn("red", "etcd.v1");
  const std::string own = cluster_.Text({"red", "etcd.v1"});
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_->Pass(absl::Minutes(30), absl::Seconds(10));
  EXPECT_EQ(cluster_.Text({"red", "etcd.v1"}), own);
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1"));
  EXPECT_EQ(Calls(ClientVerb::kCreate), 1) << "not even tried";
  EXPECT_THAT(process_->events.told,
              Contains(HasSubstr("CopyNameTaken ops/etcd.v1: Not copied to namespace red")));
  EXPECT_THAT(process_->events.told, Contains(HasSubstr("CopyNameTaken red/etcd.v1: ")));
  EXPECT_THAT(process_->Metrics(),
              HasSubstr(R"(steward_copied_csv_slots_in_trouble{reason="NameTaken"} 1)"));
  cluster_.DropCsv("red", "etcd.v1");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  EXPECT_THAT(process_->Metrics(),
              HasSubstr(R"(steward_copied_csv_slots_in_trouble{reason="NameTaken"} 0)"));
}

// The World does not know yet of the tenant's object.
TEST_F(CopiedCsvTest, ANameThatWasTakenJustNowIsNotOverwritten) {
  Start();
  cluster_.PutCsv("ops", "etcd.v1");
  cluster_.before_write = [this] {
    cluster_.before_write = nullptr;
    PutOwn("red", "etcd.v1");
    PutOwn("blue", "etcd.v1");
  };
  process_->Look();
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr(R"("note":"own")"));
  EXPECT_THAT(cluster_.Text({"blue", "etcd.v1"}), HasSubstr(R"("note":"own")"));
  EXPECT_EQ(Calls(ClientVerb::kUpdate), 0);
}

TEST_F(CopiedCsvTest, WhatOnlyHasTheLabelIsLeftAlone) {
  cluster_.PutCsv("red", "etcd.v1", {.note = "own"});
  cluster_.Edit({"red", "etcd.v1"}, [](json::object& o) {
    o["metadata"].as_object()["labels"].as_object()["olm.copiedFrom"] = "else";
  });
  cluster_.PutCsv("red", "alone.v1", {.note = "own"});
  cluster_.Edit({"red", "alone.v1"}, [](json::object& o) {
    o["metadata"].as_object()["labels"].as_object()["olm.copiedFrom"] = "ops";
  });
  const std::string taken = cluster_.Text({"red", "etcd.v1"});
  const std::string alone = cluster_.Text({"red", "alone.v1"});
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_->Pass(absl::Minutes(5), absl::Seconds(5));
  EXPECT_EQ(cluster_.Text({"red", "etcd.v1"}), taken);
  EXPECT_EQ(cluster_.Text({"red", "alone.v1"}), alone) << "no original of it was ever there";
  EXPECT_EQ(Calls(ClientVerb::kDelete), 0);
  EXPECT_THAT(process_->events.told,
              Contains(HasSubstr("CopyNameTaken ops/etcd.v1: Not copied to namespace red")));
}

TEST_F(CopiedCsvTest, ACopyThatLostItsLabelIsReported) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.Edit({"red", "etcd.v1"}, [](json::object& o) {
    o["metadata"].as_object()["labels"].as_object().erase("olm.copiedFrom");
  });
  const std::string left = cluster_.Text({"red", "etcd.v1"});
  process_->Look();
  process_->Pass(absl::Minutes(5), absl::Seconds(5));
  EXPECT_EQ(cluster_.Text({"red", "etcd.v1"}), left);
  EXPECT_THAT(process_->events.told, Contains(HasSubstr("CopyNameTaken red/etcd.v1")));
}

// Between the look and the deletion somebody replaces the copy.
TEST_F(CopiedCsvTest, WhatTookThePlaceOfACopyIsNotDeleted) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.DropCsv("ops", "etcd.v1");
  cluster_.before_write = [this] {
    cluster_.before_write = nullptr;
    for (const char* ns : {"red", "blue"}) {
      cluster_.DropCsv(ns, "etcd.v1");
      PutOwn(ns, "etcd.v1");
    }
  };
  process_->Look();
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr(R"("note":"own")"));
  EXPECT_THAT(cluster_.Text({"blue", "etcd.v1"}), HasSubstr(R"("note":"own")"));
}

// The World lags behind: it does not show yet what the cluster has.
TEST_F(CopiedCsvTest, AnOriginalThatIsBackKeepsItsCopies) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_.reset();
  cluster_.DropCsv("ops", "etcd.v1");
  process_.emplace(cluster_, clock_, io_);
  cluster_.before_write = [] { ADD_FAILURE() << "nothing is to be written"; };
  // The process sees the World without it, and by the time of its reads it is back.
  process_->faults().DelayNext({ClientVerb::kGet, kTestCsvs}, absl::Seconds(1), 100);
  process_->Look();
  cluster_.PutCsv("ops", "etcd.v1");
  process_->Pass(absl::Seconds(5));
  cluster_.before_write = nullptr;
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
}

TEST_F(CopiedCsvTest, OfTwoOriginalsTheOlderIsCopied) {
  cluster_.PutNamespace("tools");
  cluster_.PutGroup("tools", "g", "{}");
  cluster_.PutCsv("ops", "etcd.v1", {.note = "old"});
  cluster_.PutCsv("tools", "etcd.v1", {.note = "young"});
  cluster_.Edit({"tools", "etcd.v1"}, [](json::object& o) {
    o["metadata"].as_object()["creationTimestamp"] = "2026-01-05T00:00:00Z";
  });
  Start();
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr(R"("note":"old")"));
  EXPECT_THAT(process_->events.told, Contains(HasSubstr("CopyNameTaken tools/etcd.v1: Another")));
  cluster_.DropCsv("ops", "etcd.v1");
  process_->Look();
  process_->Pass(absl::Seconds(5));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "ops/etcd.v1", "red/etcd.v1"));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), HasSubstr(R"("note":"young")"));
}

TEST_F(CopiedCsvTest, FailuresAreTriedAgainForEachNamespaceAlone) {
  cluster_.PutCsv("ops", "etcd.v1");
  process_.emplace(cluster_, clock_, io_);
  const kube::Calls creates{ClientVerb::kCreate, kTestCsvs};
  process_->faults().FailNext(creates, kube::ToStatus(kube::InternalError("disk full")), 1);
  process_->Look();
  EXPECT_EQ(cluster_.Copies().size(), 1u);
  EXPECT_THAT(process_->events.told, IsEmpty()) << "the next try may succeed";
  process_->Pass(absl::Seconds(2));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
}

TEST_F(CopiedCsvTest, WhatIsRefusedIsSurfacedAndDoesNotBecomeAHotLoop) {
  cluster_.PutCsv("ops", "etcd.v1");
  process_.emplace(cluster_, clock_, io_);
  process_->faults().FailNext({ClientVerb::kCreate, kTestCsvs},
                              kube::ToStatus(kube::Forbidden(kTestCsvs, "x", "exceeded quota")),
                              1000);
  process_->Look();
  process_->Pass(absl::Minutes(10), absl::Seconds(1));
  EXPECT_LE(Calls(ClientVerb::kCreate), 24) << "for two namespaces in ten minutes";
  EXPECT_THAT(process_->events.told, Contains(HasSubstr("CopyFailed ops/etcd.v1")));
  EXPECT_THAT(process_->Metrics(),
              HasSubstr(R"(steward_copied_csv_slots_in_trouble{reason="Failed"} 2)"));
  process_->faults().ForgetFaults(kTestCsvs);
  process_->Pass(absl::Minutes(11), absl::Seconds(1));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  EXPECT_THAT(process_->Metrics(),
              HasSubstr(R"(steward_copied_csv_slots_in_trouble{reason="Failed"} 0)"));
}

TEST_F(CopiedCsvTest, LostAnswersAndConflictsEndWell) {
  cluster_.PutCsv("ops", "etcd.v1");
  process_.emplace(cluster_, clock_, io_);
  process_->faults().LoseNext({ClientVerb::kCreate, kTestCsvs}, 2);
  process_->faults().LoseNext({ClientVerb::kUpdate, kTestCsvs}, 1);
  process_->Look();
  process_->Pass(absl::Seconds(20));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
  for (const char* ns : {"red", "blue"}) {
    EXPECT_THAT(cluster_.Text({ns, "etcd.v1"}), HasSubstr(R"("reason":"Copied")")) << ns;
  }
}

TEST_F(CopiedCsvTest, TheServersPaceIsKept) {
  cluster_.PutCsv("ops", "etcd.v1");
  process_.emplace(cluster_, clock_, io_);
  process_->faults().FailNext({ClientVerb::kCreate, kTestCsvs},
                              kube::ToStatus(kube::TooManyRequests("busy", 5)), 1);
  process_->Look();
  process_->Pass(absl::Seconds(4));
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
  EXPECT_EQ(Calls(ClientVerb::kCreate), 1) << "nor is another one tried meanwhile";
  process_->Pass(absl::Seconds(3));
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "red/etcd.v1"));
}

TEST_F(CopiedCsvTest, AWebhookThatAlwaysChangesSomethingIsAVisibleStall) {
  int calls = 0;
  cluster_.webhook = [&calls](json::object& o, bool) {
    o["metadata"].as_object()["labels"].as_object()["stamp"] = StrCat(++calls);
  };
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_->Pass(absl::Minutes(10), absl::Seconds(1));
  EXPECT_LE(process_->writes(), 60) << "for two copies in ten minutes";
  EXPECT_THAT(process_->events.told, Contains(HasSubstr("CopyNotKept ops/etcd.v1")));
  EXPECT_THAT(process_->Metrics(),
              HasSubstr(R"(steward_copied_csv_slots_in_trouble{reason="NotKept"} 2)"));
  cluster_.webhook = nullptr;
  process_->Pass(absl::Minutes(11), absl::Seconds(1));
  EXPECT_THAT(process_->Metrics(),
              HasSubstr(R"(steward_copied_csv_slots_in_trouble{reason="NotKept"} 0)"));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), Not(HasSubstr(R"("stamp")")));
}

TEST_F(CopiedCsvTest, AWebhookOfCreationsAloneIsNoTrouble) {
  cluster_.webhook = [](json::object& o, bool create) {
    if (create) o["metadata"].as_object()["labels"].as_object()["stamp"] = "x";
  };
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), Not(HasSubstr(R"("stamp")")));
  EXPECT_THAT(process_->events.told, IsEmpty());
}

TEST_F(CopiedCsvTest, WhoChangesACopyAgainAndAgainMakesNoHotLoop) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  const int writes = process_->writes();
  for (int second = 0; second < 1800; ++second) {
    if (cluster_.Text({"red", "etcd.v1"}).find("theirs") == std::string::npos) {
      cluster_.Edit({"red", "etcd.v1"},
                    [](json::object& o) { o["spec"].as_object()["note"] = "theirs"; });
    }
    process_->Pass(absl::Seconds(1), absl::Seconds(1));
  }
  EXPECT_LE(process_->writes() - writes, 25) << "in half an hour";
  EXPECT_GE(process_->writes() - writes, 4);
  EXPECT_THAT(process_->events.told, Contains(HasSubstr("CopyContested ops/etcd.v1")));
  process_->Pass(absl::Minutes(11), absl::Seconds(1));
  EXPECT_THAT(cluster_.Text({"red", "etcd.v1"}), Not(HasSubstr("theirs")));
}

TEST_F(CopiedCsvTest, WithoutLeadershipNothingIsSent) {
  Start();
  process_->leadership.leads = false;
  cluster_.PutCsv("ops", "etcd.v1");
  process_->Look();
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_EQ(process_->writes(), 0);
}

TEST_F(CopiedCsvTest, AServerThatIsAwayIsNotAskedForEachCopy) {
  for (int i = 0; i < 200; ++i) cluster_.PutNamespace(StrCat("n", i));
  cluster_.PutCsv("ops", "etcd.v1");
  process_.emplace(cluster_, clock_, io_);
  process_->faults().FailNext({ClientVerb::kCreate, kTestCsvs}, absl::UnavailableError("no"), 60);
  process_->Look();
  EXPECT_LE(Calls(ClientVerb::kCreate), 60);
  process_->Pass(absl::Minutes(2), absl::Seconds(1));
  EXPECT_EQ(cluster_.Copies().size(), 202u);
}

TEST_F(CopiedCsvTest, KnowsNothingKnowsNoCopies) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  process_.reset();
  process_.emplace(cluster_, clock_, io_);
  process_->faults().FailNext({ClientVerb::kList, kTestCsvs}, absl::UnavailableError("no"), 3);
  process_->Look();
  EXPECT_EQ(process_->writes(), 0) << "copies that are not listed yet are not missing";
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_EQ(process_->writes(), 0);
}

TEST_F(CopiedCsvTest, AKindThatIsGoneDeletesNothing) {
  cluster_.PutCsv("ops", "etcd.v1");
  Start();
  cluster_.DropCsv("ops", "etcd.v1");
  process_->faults().FailNext({ClientVerb::kGet, kTestCsvs, "etcd.v1"},
                              kube::ToStatus(kube::NotFoundPath()), 1000);
  process_->Look();
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_EQ(Calls(ClientVerb::kDelete), 0);
}

}  // namespace
}  // namespace steward::controllers
