#include "payload/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "olm/payload/payload.h"
#include "olm/payload/payload_record.h"
#include "olm/payload/removal.h"

namespace steward::payload {
namespace {

using Verb = kube::FakeClient::Verb;

const kube::NamespacedName kName = {"ns", "steward-payload-record"};

class RecordStoreTest : public ::testing::Test {
 protected:
  RecordStoreTest() {
    cluster_.Serve(kube::kConfigMaps);
    cluster_.Serve(kube::kNamespaces);
  }
  absl::Status Load(RecordStore& store) { return RunOn(io_, store.Load()); }
  absl::Status SetVersion(RecordStore& store, const std::string& version) {
    return RunOn(io_, store.Change([&](olm::PayloadRecord& record) { record.version = version; }));
  }
  int Writes() {
    return cluster_.calls(Verb::kCreate, kube::kConfigMaps) +
           cluster_.calls(Verb::kUpdate, kube::kConfigMaps);
  }

  boost::asio::io_context io_{1};
  kube::FakeClient cluster_;
  RecordStore store_{cluster_, "ns"};
};

TEST_F(RecordStoreTest, IsMadeAndReadAgain) {
  EXPECT_FALSE(SetVersion(store_, "1.0.0").ok()) << "it was not read";
  ASSERT_OK(Load(store_));
  EXPECT_EQ(store_.uid(), "");
  ASSERT_OK(SetVersion(store_, "1.0.0"));
  ASSERT_OK(SetVersion(store_, "1.0.0"));
  EXPECT_EQ(Writes(), 1);
  EXPECT_NE(store_.uid(), "");
  RecordStore other(cluster_, "ns");
  ASSERT_OK(Load(other));
  EXPECT_EQ(other.record().version, "1.0.0");
}

TEST_F(RecordStoreTest, AnotherProcessHasChangedIt) {
  ASSERT_OK(Load(store_));
  ASSERT_OK(SetVersion(store_, "1.0.0"));
  RecordStore other(cluster_, "ns");
  ASSERT_OK(Load(other));
  ASSERT_OK(SetVersion(other, "2.0.0"));
  EXPECT_THAT(SetVersion(store_, "1.1.0"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(SetVersion(store_, "1.0.0"), StatusIs(absl::StatusCode::kAborted))
      << "nothing is known any more";
  ASSERT_OK(Load(store_));
  EXPECT_EQ(store_.record().version, "2.0.0");
  ASSERT_OK(SetVersion(store_, "2.1.0"));
}

TEST_F(RecordStoreTest, BothMakeIt) {
  RecordStore other(cluster_, "ns");
  ASSERT_OK(Load(store_));
  ASSERT_OK(Load(other));
  ASSERT_OK(SetVersion(other, "2.0.0"));
  EXPECT_THAT(SetVersion(store_, "1.0.0"), StatusIs(absl::StatusCode::kAborted));
}

TEST_F(RecordStoreTest, AWriteWithoutAnAnswerEndsAllChanges) {
  ASSERT_OK(Load(store_));
  cluster_.FailNext(Verb::kCreate, kube::kConfigMaps, absl::UnavailableError("away"));
  EXPECT_THAT(SetVersion(store_, "1.0.0"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(SetVersion(store_, "1.0.0").ok());
  ASSERT_OK(Load(store_));
  EXPECT_OK(SetVersion(store_, "1.0.0"));
}

TEST_F(RecordStoreTest, ItsNamespaceIsMade) {
  ASSERT_OK(Load(store_));
  cluster_.FailNext(Verb::kCreate, kube::kConfigMaps,
                    kube::ToStatus(kube::NotFound(kube::kNamespaces, "ns")));
  EXPECT_OK(SetVersion(store_, "1.0.0"));
  EXPECT_EQ(cluster_.Objects(kube::kNamespaces).size(), 1);
}

TEST_F(RecordStoreTest, NothingIsTakenForARecordThatIsNone) {
  cluster_.Put(kube::kConfigMaps,
               R"({"metadata":{"namespace":"ns","name":"steward-payload-record"},)"
               R"("data":{"state":"Updating","removals":"{"}})");
  EXPECT_THAT(Load(store_), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(SetVersion(store_, "1.0.0").ok());
  cluster_.FailNext(Verb::kGet, kube::kConfigMaps, absl::UnavailableError("away"));
  EXPECT_THAT(Load(store_), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(Writes(), 0);
}

TEST_F(RecordStoreTest, ChangesGoOneAfterTheOther) {
  ASSERT_OK(Load(store_));
  TaskGroup tasks(io_.get_executor());
  int done = 0;
  const auto add = [&](std::string name) -> VoidTask {
    const auto change = [name](olm::PayloadRecord& record) {
      const olm::PayloadIdentity identity = {"", "ConfigMap", "n", name};
      record.removals[identity] = {identity, "u",     true, olm::RemovalState::kInitiated,
                                   {},       "1.0.0", ""};
    };
    EXPECT_OK(co_await store_.Change(change));
    ++done;
  };
  for (const char* name : {"a", "b", "c"}) tasks.Spawn("add", add(name));
  while (done < 3) io_.run_one();
  EXPECT_EQ(store_.record().removals.size(), 3);
  RunOn(io_, tasks.Stop());
  ASSERT_OK(Load(store_));
  EXPECT_EQ(store_.record().removals.size(), 3);
}

}  // namespace
}  // namespace steward::payload
