#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "apiserver/views/installed_operator/installed_operator.h"
#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/testing/test_world.h"
#include "apiserver/views/virtual_resource/event_stream.h"
#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/number.h"
#include "storage/world/world_store.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;

class EventStreamTest : public ::testing::Test {
 protected:
  EventStreamTest() {
    world_.Namespace("blue").Namespace("ops").Namespace("red", {{"team", "red"}});
    world_.Csv("ops", "a.v1").Group("ops", "g", {});
    Publish();
  }
  void Publish() { worlds_.Publish(world_.Snapshot()); }
  std::string Now() { return worlds_.Now().number().ToString(); }

  std::unique_ptr<rest::EventStream> Watch(const std::string& version,
                                           rest::Selection selection = {}, bool initial = false,
                                           bool bookmarks = true) {
    rest::WatchOptions options;
    options.resource_version = version;
    options.send_initial_events = initial;
    options.bookmarks = bookmarks;
    options.timeout = timeout_;
    options.stop = stop_;
    initial_ = initial;
    auto stream = RunOn(io_, view_.reads().Watch(selection, options));
    EXPECT_OK(stream);
    return stream.ok() ? *std::move(stream) : nullptr;
  }

  // Up to `count` events, as "ADDED blue/a.v1", or the error that ended the stream.
  std::vector<std::string> Next(rest::EventStream& stream, int count) {
    std::vector<std::string> seen;
    for (int i = 0; i < count; ++i) {
      const auto event = RunOn(io_, stream.Next());
      if (!event.ok()) {
        seen.push_back(kube::FromStatus(event.status()).reason);
        break;
      }
      if (!event->has_value()) {
        seen.push_back("end");
        break;
      }
      const char* const types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
      std::string text = types[static_cast<int>((*event)->type)];
      if ((*event)->object != nullptr) {
        text +=
            " " + std::string((*event)->object->ns()) + "/" + std::string((*event)->object->name());
      }
      if ((*event)->initial_events_end) text += " initial";
      // An object's own version says nothing of the stream.
      own_ = (*event)->object != nullptr &&
             (*event)->resource_version == (*event)->object->OwnVersion();
      EXPECT_EQ((*event)->midway, own_ && !initial_);
      if (!own_) {
        EXPECT_TRUE(kube::CompareResourceVersions(last_, (*event)->resource_version) <= 0);
        last_ = (*event)->resource_version;
      }
      told_ = (*event)->resource_version;
      initial_ = initial_ && !(*event)->initial_events_end;
      seen.push_back(std::move(text));
      ready_.push_back(stream.Ready());
    }
    return seen;
  }

  boost::asio::io_context io_{1};
  TestWorld world_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  InstalledOperators view_{
      worlds_, {.sync_wait = absl::ZeroDuration(), .version_wait = absl::ZeroDuration()}};
  absl::Duration timeout_ = absl::Minutes(1);
  const StopSignal* stop_ = nullptr;
  std::string last_;         // the newest place to continue from
  std::string told_;         // the version in the last event
  bool own_ = false;         // told_ is the object's own version
  bool initial_ = false;     // the initial events are under way
  std::vector<bool> ready_;  // after each event
};

TEST_F(EventStreamTest, OneChangeIsABurstOfAllThatShowIt) {
  const auto stream = Watch(Now());
  world_.Csv("ops", "b.v1");
  Publish();
  EXPECT_THAT(Next(*stream, 4),
              ElementsAre("ADDED blue/b.v1", "ADDED ops/b.v1", "ADDED red/b.v1", "BOOKMARK"));
  EXPECT_EQ(last_, Now());
  // If no other event follows at once, Ready is false, so the caller sends the event at once.
  EXPECT_THAT(ready_, ElementsAre(true, true, true, false));
}

