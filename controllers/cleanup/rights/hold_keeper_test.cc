// Tests with rights that cannot all be read or written.
#include "controllers/cleanup/rights/hold_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kube::GroupVersionResource kWebhooks = {"admissionregistration.k8s.io", "v1",
                                              "mutatingwebhookconfigurations"};
const kube::NamespacedName kRole = {"", "widget-role"};
const kube::NamespacedName kOtherRole = {"", "other-role"};

absl::Status Escalation(const std::string& name) {
  return kube::ToStatus(kube::Forbidden(kClusterRoles, name,
                                        "attempting to grant RBAC permissions not currently held"));
}

class HoldKeeperTest : public ::testing::Test, public kube::Hooks {
 protected:
  HoldKeeperTest() {
    cluster_.Run(cluster_.Create(
        kClusterRoles, "",
        R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":)"
        R"({"name":"other-role","labels":{"olm.owner":"widget.v1","olm.owner.namespace":"ops",)"
        R"("olm.owner.kind":"ClusterServiceVersion"}}})"));
  }

  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    if (call.gvr.group == kClusterRoles.group && call.verb == ClientVerb::kGet) {
      co_return Escalation(call.name.name);  // deploy/base grants list, watch and patch
    }
    if (call.verb == ClientVerb::kList && call.gvr == kClusterRoles) ++lists_of_roles_;
    if (call.verb == ClientVerb::kGet && call.gvr == kCsvs) ++reads_of_csv_;
    if (!fault_) co_return kube::HookedFate();
    co_return co_await fault_(call);
  }
  // Calls of `verb` on `gvr`, or only that on the object `name`, fail from now on.
  void Fail(ClientVerb verb, kube::GroupVersionResource gvr, std::string name, absl::Status error) {
    fault_ = [verb, gvr, name,
              error](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
      const bool meant =
          call.verb == verb && call.gvr == gvr && (name.empty() || call.name.name == name);
      co_return meant ? error : kube::HookedFate();
    };
  }
  SweepResult Sweep() { return cluster_.Run(keeper_.Sweep(csvs_)); }
  bool Held(const kube::NamespacedName& role) {
    return !FinalizersOf(cluster_.Run(cluster_.Find(kClusterRoles, role))).empty();
  }
  // Puts the CSV into a state in which only the sweep sees it, and deletes it.
  void HideAndDelete() {
    cluster_.Run(
        cluster_.Merge(kCsvs, kCsv, R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})"));
    cluster_.DeleteCsv();
  }

  TestCluster cluster_;
  kube::HookClient client_{cluster_.client(), *this};
  CsvLister csvs_{client_};
  HoldKeeper keeper_{client_};
  int lists_of_roles_ = 0;
  int reads_of_csv_ = 0;
  std::function<boost::asio::awaitable<kube::HookedFate>(const kube::HookedCall&)> fault_;
};

TEST_F(HoldKeeperTest, R_000_73_OneObjectThatCannotBeHeldKeepsNoOtherFromIt) {
  Fail(ClientVerb::kPatch, kClusterRoles, "other-role", Escalation("other-role"));
  const SweepResult swept = Sweep();
  EXPECT_TRUE(Held(kRole));
  EXPECT_FALSE(Held(kOtherRole));
  EXPECT_EQ(swept.added, 1u);
  EXPECT_THAT(swept.look_at, ElementsAre(kCsv)) << "its status is to say what is held";
  EXPECT_THAT(std::string(swept.failure.message()), HasSubstr("clusterroles other-role"));
}

TEST_F(HoldKeeperTest, R_000_72_ASweepThatFailsInPartTellsWhoWaits) {
  HideAndDelete();
  Fail(ClientVerb::kList, kWebhooks, "", absl::UnavailableError("no"));
  const SweepResult swept = Sweep();
  EXPECT_THAT(swept.look_at, ElementsAre(kCsv));
  EXPECT_FALSE(swept.failure.ok());
}

TEST_F(HoldKeeperTest, R_000_73_AKindThatCannotBeReadKeepsNoOtherFromBeingSwept) {
  Fail(ClientVerb::kList, kWebhooks, "", absl::UnavailableError("no"));
  const SweepResult swept = Sweep();
  EXPECT_TRUE(Held(kRole));
  EXPECT_EQ(swept.added, 2u);
  EXPECT_FALSE(swept.failure.ok());
}

TEST_F(HoldKeeperTest, R_000_73_WithoutTheOperatorsNothingIsLetGoOf) {
  EXPECT_EQ(Sweep().added, 2u);
  Fail(ClientVerb::kList, kCsvs, "", absl::UnavailableError("no"));
  const SweepResult swept = Sweep();
  EXPECT_FALSE(swept.failure.ok());
  EXPECT_EQ(swept.released, 0u);
  EXPECT_TRUE(Held(kRole));
}

TEST_F(HoldKeeperTest, R_000_73_EverythingIsLetGoOfButWhatFails) {
  EXPECT_EQ(Sweep().added, 2u);
  Fail(ClientVerb::kPatch, kClusterRoles, "other-role", Escalation("other-role"));
  const SweepResult released = cluster_.Run(keeper_.ReleaseAll());
  EXPECT_EQ(released.released, 1u);
  EXPECT_FALSE(released.failure.ok());
  EXPECT_FALSE(Held(kRole));
}

