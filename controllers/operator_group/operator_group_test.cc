#include "controllers/operator_group/operator_group.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "controllers/runtime/controller.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

using kube::FakeClient;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::GroupVersionResource kGroups = {"operators.coreos.com", "v1", "operatorgroups"};

class OperatorGroupTest : public ::testing::Test {
 protected:
  OperatorGroupTest() {
    cluster_.Serve(kGroups);
    controller_.Start();
  }
  ~OperatorGroupTest() override { RunOn(io_, controller_.Stop(absl::ZeroDuration())); }

  // Puts a group with this spec and status into the cluster.
  void PutGroup(const std::string& name, const std::string& spec, const std::string& status = "") {
    cluster_.Put(kGroups, R"({"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup",)"
                          R"("metadata":{"name":")" +
                              name + R"(","namespace":"ops"},"spec":)" + spec +
                              (status.empty() ? "" : R"(,"status":)" + status) + "}");
  }
  void PutNamespace(const std::string& name, const std::string& team) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = name;
    ns->labels = {{"team", team}};
    writer_.Put(std::move(ns), ++revision_);
  }
  void Sync() {
    writer_.Replace(std::vector<olm::NamespacePtr>(), ++revision_);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>(), ++revision_);
  }
  // Publishes a World that has seen all changes of groups, and lets the reconciler run.
  void Publish() {
    writer_.Progress(storage::kOperatorGroupSource, ++revision_);
    worlds_.Publish(writer_.Snapshot());
    Pass(absl::Milliseconds(100));
  }
  void Pass(absl::Duration time) {
    Settle();
    clock_.Advance(time);
    Settle();
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  std::string Group(const std::string& name) { return cluster_.Objects(kGroups).at({"ops", name}); }
  int updates() const { return cluster_.calls(FakeClient::Verb::kUpdate, kGroups); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FakeClient cluster_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  uint64_t revision_ = 100;
  prometheus::Registry registry_;
  Controller controller_{
      KnownOperatorGroups().options,
      [this] { return std::make_unique<OperatorGroupReconciler>(cluster_, clock_, worlds_); },
      io_.get_executor(), clock_, registry_};
};

TEST_F(OperatorGroupTest, SaysWhatTheSpecMeans) {
  PutGroup("all", "{}");
  PutGroup("list", R"({"targetNamespaces":["c","a","c"]})");
  PutGroup("selector", R"({"selector":{"matchLabels":{"team":"x"}}})");
  PutGroup("none", R"({"selector":{"matchLabels":{"team":"z"}}})", R"({"namespaces":["old"]})");
  PutGroup("invalid", R"({"targetNamespaces":["a",""]})", R"({"namespaces":["old"]})");
  Sync();
  PutNamespace("b", "x");
  PutNamespace("a", "x");
  PutNamespace("c", "y");
  Publish();
  EXPECT_THAT(Group("all"), HasSubstr(R"("status":{"namespaces":[""],"lastUpdated":)"
                                      R"("2023-11-14T22:13:20Z"})"));
  EXPECT_THAT(Group("list"), HasSubstr(R"("namespaces":["a","c"])"));
  EXPECT_THAT(Group("selector"), HasSubstr(R"("namespaces":["a","b"])"));
  EXPECT_THAT(Group("none"), HasSubstr(R"("status":{"lastUpdated":)"));
  EXPECT_THAT(Group("invalid"), HasSubstr(R"("namespaces":["old"])"));
}

TEST_F(OperatorGroupTest, LeavesAloneWhatIsSaidAlready) {
  PutGroup("list", R"({"targetNamespaces":["a","b"]})",
           R"({"namespaces":["b","a"],"lastUpdated":"2020-01-01T00:00:00Z"})");
  PutGroup("empty", R"({"selector":{"matchLabels":{"team":"z"}}})");
  Sync();
  Publish();
  Publish();
  EXPECT_EQ(updates(), 0);
}

TEST_F(OperatorGroupTest, KeepsTheRestOfTheStatus) {
  PutGroup("list", R"({"targetNamespaces":["a"]})", R"({"conditions":[{"type":"T"}]})");
  Sync();
  Publish();
  EXPECT_THAT(Group("list"), HasSubstr(R"("conditions":[{"type":"T"}])"));
  EXPECT_THAT(Group("list"), HasSubstr(R"("namespaces":["a"])"));
}

TEST_F(OperatorGroupTest, WaitsForAWorldThatKnows) {
  PutGroup("selector", R"({"selector":{"matchLabels":{"team":"x"}}})", R"({"namespaces":["a"]})");
  Publish();
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kList, kGroups), 0);
  Sync();
  PutNamespace("a", "x");
  Publish();
  EXPECT_EQ(updates(), 0);
}