// R-PRJ-06: A watch with bookmarks brings each object's own version. A list of any replica has the
// same version.
TEST_F(EventStreamTest, ObjectsHaveVersionsOfTheirOwn) {
  rest::Selection blue{.ns = "blue", .labels = {}, .fields = {}};
  const auto initial = Watch("", blue, /*initial=*/true);
  EXPECT_THAT(Next(*initial, 1), ElementsAre("ADDED blue/a.v1"));
  EXPECT_TRUE(own_);
  const std::string own = told_;
  EXPECT_THAT(Next(*initial, 1), ElementsAre("BOOKMARK initial"));
  const std::string number = last_;
  world_.Csv("ops", "a.v1", {.phase = "Failed"});
  Publish();
  EXPECT_THAT(Next(*initial, 1), ElementsAre("MODIFIED blue/a.v1"));
  EXPECT_TRUE(own_);
  EXPECT_NE(told_, own);
  const std::string changed = told_;

  const auto without = Watch(number, blue, false, /*bookmarks=*/false);
  EXPECT_THAT(Next(*without, 1), ElementsAre("MODIFIED blue/a.v1"));
  EXPECT_FALSE(own_) << "this stream's events are the only places to continue from";

  // A replica that starts now, after a write elsewhere that no object shows.
  rest::ReadOptions options;
  const auto own_of = [&](const char* ns) {
    const rest::Reading reading = *RunOn(io_, view_.reads().Get({ns, "a.v1"}, options));
    return reading.cursor->Next()->OwnVersion();
  };
  EXPECT_EQ(own_of("blue"), changed);
  world_.Namespace("red", {{"team", "blue"}});
  Publish();
  EXPECT_EQ(own_of("blue"), changed);
  storage::OperatorWriter fresh;
  const storage::OperatorWorldPtr now = world_.Snapshot();
  std::vector<olm::CsvPtr> csvs;
  for (auto it = now->csvs().begin(); !it.done(); it.Next()) csvs.push_back(it.value());
  std::vector<olm::OperatorGroupPtr> groups;
  for (auto it = now->operator_groups().begin(); !it.done(); it.Next())
    groups.push_back(it.value());
  std::vector<olm::NamespacePtr> namespaces;
  for (auto it = now->namespaces().begin(); !it.done(); it.Next()) namespaces.push_back(it.value());
  fresh.Replace(csvs, 1000);
  fresh.Replace(groups, 1000);
  fresh.Replace(namespaces, 1000);
  worlds_.Publish(fresh.Snapshot());
  EXPECT_EQ(own_of("blue"), changed);
}

// Each source has a watch of its own, so a write may be shown after one of a higher revision. The
// version that the event tells then is the version that later lists have.
TEST_F(EventStreamTest, AWriteThatIsShownLateHasAVersionOfItsOwn) {
  const auto watch = Watch("", {.ns = "later", .labels = {}, .fields = {}}, /*initial=*/true);
  EXPECT_THAT(Next(*watch, 1), ElementsAre("BOOKMARK initial"));
  auto later = std::make_shared<olm::Namespace>(**world_.Snapshot()->namespaces().Find("blue"));
  later->name = "later";
  later->written.revision = 102;
  world_.writer().Put(olm::NamespacePtr(later), 102);
  Publish();
  EXPECT_THAT(Next(*watch, 2), ElementsAre("ADDED later/a.v1", "BOOKMARK"));

  auto csv = std::make_shared<olm::Csv>(**world_.Snapshot()->csvs().Find({"ops", "a.v1"}));
  csv->phase = "Failed";
  csv->written.revision = 101;
  world_.writer().Put(olm::CsvPtr(csv), 101);
  Publish();
  EXPECT_THAT(Next(*watch, 1), ElementsAre("MODIFIED later/a.v1"));
  EXPECT_TRUE(own_);
  const rest::Reading reading =
      *RunOn(io_, view_.reads().Get({"later", "a.v1"}, rest::ReadOptions()));
  EXPECT_EQ(reading.cursor->Next()->OwnVersion(), told_);
}