// A new leader's first sweep runs before copies are followed: an object that was made to look like
// a copy while it was being deleted is in no list then.
class UnlistedTest : public HoldKeeperTest {
 protected:
  UnlistedTest() {
    EXPECT_EQ(Sweep().added, 2u);
    HideAndDelete();
  }
  SweepResult SweepAnew() {
    const int before = reads_of_csv_;
    CsvLister csvs(client_, {}, &index_);
    const SweepResult swept = cluster_.Run(keeper_.Sweep(csvs));
    EXPECT_LE(reads_of_csv_ - before, 1) << "whatever number of objects it holds";
    return swept;
  }

  SeededRandom random_{1};
  CopyIndex index_{cluster_.client(), cluster_.clock(), random_};  // does not run
};

TEST_F(UnlistedTest, R_000_73_KeepsItsRightsWhileItWaits) {
  const SweepResult swept = SweepAnew();
  EXPECT_TRUE(swept.failure.ok()) << swept.failure;
  EXPECT_EQ(swept.released, 0u);
  EXPECT_TRUE(Held(kRole));
  EXPECT_TRUE(Held(kOtherRole));
  EXPECT_THAT(swept.look_at, ElementsAre(kCsv)) << "its cleanup goes on";
}

TEST_F(UnlistedTest, R_000_73_KeepsItsRightsAsLongAsNobodyAnswers) {
  Fail(ClientVerb::kGet, kCsvs, "", absl::UnavailableError("nobody answers"));
  const SweepResult swept = SweepAnew();
  EXPECT_EQ(swept.released, 0u);
  EXPECT_TRUE(Held(kRole));
  EXPECT_THAT(std::string(swept.failure.message()), HasSubstr("nobody answers"));
}

TEST_F(UnlistedTest, R_000_73_HasNoneOnceItIsGone) {
  cluster_.Run(cluster_.Merge(kCsvs, kCsv, R"({"metadata":{"finalizers":null}})"));
  const SweepResult swept = SweepAnew();
  EXPECT_TRUE(swept.failure.ok()) << swept.failure;
  EXPECT_EQ(swept.released, 2u);
  EXPECT_THAT(swept.look_at, IsEmpty());
}

TEST_F(UnlistedTest, R_000_73_HasNoneWithoutAFinalizerOfCleanup) {
  cluster_.Run(cluster_.Merge(
      kCsvs, kCsv, R"({"metadata":{"finalizers":["operators.coreos.com/csv-cleanup"]}})"));
  EXPECT_EQ(SweepAnew().released, 2u);
}

TEST_F(HoldKeeperTest, R_000_73_ACopyHasNone) {
  EXPECT_EQ(Sweep().added, 2u);
  cluster_.Run(
      cluster_.Merge(kCsvs, kCsv, R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})"));
  SeededRandom random(1);
  CopyIndex index(cluster_.client(), cluster_.clock(), random);
  CsvLister csvs(client_, {}, &index);
  EXPECT_EQ(cluster_.Run(keeper_.Sweep(csvs)).released, 2u);
}

// A listed operator is not read again.
TEST_F(HoldKeeperTest, R_000_73_WhoIsListedIsNotRead) {
  EXPECT_EQ(Sweep().added, 2u);
  cluster_.Run(cluster_.Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})"));
  const int before = reads_of_csv_;
  CsvLister csvs(client_);
  EXPECT_EQ(cluster_.Run(keeper_.Sweep(csvs)).released, 2u);
  EXPECT_EQ(reads_of_csv_, before);
}

// A role or binding that has changed since it was listed answers with 403. It may not be read by
// `get`.
class OvertakenTest : public HoldKeeperTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(OvertakenTest, R_000_73_IsNoFailure) {
  fault_ = [this](const kube::HookedCall& call) -> boost::asio::awaitable<kube::HookedFate> {
    if (call.verb != ClientVerb::kPatch || call.name != kOtherRole) co_return kube::HookedFate();
    if (GetParam() == "Changed") {
      co_await cluster_.Merge(kClusterRoles, kOtherRole, R"({"metadata":{"labels":{"x":"y"}}})");
    } else {
      co_await cluster_.Remove(kClusterRoles, kOtherRole);
    }
    co_return Escalation("other-role");
  };
  const SweepResult swept = Sweep();
  EXPECT_TRUE(swept.failure.ok()) << swept.failure;
  EXPECT_TRUE(Held(kRole));
}
INSTANTIATE_TEST_SUITE_P(All, OvertakenTest, ::testing::Values("Changed", "Gone"),
                         [](const auto& info) { return info.param; });

TEST_F(HoldKeeperTest, R_000_73_NoLabelCarriesALongName) {
  for (const size_t length : {size_t{63}, size_t{64}, size_t{253}}) {
    const int lists = lists_of_roles_;
    const absl::StatusOr<HoldState> state =
        cluster_.Run(keeper_.Look({"ops", std::string(length, 'n')}));
    ASSERT_TRUE(state.ok()) << length << ": " << state.status();
    EXPECT_THAT(state->objects, IsEmpty());
    EXPECT_EQ(lists_of_roles_ - lists, length > 63 ? 0 : 1) << length;
  }
  EXPECT_THAT(cluster_.Run(keeper_.Look(kCsv))->objects, SizeIs(2));
}

}  // namespace
}  // namespace steward::controllers
