#include "controllers/runtime/world_changes.h"

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorldChangesTest : public ::testing::Test {
 protected:
  WorldChangesTest() {
    tasks_.Spawn("follow", FollowWorlds(worlds_, [this](const storage::World&,
                                                        const storage::TouchedOperators* t) {
                   if (t == nullptr) return told_.push_back("all");
                   for (const auto& key : t->csvs) told_.push_back("csv " + key.name);
                   for (const auto& ns : t->installs) told_.push_back("group in " + ns);
                   for (const auto& ns : t->namespaces) told_.push_back("namespace " + ns);
                 }));
  }
  ~WorldChangesTest() override { RunOn(io_, tasks_.Stop()); }

  void Sync() {
    writer_.Replace(std::vector<olm::CsvPtr>(), ++revision_);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>(), ++revision_);
    writer_.Replace(std::vector<olm::NamespacePtr>(), ++revision_);
  }
  static olm::CsvPtr Csv(const std::string& name, const std::string& phase) {
    auto csv = std::make_shared<olm::Csv>();
    csv->key = {"ops", name};
    csv->uid = "u";
    csv->phase = phase;
    return csv;
  }
  void PutNamespace(const std::string& name) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = name;
    writer_.Put(std::move(ns), ++revision_);
  }
  // Publishes a World, and returns what is reported of it.
  std::vector<std::string> Publish() {
    worlds_.Publish(writer_.Snapshot());
    io_.restart();
    while (io_.poll() > 0) {
    }
    return std::exchange(told_, {});
  }

  boost::asio::io_context io_{1};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  uint64_t revision_ = 100;
  std::vector<std::string> told_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(WorldChangesTest, FirstEverythingThenWhatWasTouched) {
  EXPECT_THAT(Publish(), IsEmpty()) << "not synced";
  Sync();
  EXPECT_THAT(Publish(), ElementsAre("all"));
  EXPECT_THAT(Publish(), IsEmpty());
  writer_.Put(Csv("a", "Pending"), ++revision_);
  EXPECT_THAT(Publish(), ElementsAre("csv a"));
  writer_.Put(Csv("b", "Pending"), ++revision_);
  PutNamespace("n");
  EXPECT_THAT(Publish(), ElementsAre("csv b", "namespace n"));
  writer_.Remove(storage::kCsvSource, {"ops", "a"}, ++revision_);
  EXPECT_THAT(Publish(), ElementsAre("csv a"));
}

TEST_F(WorldChangesTest, ProgressAloneIsNothing) {
  Sync();
  Publish();
  writer_.Progress(storage::kCsvSource, ++revision_);
  EXPECT_THAT(Publish(), IsEmpty());
}

TEST_F(WorldChangesTest, TwoChangesOfOneRevisionAreBothTold) {
  Sync();
  Publish();
  writer_.Put(Csv("a", "Pending"), ++revision_);
  Publish();
  writer_.Put(Csv("b", "Pending"), revision_);
  EXPECT_THAT(Publish(), ElementsAre("csv b"));
}

TEST_F(WorldChangesTest, ANewListTellsItsDifference) {
  Sync();
  writer_.Put(Csv("a", "Pending"), ++revision_);
  writer_.Put(Csv("b", "Pending"), ++revision_);
  Publish();
  revision_ += 10;
  writer_.Replace(std::vector<olm::CsvPtr>{Csv("a", "Succeeded"), Csv("b", "Pending")}, revision_);
  EXPECT_THAT(Publish(), ElementsAre("csv a"));
}

TEST_F(WorldChangesTest, AnotherEtcdIsEverythingAnew) {
  Sync();
  Publish();
  writer_.Replace(std::vector<olm::CsvPtr>{Csv("a", "Pending")}, 5);
  EXPECT_THAT(Publish(), ElementsAre("all"));
}

}  // namespace
}  // namespace steward::controllers