// One object's version says nothing of others: a watch of that object can begin there, a watch of
// more cannot.
TEST_F(EventStreamTest, BeginsAtAnObjectsVersionForThatObject) {
  rest::ReadOptions options;
  const rest::Reading reading = *RunOn(io_, view_.reads().Get({"red", "a.v1"}, options));
  const std::string own = reading.cursor->Next()->OwnVersion();
  rest::Selection one{
      .ns = "red", .labels = {}, .fields = *kube::FieldSelector::Parse("metadata.name=a.v1")};
  for (const bool bookmarks : {true, false}) {
    EXPECT_THAT(Next(*Watch(own, {}, false, bookmarks), 1), ElementsAre("Expired"));
    EXPECT_THAT(Next(*Watch(own, {.ns = "red", .labels = {}, .fields = {}}, false, bookmarks), 1),
                ElementsAre("Expired"));
  }
  const auto unchanged = Watch(own, one);
  const auto labelled =
      Watch(own, {.ns = "red", .labels = *kube::LabelSelector::Parse("x"), .fields = one.fields});
  world_.Namespace("blue", {{"team", "blue"}}).Csv("ops", "b.v1");
  world_.Csv("ops", "a.v1", {.phase = "Failed"});
  Publish();
  EXPECT_THAT(Next(*unchanged, 2), ElementsAre("MODIFIED red/a.v1", "BOOKMARK"));
  last_.clear();
  EXPECT_THAT(Next(*labelled, 1), ElementsAre("DELETED red/a.v1"));
  last_.clear();
  EXPECT_THAT(Next(*Watch(own, one), 2), ElementsAre("MODIFIED red/a.v1", "BOOKMARK"));
  world_.writer().Remove(storage::kCsvSource, {"ops", "a.v1"}, 100);
  Publish();
  last_.clear();
  EXPECT_THAT(Next(*Watch(own, one), 2), ElementsAre("DELETED red/a.v1", "BOOKMARK"));
}

// An invented clock must not become the clock of the events.
TEST_F(EventStreamTest, AnInventedVersionIsExpired) {
  rest::Selection one{
      .ns = "red", .labels = {}, .fields = *kube::FieldSelector::Parse("metadata.name=a.v1")};
  for (const char* vector : {"000000000000000000000", "999998800000000000000"}) {
    for (const char* clock : {"99999999999999", "1500"}) {
      EXPECT_THAT(Next(*Watch(StrCat(clock, "8", vector), one), 1), ElementsAre("Expired"))
          << clock << " " << vector;
    }
  }
}

// A replica that has not reached the version in all sources does not report the object as deleted.
TEST_F(EventStreamTest, AnObjectsVersionWaitsForAllSources) {
  storage::Number own = *OwnNumber(*FindAppearance(*world_.Snapshot(), "red", "a.v1"));
  own.clock += 20'000'000 * storage::kTicks;
  own.vector = {0, 0, own.clock / storage::kTicks};
  storage::OperatorWriter young;
  auto red = std::make_shared<olm::Namespace>(**world_.Snapshot()->namespaces().Find("red"));
  red->written.revision = own.vector[2];
  young.Replace({olm::NamespacePtr(red)}, own.vector[2]);
  worlds_.Publish(young.Snapshot());
  timeout_ = absl::ZeroDuration();
  rest::Selection one{
      .ns = "red", .labels = {}, .fields = *kube::FieldSelector::Parse("metadata.name=a.v1")};
  EXPECT_THAT(Next(*Watch(own.ToString(), one), 1), ElementsAre("end"));
}

// The server ends a stream only where its client can continue.
TEST_F(EventStreamTest, AfterTheStopAnEventIsAPlaceToContinueFrom) {
  StopSignal stop;
  stop_ = &stop;
  const auto stream = Watch(Now());
  world_.Csv("ops", "b.v1");
  Publish();
  EXPECT_THAT(Next(*stream, 1), ElementsAre("ADDED blue/b.v1"));
  EXPECT_TRUE(own_);
  stop.Set();
  EXPECT_THAT(Next(*stream, 1), ElementsAre("ADDED ops/b.v1"));
  EXPECT_FALSE(own_);
}

