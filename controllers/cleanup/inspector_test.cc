#include "controllers/cleanup/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_access.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KeptEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType, std::string_view reason,
              std::string_view message) override {
    events.push_back(StrCat(about.gvk.kind, " ", about.name.ns, "/", about.name.name, " ",
                            about.uid, " ", reason, ": ", message));
  }
  std::vector<std::string> events;
};

class InspectorTest : public ::testing::Test {
 protected:
  void Start(const ClusterShape& shape = {}) {
    cluster_ = std::make_unique<TestCluster>(shape);
    faults_ = std::make_unique<kube::HookClient>(cluster_->client(), cluster_->clock());
    inspector_ = std::make_unique<CleanupInspector>(*faults_, cluster_->clock(), nullptr,
                                                    GuardOptions(), events_);
  }
  absl::StatusOr<std::vector<std::string>> Pending(const kube::NamespacedName& csv = kCsv) {
    const auto listing = cluster_->Run(inspector_->Pending(csv));
    if (!listing.ok()) return listing.status();
    std::vector<std::string> names;
    for (const OperandsOfCrd& crd : listing->crds) {
      for (const Operand& operand : crd.pending) {
        names.push_back(StrCat(crd.plan.plural, " ", operand.name.ns, "/", operand.name.name));
      }
    }
    return names;
  }
  absl::StatusOr<CleanupPreview> Preview(const kube::NamespacedName& csv = kCsv) {
    return cluster_->Run(inspector_->Preview(csv));
  }
  absl::StatusOr<bool> Abort(const std::string& uid = "") {
    return cluster_->Run(inspector_->Abort(kCsv, uid, "\"alice\""));
  }
  bool Enabled() {
    const boost::json::value csv = cluster_->Csv();
    const auto* cleanup = ObjectAt(*ObjectAt(csv.as_object(), "spec"), "cleanup");
    return cleanup != nullptr && BoolAt(*cleanup, "enabled");
  }
  // Makes the lists of widgets fail, in all versions.
  void FailLists(const std::string& why) {
    kube::GroupVersionResource other = kWidgets;
    other.version = "v1beta1";
    faults_->FailNext({ClientVerb::kList, kWidgets}, absl::UnavailableError(why), 10);
    faults_->FailNext({ClientVerb::kList, other}, absl::UnavailableError(why), 10);
  }
  void Populate() {
    cluster_->Run(cluster_->AddWidget("a", "one", true));
    cluster_->Run(cluster_->AddWidget("b", "two", true));
    cluster_->Run(cluster_->AddWidget("c", "elsewhere", true));
    cluster_->Run(cluster_->AddGadget("wide", true));
    cluster_->Run(cluster_->Remove(kWidgets, {"b", "two"}));
  }

  std::unique_ptr<TestCluster> cluster_;
  std::unique_ptr<kube::HookClient> faults_;
  KeptEvents events_;
  std::unique_ptr<CleanupInspector> inspector_;
};

TEST_F(InspectorTest, PendingIsWhatWouldBeDeletedAndWhatIsWaitedFor) {
  Start();
  Populate();
  EXPECT_THAT(Pending(), IsOkAndHolds(ElementsAre("widgets a/one", "widgets b/two")));
}

