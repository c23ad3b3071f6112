#include "storage/reflector/revision_probe.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/operator_world.h"

namespace steward::storage {
namespace {

class RevisionProbeTest : public ::testing::Test {
 protected:
  RevisionProbeTest() : tasks_(io_.get_executor()), probe_(cluster_, clock_, worlds_) {
    cluster_.Serve(kube::kNamespaces);
    cluster_.Put(kube::kNamespaces, R"({"metadata":{"name":"a"}})");
    tasks_.Spawn("probe", probe_.Run());
    io_.poll();
  }
  ~RevisionProbeTest() override { RunOn(io_, tasks_.Stop()); }

  int lists() { return cluster_.calls(kube::FakeClient::Verb::kList, kube::kNamespaces); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  WorldStore worlds_{kOperatorSources};
  TaskGroup tasks_;
  RevisionProbe probe_;
};

TEST_F(RevisionProbeTest, NothingIsReadUntilSomebodyAsks) { EXPECT_EQ(lists(), 0); }

TEST_F(RevisionProbeTest, ManyQuestionsAreOneList) {
  for (int i = 0; i < 100; ++i) probe_.Ask();
  io_.poll();
  EXPECT_EQ(lists(), 1);
  EXPECT_EQ(worlds_.newest_revision(), cluster_.revision());
  // A question that came meanwhile is answered after the period.
  const uint64_t later = cluster_.Touch();
  probe_.Ask();
  io_.poll();
  EXPECT_EQ(lists(), 1);
  clock_.Advance(RevisionProbe::kPeriod);
  io_.poll();
  EXPECT_EQ(lists(), 2);
  EXPECT_EQ(worlds_.newest_revision(), later);
}

TEST_F(RevisionProbeTest, AFailureIsTriedAgainByTheNextQuestion) {
  cluster_.FailNext(kube::FakeClient::Verb::kList, kube::kNamespaces,
                    absl::UnavailableError("gone"));
  probe_.Ask();
  io_.poll();
  EXPECT_EQ(worlds_.newest_revision(), 0u);
  clock_.Advance(RevisionProbe::kPeriod);
  probe_.Ask();
  io_.poll();
  EXPECT_EQ(worlds_.newest_revision(), cluster_.revision());
}

}  // namespace
}  // namespace steward::storage