TEST_F(EventStreamTest, ASlowReaderSeesOnlyTheOutcome) {
  const auto stream = Watch(Now(), {.ns = "red", .labels = {}, .fields = {}});
  world_.Csv("ops", "b.v1");
  Publish();
  world_.Csv("ops", "b.v1", {.phase = "Failed"});
  Publish();
  world_.Csv("ops", "c.v1");
  Publish();
  world_.writer().Remove(storage::kCsvSource, {"ops", "c.v1"}, 100);
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("ADDED red/b.v1", "BOOKMARK"));
}

// A change that only a CleanupStatus shows changes numbers, and nothing here.
TEST_F(EventStreamTest, WhatCleanupReadsIsNotTold) {
  constexpr char kCsv[] = R"({"metadata":{"name":"b.v1","namespace":"ops","uid":"b",)";
  constexpr char kStatus[] = R"("status":{"phase":"Succeeded","cleanup":{"pendingDeletion":)";
  constexpr char kGroup[] = R"({"metadata":{"name":"g","namespace":"ops","uid":"g"},"status":)";
  world_.CsvJson(StrCat(kCsv, R"("finalizers":[]},)", kStatus, "[]}}}"));
  world_.GroupJson(StrCat(kGroup, "{}}"));
  Publish();
  const std::string before = Now();
  const auto stream = Watch(before);
  world_.CsvJson(StrCat(kCsv, R"("finalizers":["x"],"deletionTimestamp":"2026-01-01T00:00:00Z"},)",
                        kStatus, R"([{"group":"g","kind":"K","instances":[{"name":"n"}]}]}}})"));
  world_.GroupJson(StrCat(kGroup, R"({"namespaces":[""]}})"));
  auto terminating =
      std::make_shared<olm::Namespace>(*world_.Snapshot()->namespaces().Find("red")->get());
  terminating->terminating = true;
  world_.writer().Put(olm::NamespacePtr(std::move(terminating)), world_.revision() + 1);
  Publish();
  EXPECT_NE(Now(), before);
  timeout_ = absl::ZeroDuration();
  EXPECT_THAT(Next(*Watch(before, {}, false, /*bookmarks=*/false), 1), ElementsAre("end"));
  world_.writer().Remove(storage::kCsvSource, {"ops", "b.v1"}, 100);
  Publish();
  EXPECT_THAT(Next(*stream, 4),
              ElementsAre("DELETED blue/b.v1", "DELETED ops/b.v1", "DELETED red/b.v1", "BOOKMARK"));
}

TEST_F(EventStreamTest, ResumesWhereItWas) {
  const std::string before = Now();
  world_.Csv("ops", "b.v1");
  Publish();
  rest::Selection selection;
  selection.ns = "blue";
  const auto first = Watch(before, selection, false, /*bookmarks=*/false);
  EXPECT_THAT(Next(*first, 1), ElementsAre("ADDED blue/b.v1"));
  world_.writer().Remove(storage::kCsvSource, {"ops", "b.v1"}, 100);
  Publish();
  const auto second = Watch(last_, selection, false, false);
  EXPECT_THAT(Next(*second, 1), ElementsAre("DELETED blue/b.v1"));
}

TEST_F(EventStreamTest, InsideABurstWhatMayBeMissingIsToldAgain) {
  const auto stream = Watch(Now(), {}, false, /*bookmarks=*/false);
  world_.Csv("ops", "b.v1");
  Publish();
  ASSERT_THAT(Next(*stream, 1), ElementsAre("ADDED blue/b.v1"));
  // The connection is lost here; the client has blue/b.v1 already, but not the others.
  const auto resumed = Watch(last_);
  EXPECT_THAT(Next(*resumed, 4), ElementsAre("MODIFIED blue/b.v1", "MODIFIED ops/b.v1",
                                             "MODIFIED red/b.v1", "BOOKMARK"));
}

