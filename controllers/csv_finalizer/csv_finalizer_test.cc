#include "controllers/csv_finalizer/csv_finalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "olm/resources.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

using kube::FakeClient;
using olm::kCsvs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kube::GroupVersionResource kBindings = {"rbac.authorization.k8s.io", "v1",
                                              "clusterrolebindings"};
const kube::GroupVersionResource kMutating = {"admissionregistration.k8s.io", "v1",
                                              "mutatingwebhookconfigurations"};
const kube::GroupVersionResource kValidating = {"admissionregistration.k8s.io", "v1",
                                                "validatingwebhookconfigurations"};
constexpr char kCsvFinalizer[] = R"("operators.coreos.com/csv-cleanup")";
constexpr char kOptIn[] = R"("operatorframework.io/delete-custom-resources")";

class NoEvents : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

class CsvFinalizerTest : public ::testing::Test {
 protected:
  CsvFinalizerTest() {
    cluster_.Serve(kCsvs);
    for (const auto& gvr :
         {kBindings, kube::kClusterRoles, kMutating, kValidating, kube::kApiServices}) {
      cluster_.Serve(gvr);
    }
    hook_.process = &io_;
    hook_.decide = [this](const kube::HookedCall& call) {
      if (call.writes())
        writes_.push_back(StrCat(kube::VerbText(call.verb), " ", call.gvr.resource));
      return kube::HookedFate();
    };
  }
  ~CsvFinalizerTest() override { RunOn(io_, watches_.Stop()); }

  void PutCsv(const std::string& finalizers, bool deleting = true, const std::string& more = "") {
    cluster_.Put(
        kCsvs,
        StrCat(R"({"metadata":{"namespace":"ops","name":"reed.v1","finalizers":[)", finalizers, "]",
               more, deleting ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "", "}}"));
  }
  void PutOwned(const kube::GroupVersionResource& gvr, const std::string& name,
                const std::string& owner = "reed.v1", const std::string& more = "") {
    cluster_.Put(gvr, StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"olm.owner":")",
                             owner, R"(","olm.owner.namespace":"ops",)",
                             R"("olm.owner.kind":"ClusterServiceVersion"})", more, "}}"));
  }
  // Reconciles until the key is done, at most `passes` times.
  absl::Status Settle(int passes = 5) {
    for (int i = 0; i < passes; ++i) {
      const absl::StatusOr<ReconcileResult> result =
          RunOn(io_, reconciler_.Reconcile({"ops", "reed.v1"}));
      if (!result.ok()) return result.status();
      if (!result->requeue_after) return absl::OkStatus();
    }
    return absl::DeadlineExceededError("not done");
  }
  // "" = the object is gone.
  std::string Finalizers() {
    const auto objects = cluster_.Objects(kCsvs);
    const auto found = objects.find({"ops", "reed.v1"});
    if (found == objects.end()) return "";
    const boost::json::value csv = boost::json::parse(found->second);
    const boost::json::value* list = csv.at("metadata").as_object().if_contains("finalizers");
    return list == nullptr ? "none" : Serialize(*list);
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  FakeClient cluster_;
  kube::Hook hook_;
  kube::HookClient client_{cluster_, hook_};
  prometheus::Registry registry_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  MetadataWatches watches_{client_, clock_, random_, io_.get_executor()};
  TestLeadership leadership_;
  NoEvents events_;
  FeatureGates gates_ = FeatureGates({});
  CsvFinalizer reconciler_{ReconcilerDeps{client_, leadership_, worlds_, watches_, events_, clock_,
                                          random_, registry_, gates_}};
  std::vector<std::string> writes_;
};

TEST_F(CsvFinalizerTest, InOlmsOrder) {
  PutCsv(kCsvFinalizer);
  PutOwned(kube::kApiServices, "a");
  PutOwned(kValidating, "v");
  PutOwned(kMutating, "m");
  PutOwned(kube::kClusterRoles, "r");
  PutOwned(kBindings, "b");
  PutOwned(kube::kClusterRoles, "other", "other.v1");
  ASSERT_OK(Settle());
  EXPECT_THAT(writes_, ElementsAre("delete clusterrolebindings", "delete clusterroles",
                                   "delete mutatingwebhookconfigurations",
                                   "delete validatingwebhookconfigurations", "delete apiservices",
                                   "patch clusterserviceversions"));
  EXPECT_EQ(Finalizers(), "") << "it is gone with its last finalizer";
  EXPECT_THAT(cluster_.Objects(kube::kClusterRoles), SizeIs(1));
}