TEST_F(OperatorGroupTest, FollowsNamespacesAndForeignHands) {
  PutGroup("selector", R"({"selector":{"matchLabels":{"team":"x"}}})");
  Sync();
  PutNamespace("a", "x");
  Publish();
  EXPECT_THAT(Group("selector"), HasSubstr(R"("namespaces":["a"])"));
  PutNamespace("b", "x");
  worlds_.Publish(writer_.Snapshot());
  Pass(absl::Milliseconds(100));
  EXPECT_THAT(Group("selector"), HasSubstr(R"("namespaces":["a","b"])"));
  // A status that another client wrote changes no object of a World, but a new World is published.
  PutGroup("selector", R"({"selector":{"matchLabels":{"team":"x"}}})", R"({"namespaces":[]})");
  Publish();
  EXPECT_THAT(Group("selector"), HasSubstr(R"("namespaces":["a","b"])"));
}

TEST_F(OperatorGroupTest, LooksOnlyWhenSomethingMoved) {
  PutGroup("all", "{}");
  Sync();
  Publish();
  const int lists = cluster_.calls(FakeClient::Verb::kList, kGroups);
  for (int i = 0; i < 5; ++i) {
    worlds_.Publish(writer_.Snapshot());
    Pass(absl::Seconds(1));
  }
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kList, kGroups), lists);
}

TEST_F(OperatorGroupTest, AConflictIsMetAgainInTheNextWorld) {
  PutGroup("all", "{}");
  cluster_.FailNext(FakeClient::Verb::kUpdate, kGroups,
                    kube::ToStatus(kube::Conflict(kGroups, "all", "changed")));
  Sync();
  Publish();
  Pass(absl::Seconds(5));
  EXPECT_EQ(updates(), 1);
  EXPECT_THAT(Group("all"), Not(HasSubstr("status")));
  Publish();
  EXPECT_EQ(updates(), 2);
  EXPECT_THAT(Group("all"), HasSubstr(R"("namespaces":[""])"));
}

TEST_F(OperatorGroupTest, OtherFailuresAreTriedAgain) {
  PutGroup("all", "{}");
  PutGroup("list", R"({"targetNamespaces":["a"]})");
  cluster_.FailNext(FakeClient::Verb::kUpdate, kGroups,
                    kube::ToStatus(kube::InternalError("disk full")));
  Sync();
  Publish();
  // The failure of one group does not keep the others waiting.
  EXPECT_THAT(Group("list"), HasSubstr(R"("namespaces":["a"])"));
  EXPECT_THAT(Group("all"), Not(HasSubstr("status")));
  Pass(absl::Seconds(1));
  EXPECT_THAT(Group("all"), HasSubstr(R"("namespaces":[""])"));
}

TEST_F(OperatorGroupTest, AClusterWithoutTheKindIsNoFailure) {
  cluster_.Withdraw(kGroups);
  Sync();
  Publish();
  Pass(absl::Seconds(5));
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kList, kGroups), 1);
}

}  // namespace
}  // namespace steward::controllers