TEST_F(EventStreamTest, InitialEventsEndWithABookmark) {
  const auto stream = Watch("", {}, /*initial=*/true);
  EXPECT_THAT(Next(*stream, 4), ElementsAre("ADDED blue/a.v1", "ADDED ops/a.v1", "ADDED red/a.v1",
                                            "BOOKMARK initial"));
  EXPECT_THAT(ready_, ElementsAre(true, true, true, false));
  world_.writer().Remove(storage::kNamespaceSource, {"", "red"}, 100);
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("DELETED red/a.v1", "BOOKMARK"));
}

TEST_F(EventStreamTest, SelectorsTurnChangesIntoComingsAndGoings) {
  rest::Selection selection;
  selection.labels = *kube::LabelSelector::Parse("tier=1");
  const auto stream = Watch(Now(), selection);
  world_.Csv("ops", "a.v1", {.labels = {{"tier", "1"}}});
  Publish();
  EXPECT_THAT(Next(*stream, 4),
              ElementsAre("ADDED blue/a.v1", "ADDED ops/a.v1", "ADDED red/a.v1", "BOOKMARK"));
  world_.Csv("ops", "a.v1");
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("DELETED blue/a.v1", "DELETED ops/a.v1"));
}

// OLM's component label is on the original alone, so only its own namespace shows it.
TEST_F(EventStreamTest, AComponentLabelIsSeenAtHomeAlone) {
  constexpr char kCsv[] = R"({"metadata":{"name":"a.v1","namespace":"ops","uid":"a","labels":{$}},)"
                          R"("status":{"phase":"Succeeded"}})";
  const auto put = [this, &kCsv](const char* labels) {
    world_.CsvJson(absl::StrReplaceAll(kCsv, {{"$", labels}}));
    Publish();
  };
  put("");
  rest::Selection selection;
  selection.labels = *kube::LabelSelector::Parse("operators.coreos.com/a.ops");
  const auto all = Watch(Now(), {}, false, /*bookmarks=*/false);
  const auto selected = Watch(Now(), selection, false, /*bookmarks=*/false);
  put(R"("operators.coreos.com/a.ops":"")");
  EXPECT_THAT(Next(*all, 1), ElementsAre("MODIFIED ops/a.v1"));
  EXPECT_THAT(Next(*selected, 1), ElementsAre("ADDED ops/a.v1"));
  put(R"("other":"")");
  EXPECT_THAT(Next(*all, 3),
              ElementsAre("MODIFIED blue/a.v1", "MODIFIED ops/a.v1", "MODIFIED red/a.v1"));
  EXPECT_THAT(Next(*selected, 1), ElementsAre("DELETED ops/a.v1"));
}

TEST_F(EventStreamTest, AnObjectOfAnotherUidIsAnother) {
  rest::Selection selection;
  selection.fields = *kube::FieldSelector::Parse("metadata.name=a.v1,metadata.namespace=red");
  const auto stream = Watch(Now(), selection);
  world_.CsvJson(R"({"metadata":{"name":"a.v1","namespace":"ops","uid":"another"},)"
                 R"("status":{"phase":"Succeeded"}})");
  Publish();
  EXPECT_THAT(Next(*stream, 3), ElementsAre("DELETED red/a.v1", "ADDED red/a.v1", "BOOKMARK"));
}

TEST_F(EventStreamTest, AStateThatIsNotKnownIsExpired) {
  TestWorld other;
  for (int i = 0; i < 3; ++i) other.Namespace("n" + std::to_string(i));
  storage::WorldStore older{storage::kOperatorSources};
  older.Publish(other.Snapshot());
  // A new list leaves a gap behind.
  world_.writer().Replace(std::vector<olm::NamespacePtr>{}, 500);
  Publish();
  storage::Number gone = worlds_.Now().number();
  gone.vector[2] = 400;
  const auto stream = Watch(gone.ToString());
  EXPECT_THAT(Next(*stream, 1), ElementsAre("Expired"));
}