TEST_F(CsvFinalizerTest, WaitsForWhatIsBeingDeleted) {
  PutCsv(StrCat(kCsvFinalizer, R"(,"a/b")"));
  PutOwned(kube::kClusterRoles, "r", "reed.v1", R"(,"finalizers":["steward/hold"])");
  EXPECT_THAT(Settle(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(writes_, ElementsAre("delete clusterroles")) << "once";
  cluster_.Delete(kube::kClusterRoles, {"", "r"});
  ASSERT_OK(Settle());
  EXPECT_EQ(Finalizers(), R"(["a/b"])") << "nothing else is taken off";
}

TEST_F(CsvFinalizerTest, OthersAreLeftAlone) {
  const struct {
    const char* what;
    std::string finalizers;
    bool deleting;
    const char* more;
  } rows[] = {
      {"not being deleted", kCsvFinalizer, false, ""},
      {"without the finalizer", R"("a/b")", true, ""},
      {"without the finalizer, and nobody's plan made it", R"("a/b")", false, ""},
      {"opted in to cleanup", StrCat(kCsvFinalizer, ",", kOptIn), true, ""},
      {"a copy", kCsvFinalizer, true, R"(,"labels":{"olm.copiedFrom":"other"})"},
  };
  PutOwned(kube::kClusterRoles, "r");
  for (const auto& row : rows) {
    PutCsv(row.finalizers, row.deleting, row.more);
    EXPECT_OK(Settle()) << row.what;
    EXPECT_THAT(writes_, IsEmpty()) << row.what;
    cluster_.Delete(kCsvs, {"ops", "reed.v1"});
  }
  EXPECT_OK(Settle()) << "gone";
}

TEST_F(CsvFinalizerTest, ACsvThatAPlanMadeGetsIt) {
  PutCsv(R"("a/b")", /*deleting=*/false, R"(,"labels":{"olm.managed":"true"})");
  ASSERT_OK(Settle());
  EXPECT_EQ(Finalizers(), R"(["a/b","operators.coreos.com/csv-cleanup"])");
  ASSERT_OK(Settle());
  EXPECT_THAT(writes_, SizeIs(1));
}

// `60-handed-over`: an object that two operators were installed with stays for the other.
TEST_F(CsvFinalizerTest, WhatOthersUse) {
  constexpr char kBoth[] =
      R"(,"annotations":{"operatorframework.io/installed-alongside-1":"ops/reed.v1",)"
      R"("operatorframework.io/installed-alongside-2":"bank/reed.v1"})";
  for (const bool there : {true, false}) {
    PutCsv(kCsvFinalizer);
    PutOwned(kube::kClusterRoles, "shared", "reed.v1", kBoth);
    cluster_.Put(kube::kClusterRoles,
                 R"({"metadata":{"name":"taken","labels":{"olm.managed":"true",)"
                 R"("olm.owner":"reed.v1","olm.owner.namespace":"bank",)"
                 R"("olm.owner.kind":"ClusterServiceVersion"},"annotations":)"
                 R"({"operatorframework.io/installed-alongside-1":"ops/reed.v1"}}})");
    if (there) {
      cluster_.Put(kCsvs, R"({"metadata":{"namespace":"bank","name":"reed.v1"}})");
    }
    ASSERT_OK(Settle());
    EXPECT_EQ(Finalizers(), "");
    EXPECT_THAT(cluster_.Objects(kube::kClusterRoles), SizeIs(there ? 2 : 0));
    if (there) cluster_.Delete(kCsvs, {"bank", "reed.v1"});
  }
}

TEST_F(CsvFinalizerTest, AListThatFailsIsNoProof) {
  PutCsv(kCsvFinalizer);
  for (const absl::Status& error :
       {absl::UnavailableError("away"),
        kube::ToStatus(kube::Forbidden(kube::kClusterRoles, "", "no"))}) {
    cluster_.FailNext(FakeClient::Verb::kList, kube::kClusterRoles, error);
    EXPECT_FALSE(Settle().ok());
    EXPECT_THAT(writes_, IsEmpty());
  }
  // A cluster without the kind has none of its objects.
  cluster_.Withdraw(kube::kApiServices);
  EXPECT_OK(Settle());
  EXPECT_EQ(Finalizers(), "");
}

TEST_F(CsvFinalizerTest, AConflictIsTriedAgain) {
  PutCsv(kCsvFinalizer);
  cluster_.FailNext(FakeClient::Verb::kPatch, kCsvs,
                    kube::ToStatus(kube::Conflict(kCsvs, "reed.v1", "changed")));
  EXPECT_OK(Settle());
  EXPECT_EQ(Finalizers(), "");
}

}  // namespace
}  // namespace steward::controllers
