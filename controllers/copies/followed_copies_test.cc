#include "controllers/copies/followed_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "kube/testing/hook_client.h"
#include "olm/copy/comparison.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kOff[] = R"({"disableCopiedCSVs":true})";

// "red/etcd.v1 of ops: 2", the last the finding.
std::vector<std::string> TextsOf(const CopiesDifference& difference) {
  std::vector<std::string> texts;
  for (const CopyChange& change : difference.changes) {
    texts.push_back(StrCat(change.ns->name, "/", *change.name, " of ", *change.source, ": ",
                           static_cast<int>(change.finding)));
  }
  return texts;
}

class FollowedCopiesTest : public testing::Test {
 protected:
  FollowedCopiesTest() {
    for (const char* ns : {"ops", "red", "blue"}) cluster_.PutNamespace(ns);
    cluster_.PutGroup("ops", "g", "{}");
    cluster_.PutCsv("ops", "etcd.v1");
  }
  ~FollowedCopiesTest() override { RunOn(io_, tasks_.Stop()); }

  void Start(CopyToggleDefaults defaults = {}) {
    copies_ =
        std::make_unique<FollowedCopies>(faults_, clock_, random_, worlds_, std::move(defaults));
    tasks_.Spawn("copies", copies_->Run());
    Look();
  }
  void Look() {
    cluster_.Observe(writer_, seen_);
    worlds_.Publish(writer_.Snapshot());
    for (int step = 0; step != 3; ++step) {
      clock_.Advance(absl::Milliseconds(200));
      io_.restart();
      while (io_.poll() > 0) {
      }
    }
  }
  void PutCopy(const std::string& ns, const std::string& name, const std::string& source) {
    cluster_.PutCsv(ns, name,
                    {.reason = "Copied",
                     .metadata = StrCat(R"(,"labels":{"olm.copiedFrom":")", source, R"("})")});
  }
  CopiesDifferencePtr Compare(std::optional<bool> disabled = std::nullopt) {
    absl::StatusOr<CopiesDifferencePtr> difference = RunOn(io_, copies_->Compare(disabled));
    EXPECT_OK(difference);
    return difference.ok() ? *difference : std::make_shared<const CopiesDifference>();
  }
  std::vector<std::string> Changes(std::optional<bool> disabled = std::nullopt) {
    return TextsOf(*Compare(disabled));
  }
  static std::string Slot(const char* place, olm::SlotFinding finding) {
    return StrCat(place, ": ", static_cast<int>(finding));
  }

  FakeClock clock_;
  FixedRandom random_{0};
  boost::asio::io_context io_{1};
  CopyCluster cluster_;
  kube::HookClient faults_{cluster_, clock_};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  CopyCluster::Seen seen_;
  TaskGroup tasks_{io_.get_executor()};
  std::unique_ptr<FollowedCopies> copies_;
};

TEST_F(FollowedCopiesTest, SaysWhatIsMissingAndWhatAToggleChanges) {
  using Finding = olm::SlotFinding;
  PutCopy("red", "etcd.v1", "ops");
  Start();
  const CopiesDifferencePtr now = Compare();
  EXPECT_EQ(now->copies, 1u);
  EXPECT_EQ(now->operators, 1u);
  EXPECT_EQ(now->counts.right, 1u);
  EXPECT_EQ(now->counts.missing, 1u);
  EXPECT_THAT(TextsOf(*now), ElementsAre(Slot("blue/etcd.v1 of ops", Finding::kMissing)));
  EXPECT_THAT(Changes(true), ElementsAre(Slot("red/etcd.v1 of ops", Finding::kUnwanted)));
  EXPECT_EQ(Compare(false)->counts.missing, 1u);
}

TEST_F(FollowedCopiesTest, FollowsCopiesChoiceAndWorld) {
  using Finding = olm::SlotFinding;
  Start();
  EXPECT_EQ(Compare()->counts.missing, 2u);
  PutCopy("red", "etcd.v1", "ops");
  Look();
  EXPECT_EQ(Compare()->counts.missing, 1u);
  cluster_.PutOlmConfig(kOff);
  Look();
  EXPECT_EQ(copies_->choice().by, CopyChoice::By::kOlmConfig);
  EXPECT_THAT(Changes(), ElementsAre(Slot("red/etcd.v1 of ops", Finding::kUnwanted)));
  EXPECT_EQ(Compare(false)->counts.missing, 1u) << "as if it were turned on";
  cluster_.DropGroup("ops", "g");
  Look();
  EXPECT_THAT(Changes(), ElementsAre(Slot("red/etcd.v1 of ops", Finding::kLeftWithoutGroup)));
  cluster_.DropCsv("ops", "etcd.v1");
  Look();
  EXPECT_THAT(Changes(), ElementsAre(Slot("red/etcd.v1 of ops", Finding::kOrphan)))
      << "its original is gone, and the label still names it";
  EXPECT_EQ(Compare()->counts.unexplained, 1u);
  cluster_.DropCsv("red", "etcd.v1");
  Look();
  EXPECT_THAT(Changes(), IsEmpty());
  EXPECT_EQ(Compare()->copies, 0u);
}

TEST_F(FollowedCopiesTest, ProtectedNamespacesKeepTheirCopies) {
  CopyToggleDefaults defaults;
  defaults.disabled = true;
  defaults.protected_namespaces = {"red"};
  PutCopy("red", "etcd.v1", "ops");
  Start(std::move(defaults));
  EXPECT_EQ(copies_->choice().by, CopyChoice::By::kDefaults);
  EXPECT_THAT(Changes(), IsEmpty());
  EXPECT_EQ(Compare()->counts.right, 1u);
}

TEST_F(FollowedCopiesTest, OneAnswerIsForAllUntilSomethingChanges) {
  Start();
  const CopiesDifferencePtr first = Compare();
  EXPECT_EQ(Compare(), first);
  std::vector<CopiesDifferencePtr> found;
  Look();
  PutCopy("red", "etcd.v1", "ops");
  Look();
  for (int n = 0; n != 3; ++n) {
    tasks_.Spawn(
        "compare", [](FollowedCopies* copies, std::vector<CopiesDifferencePtr>* found) -> VoidTask {
          const absl::StatusOr<CopiesDifferencePtr> difference = co_await copies->Compare();
          if (difference.ok()) found->push_back(*difference);
        }(copies_.get(), &found));
  }
  Look();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0], first);
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

TEST_F(FollowedCopiesTest, BeforeAllIsListedNothingIsSaid) {
  faults_.FailNext({kube::ClientVerb::kList, kTestCsvs}, absl::UnavailableError("away"), 1000);
  faults_.FailNext({kube::ClientVerb::kWatch, kTestCsvs}, absl::UnavailableError("away"), 1000);
  Start();
  EXPECT_THAT(RunOn(io_, copies_->Compare()), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(copies_->health().ok());
}

TEST_F(FollowedCopiesTest, ItWritesNothing) {
  PutCopy("red", "etcd.v1", "ops");
  cluster_.PutOlmConfig(kOff);
  Start();
  Compare();
  for (const auto verb : {kube::ClientVerb::kCreate, kube::ClientVerb::kUpdate,
                          kube::ClientVerb::kPatch, kube::ClientVerb::kDelete}) {
    EXPECT_EQ(faults_.calls({verb, kTestCsvs}), 0);
  }
}

}  // namespace
}  // namespace steward::controllers