TEST_F(EventStreamTest, AFutureStateIsWaitedFor) {
  TestWorld ahead;
  ahead.Namespace("blue").Namespace("ops").Namespace("red", {{"team", "red"}});
  ahead.Csv("ops", "a.v1").Group("ops", "g", {});
  ahead.Csv("ops", "b.v1");
  storage::WorldStore other{storage::kOperatorSources};
  other.Publish(ahead.Snapshot());
  const auto stream = Watch(other.Now().number().ToString());
  TaskGroup tasks(io_.get_executor());
  std::vector<std::string> seen;
  tasks.Spawn("read", [](rest::EventStream& events, std::vector<std::string>& out) -> VoidTask {
    const auto event = co_await events.Next();
    out.push_back(event.ok() && event->has_value() ? std::string((*event)->object->name()) : "?");
  }(*stream, seen));
  io_.poll();
  EXPECT_TRUE(seen.empty());
  world_.Csv("ops", "b.v1");  // the other replica had it
  Publish();
  io_.poll();
  EXPECT_TRUE(seen.empty());
  world_.Csv("ops", "c.v1");
  Publish();
  io_.restart();
  io_.poll();
  EXPECT_THAT(seen, ElementsAre("c.v1"));
  RunOn(io_, tasks.Stop());
}

TEST_F(EventStreamTest, SettledOnceWhatThereIsWasTold) {
  for (const bool bookmarks : {true, false}) {
    int settled = 0;
    const auto stream = Watch("", {}, /*initial=*/true, bookmarks);
    stream->OnSettled([&settled] { ++settled; });
    Next(*stream, bookmarks ? 4 : 3);  // three operators, and the bookmark behind them
    EXPECT_EQ(settled, 0);
    TaskGroup tasks(io_.get_executor());
    tasks.Spawn("waits", [](rest::EventStream& next) -> VoidTask {
      const auto event = co_await next.Next();
      EXPECT_OK(event.status());
    }(*stream));
    io_.restart();
    io_.poll();
    EXPECT_EQ(settled, 1) << bookmarks;
    RunOn(io_, tasks.Stop());
  }
}

// The state is so old that it is not found at once.
TEST_F(EventStreamTest, AClientFromLongAgoGetsWhatItLacks) {
  const std::string then = Now();
  for (int i = 0; i < 1000; ++i) world_.Namespace("red", {{"i", StrCat(i)}});
  world_.Csv("ops", "b.v1");
  Publish();
  const auto stream = Watch(then);
  EXPECT_THAT(Next(*stream, 4),
              ElementsAre("ADDED blue/b.v1", "ADDED ops/b.v1", "ADDED red/b.v1", "BOOKMARK"));
  EXPECT_EQ(last_, Now());
  rest::ReadOptions read;
  read.resource_version = then;
  read.resource_version_match = "Exact";
  const rest::Selection selection;
  auto reading = RunOn(io_, view_.reads().List(selection, read));
  ASSERT_OK(reading);
  int count = 0;
  while (reading->cursor->Next() != nullptr) ++count;
  EXPECT_EQ(count, 3);
}

TEST_F(EventStreamTest, AnotherEtcdExpiresWhatIsOpen) {
  const auto stream = Watch(Now());
  world_.writer().Replace(std::vector<olm::NamespacePtr>{}, 3);
  Publish();
  EXPECT_THAT(Next(*stream, 1), ElementsAre("Expired"));
}

// Once the cluster has been asked for its revision, the number is known to be above it.
TEST_F(EventStreamTest, AStateThatCannotComeIsExpired) {
  int asked = 0;
  InstalledOperators view(worlds_, {.on_newest_read = [&asked] { ++asked; }});
  storage::Number forged = worlds_.Now().number();
  forged.clock += 1000 * storage::kTicks;
  forged.vector = {900, 900, 900};
  rest::WatchOptions options;
  options.resource_version = forged.ToString();
  options.bookmarks = true;
  options.timeout = absl::Minutes(1);
  const rest::Selection selection;
  auto stream = RunOn(io_, view.reads().Watch(selection, options));
  ASSERT_OK(stream);
  EXPECT_THAT(Next(**stream, 1), ElementsAre("Expired"));
  EXPECT_GT(asked, 0);
}