TEST_F(InspectorTest, R_000_86_NothingIsPendingOfARefusedOneThatHasNotBegun) {
  Start();
  Populate();
  cluster_->Run(cluster_->AddOtherCsv(
      "c", "other.v1",
      R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
  EXPECT_THAT(Pending(), IsOkAndHolds(IsEmpty()));
}

TEST_F(InspectorTest, NothingIsPendingWithoutBothWords) {
  for (const bool enabled : {false, true}) {
    ClusterShape shape;
    shape.enabled = enabled;
    shape.opted_in = !enabled;
    Start(shape);
    Populate();
    EXPECT_THAT(Pending(), IsOkAndHolds(IsEmpty()));
  }
}

TEST_F(InspectorTest, WhatIsNotThereIsNotFound) {
  Start();
  EXPECT_TRUE(kube::HasReason(Pending({"ops", "nobody"}).status(), "NotFound"));
  EXPECT_TRUE(kube::HasReason(Preview({"ops", "nobody"}).status(), "NotFound"));
  cluster_->Run(cluster_->Remove(kCsvs, kCsv));
}

TEST_F(InspectorTest, WhatCannotBeReadIsUnavailable) {
  Start();
  Populate();
  faults_->FailNext({ClientVerb::kGet, kCsvs}, absl::UnavailableError("no route"), 1000);
  const absl::Status status = Pending().status();
  EXPECT_EQ(kube::FromStatus(status).code, 503);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no route"));
  faults_->ForgetFaults(kCsvs);
  FailLists("no route");
  EXPECT_THAT(Pending(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(InspectorTest, PreviewSupposesAChoice) {
  const struct {
    bool opted_in;
    SupposedOptIn supposed;
    bool allowed;
  } rows[] = {
      {true, SupposedOptIn::kAsItIs, true},     {true, SupposedOptIn::kGiven, true},
      {true, SupposedOptIn::kWithdrawn, false}, {false, SupposedOptIn::kAsItIs, false},
      {false, SupposedOptIn::kGiven, true},     {false, SupposedOptIn::kWithdrawn, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(StrCat(row.opted_in, " ", static_cast<int>(row.supposed)));
    ClusterShape shape;
    shape.opted_in = row.opted_in;
    Start(shape);
    Populate();
    const auto preview = cluster_->Run(inspector_->Preview(kCsv, row.supposed, 2));
    ASSERT_OK(preview);
    EXPECT_EQ(preview->verdict.allowed(), row.allowed);
    if (!row.allowed) {
      EXPECT_TRUE(preview->verdict.IsBlockedBy(olm::CleanupReason::kNotOptedIn));
    }
    const OperandCount& widgets = preview->definitions.back();
    ASSERT_EQ(widgets.first.size(), 2U);
    EXPECT_EQ(widgets.all(), 3);
    EXPECT_EQ(widgets.first[0].fate,
              row.allowed ? olm::OperandFate::kDelete : olm::OperandFate::kKeep);
  }
}

TEST_F(InspectorTest, PreviewCountsAndTellsWhy) {
  Start();
  Populate();
  const auto preview = Preview();
  ASSERT_OK(preview);
  EXPECT_TRUE(preview->verdict.allowed());
  EXPECT_FALSE(preview->record.has_value());
  EXPECT_EQ(preview->verdict.targets, olm::TargetSet::Of({"a", "b"}));
  ASSERT_EQ(preview->definitions.size(), 2u);
  const OperandCount& gadgets = preview->definitions[0];
  EXPECT_EQ(gadgets.plan.plural, "gadgets");
  EXPECT_EQ(gadgets.kept, 1);
  EXPECT_EQ(gadgets.to_delete + gadgets.waited_for, 0);
  EXPECT_FALSE(gadgets.plan.kept.empty());
  const OperandCount& widgets = preview->definitions[1];
  EXPECT_EQ(widgets.to_delete, 1);
  EXPECT_EQ(widgets.waited_for, 1);
  EXPECT_EQ(widgets.kept, 1);
}

TEST_F(InspectorTest, PreviewOfARefusedOneKeepsAll) {
  ClusterShape shape;
  shape.opted_in = false;
  Start(shape);
  Populate();
  const auto preview = Preview();
  ASSERT_OK(preview);
  EXPECT_EQ(preview->verdict.kind, olm::CleanupVerdictKind::kRefused);
  EXPECT_EQ(preview->definitions[1].to_delete, 0);
}

TEST_F(InspectorTest, PreviewSaysWhatCouldNotBeCounted) {
  Start();
  Populate();
  FailLists("webhook is dead");
  const auto preview = Preview();
  ASSERT_OK(preview);
  EXPECT_THAT(preview->definitions[1].unreadable, HasSubstr("webhook is dead"));
  EXPECT_EQ(preview->definitions[1].to_delete, 0);
}

TEST_F(InspectorTest, AbortChangesOneFieldOnce) {
  Start();
  ASSERT_TRUE(Enabled());
  EXPECT_THAT(Abort(), IsOkAndHolds(true));
  EXPECT_FALSE(Enabled());
  EXPECT_THAT(Abort(), IsOkAndHolds(false));
}

TEST_F(InspectorTest, AnAbortSaysByWhom) {
  Start();
  EXPECT_THAT(Abort(), IsOkAndHolds(true));
  const std::string uid = MetadataText(cluster_->Csv(), "uid");
  EXPECT_THAT(events_.events,
              ElementsAre(StrCat("ClusterServiceVersion ", kCsv.ns, "/", kCsv.name, " ", uid,
                                 " CleanupDisabled: spec.cleanup.enabled was set to false by "
                                 "\"alice\"")));
  // Without a change there is no event.
  EXPECT_THAT(Abort(), IsOkAndHolds(false));
  EXPECT_EQ(events_.events.size(), 1u);
}

TEST_F(InspectorTest, AnAbortThatFailsIsNone) {
  Start();
  const auto conflict = kube::ToStatus(kube::Conflict(kCsvs, kCsv.name, "it changed"));
  faults_->FailNext({ClientVerb::kPatch, kCsvs}, conflict, 100);
  EXPECT_FALSE(Abort().ok());
  EXPECT_THAT(events_.events, IsEmpty());
}

TEST_F(InspectorTest, AbortTriesAgainWhenTheObjectChanges) {
  Start();
  const auto conflict = kube::ToStatus(kube::Conflict(kCsvs, kCsv.name, "it changed"));
  faults_->FailNext({ClientVerb::kPatch, kCsvs}, conflict, 2);
  EXPECT_THAT(Abort(), IsOkAndHolds(true));
  EXPECT_FALSE(Enabled());
}

TEST_F(InspectorTest, AbortGivesUpWhenItChangesForEver) {
  Start();
  const auto conflict = kube::ToStatus(kube::Conflict(kCsvs, kCsv.name, "it changed"));
  faults_->FailNext({ClientVerb::kPatch, kCsvs}, conflict, 100);
  EXPECT_TRUE(kube::HasReason(Abort().status(), "Conflict"));
  EXPECT_TRUE(Enabled());
}

TEST_F(InspectorTest, AbortOfAnotherObjectIsRefused) {
  Start();
  EXPECT_TRUE(kube::HasReason(Abort("another-uid").status(), "Conflict"));
  EXPECT_TRUE(Enabled());
  const boost::json::value csv = cluster_->Csv();
  EXPECT_THAT(Abort(MetadataText(csv, "uid")), IsOkAndHolds(true));
}

}  // namespace
}  // namespace steward::controllers