// Another replica's number may name a revision at which nothing happened here.
TEST_F(EventStreamTest, AStateThatHasNotComeIsAskedFor) {
  std::vector<storage::StateVector> awaited;
  std::vector<std::string> askers;
  VirtualResourceOptions reads;
  reads.bookmark_period = absl::ZeroDuration();
  reads.on_newest_read = [] {};
  reads.on_awaited = [&](const storage::StateVector& vector, std::string_view asker) {
    awaited.push_back(vector);
    askers.emplace_back(asker);
    for (size_t s = 0; s < vector.size(); ++s) {
      world_.writer().Confirm(static_cast<storage::Source>(s), vector[s]);
    }
    Publish();
  };
  InstalledOperators view(worlds_, reads);
  const auto ahead = [this](uint64_t revision) {
    worlds_.LearnRevision(revision);
    storage::Number number = worlds_.Now().number();
    number.clock = revision * storage::kTicks;
    number.vector = {revision, revision, revision};
    return number;
  };
  rest::WatchOptions options;
  options.resource_version = ahead(900).ToString();
  options.bookmarks = true;
  options.timeout = absl::Minutes(1);
  options.asker = "alice";
  const rest::Selection selection;
  auto stream = RunOn(io_, view.reads().Watch(selection, options));
  ASSERT_OK(stream);
  EXPECT_THAT(Next(**stream, 1), ElementsAre("BOOKMARK"));
  EXPECT_THAT(awaited, ElementsAre(storage::StateVector{900, 900, 900}));

  rest::ReadOptions read;
  read.resource_version = ahead(950).ToString();
  read.resource_version_match = "Exact";
  read.asker = "bob";
  auto reading = RunOn(io_, view.reads().List(selection, read));
  ASSERT_OK(reading);
  EXPECT_EQ(reading->resource_version, read.resource_version);
  EXPECT_THAT(awaited, ElementsAre(storage::StateVector{900, 900, 900},
                                   storage::StateVector{950, 950, 950}));
  EXPECT_THAT(askers, ElementsAre("alice", "bob"));
}

// A state from before this replica's start is asked for, by watches and by exact reads.
TEST_F(EventStreamTest, AStateOfBeforeTheStartIsAskedFor) {
  // The cluster's answer. True: nothing differed in that state; false: the state is no longer
  // known.
  bool known = true;
  int asked = 0;
  VirtualResourceOptions reads;
  reads.bookmark_period = absl::ZeroDuration();
  reads.on_newest_read = [] {};
  reads.on_awaited = [&](const storage::StateVector& vector, std::string_view) {
    ++asked;
    for (size_t i = 0; i < vector.size(); ++i) {
      const auto source = static_cast<storage::Source>(i);
      if (known) {
        world_.writer().Recall(source, vector[i], std::nullopt);
      } else {
        world_.writer().Forget(source, vector[i]);
      }
    }
    Publish();
  };
  InstalledOperators view(worlds_, reads);
  // As after a restart: the known states begin with lists at revision 1000.
  for (int i = 0; i < 3; ++i) world_.writer().Confirm(static_cast<storage::Source>(i), 1000);
  Publish();
  worlds_.LearnRevision(1000);
  const auto then = [this](uint64_t revision) {
    storage::Number number = worlds_.Now().number();
    number.clock = revision * storage::kTicks;
    number.vector = {revision, revision, revision};
    return number.ToString();
  };
  const rest::Selection selection;
  const auto watch = [&](const std::string& number) {
    rest::WatchOptions options;
    options.resource_version = number;
    options.bookmarks = true;
    options.timeout = absl::Minutes(1);
    auto stream = RunOn(io_, view.reads().Watch(selection, options));
    EXPECT_OK(stream);
    last_.clear();
    return *std::move(stream);
  };
  const auto read = [&](const std::string& number) {
    rest::ReadOptions options;
    options.resource_version = number;
    options.resource_version_match = "Exact";
    return RunOn(io_, view.reads().List(selection, options)).status();
  };
  EXPECT_THAT(Next(*watch(then(900)), 1), ElementsAre("BOOKMARK"));
  EXPECT_OK(read(then(901)));
  EXPECT_EQ(asked, 2);
  known = false;
  EXPECT_THAT(Next(*watch(then(800)), 1), ElementsAre("Expired"));
  EXPECT_TRUE(kube::HasReason(read(then(799)), "Expired"));
  EXPECT_EQ(asked, 3) << "what was forgotten at 800 was forgotten at 799";
  // The cluster cannot know a state that it has not reached.
  storage::Number ahead = worlds_.Now().number();
  ahead.clock = 5000 * storage::kTicks;
  ahead.vector = {900, 850, 900};
  EXPECT_THAT(Next(*watch(ahead.ToString()), 1), ElementsAre("Expired"));
  EXPECT_TRUE(kube::HasReason(read(ahead.ToString()), "Expired"));
  EXPECT_EQ(asked, 3);
}

// Clients choose numbers: for one above the cluster's newest, nothing is requested.
TEST_F(EventStreamTest, AStateThatCannotComeIsNotAskedFor) {
  std::vector<storage::StateVector> awaited;
  VirtualResourceOptions reads;
  reads.version_wait = absl::Milliseconds(200);
  reads.on_awaited = [&](const storage::StateVector& vector, std::string_view) {
    awaited.push_back(vector);
  };
  InstalledOperators view(worlds_, reads);
  storage::Number forged = worlds_.Now().number();
  forged.clock += 1000 * storage::kTicks;
  forged.vector = {900, 900, 900};
  rest::ReadOptions read;
  read.resource_version = forged.ToString();
  const rest::Selection selection;
  const auto reading = RunOn(io_, view.reads().List(selection, read));
  EXPECT_TRUE(kube::HasReason(reading.status(), "Timeout"));
  EXPECT_THAT(awaited, ElementsAre());
}

// The error has Kubernetes' form for a client that wants its initial events at least this new.
TEST_F(EventStreamTest, InitialEventsThatAreNotThereYetAreAnErrorEvent) {
  InstalledOperators view(worlds_, {.version_wait = absl::ZeroDuration()});
  storage::Number ahead = worlds_.Now().number();
  ahead.clock += 1000 * storage::kTicks;
  ahead.vector = {900, 900, 900};
  rest::WatchOptions options;
  options.resource_version = ahead.ToString();
  options.send_initial_events = true;
  options.timeout = absl::Minutes(1);
  const rest::Selection selection;
  auto stream = RunOn(io_, view.reads().Watch(selection, options));
  ASSERT_OK(stream);
  EXPECT_THAT(Next(**stream, 1), ElementsAre("Timeout"));
}

TEST_F(EventStreamTest, EndsWhenItsTimeIsUp) {
  timeout_ = absl::ZeroDuration();
  const auto stream = Watch(Now());
  EXPECT_THAT(Next(*stream, 1), ElementsAre("end"));
}

// An informer with such a number, as ClusterServiceVersions have them, begins anew.
TEST_F(EventStreamTest, NumbersOfAnotherAPIAreTooOld) {
  for (const char* number :
       {"1", "12345", "99999999999999", "99999999999999999999999999999999999999"}) {
    SCOPED_TRACE(number);
    rest::WatchOptions options;
    options.resource_version = number;
    options.timeout = absl::Minutes(1);
    const rest::Selection selection;
    const auto stream = RunOn(io_, view_.reads().Watch(selection, options));
    ASSERT_OK(stream);
    EXPECT_THAT(Next(**stream, 1), ElementsAre("Expired"));
  }
}

}  // namespace
}  // namespace steward::views
