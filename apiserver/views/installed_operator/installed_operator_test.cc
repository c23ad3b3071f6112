#include "apiserver/views/installed_operator/installed_operator.h"

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "apiserver/views/testing/test_world.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const VirtualResourceOptions kNoWaiting = {.sync_wait = absl::ZeroDuration(),
                                           .version_wait = absl::ZeroDuration()};

class InstalledOperatorsTest : public ::testing::Test {
 protected:
  InstalledOperatorsTest() {
    world_.Namespace("blue").Namespace("ops").Namespace("red", {{"team", "red"}});
    world_.Csv("ops", "b.v1", {.labels = {{"tier", "1"}}}).Csv("ops", "a.v1").Group("ops", "g", {});
    world_.Csv("red", "own.v1", {.labels = {{"tier", "1"}}});
    worlds_.Publish(world_.Snapshot());
  }

  // Reads all names, and counts the cursor's pauses.
  std::vector<std::string> Names(rest::Reading& reading, int& pauses) {
    std::vector<std::string> names;
    for (pauses = 0;; ++pauses) {
      while (const rest::Object* object = reading.cursor->Next()) {
        names.push_back(std::string(object->ns()) + "/" + std::string(object->name()));
      }
      const absl::StatusOr<bool> more = RunOn(io_, reading.cursor->More());
      EXPECT_OK(more);
      if (!more.value_or(false)) return names;
    }
  }
  std::vector<std::string> Names(rest::Reading& reading) {
    int pauses = 0;
    return Names(reading, pauses);
  }

  std::vector<std::string> List(const std::string& ns, const char* labels = "",
                                const char* fields = "") {
    rest::Selection selection;
    selection.ns = ns;
    selection.labels = *kube::LabelSelector::Parse(labels);
    selection.fields = *kube::FieldSelector::Parse(fields);
    absl::StatusOr<rest::Reading> reading = RunOn(io_, view_.reads().List(selection, {}));
    EXPECT_OK(reading);
    return reading.ok() ? Names(*reading) : std::vector<std::string>{};
  }

  kube::Status ErrorOf(const absl::StatusOr<rest::Reading>& result) {
    EXPECT_FALSE(result.ok());
    return kube::FromStatus(result.status());
  }

  boost::asio::io_context io_;
  TestWorld world_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  InstalledOperators view_{worlds_, kNoWaiting};
};

TEST_F(InstalledOperatorsTest, ListsInOrderOfNamespaceAndName) {
  EXPECT_THAT(List(""), ElementsAre("blue/a.v1", "blue/b.v1", "ops/a.v1", "ops/b.v1", "red/a.v1",
                                    "red/b.v1", "red/own.v1"));
  EXPECT_THAT(List("red"), ElementsAre("red/a.v1", "red/b.v1", "red/own.v1"));
  EXPECT_THAT(List("nowhere"), IsEmpty());
}

TEST_F(InstalledOperatorsTest, Selectors) {
  EXPECT_THAT(List("", "tier=1"), ElementsAre("blue/b.v1", "ops/b.v1", "red/b.v1", "red/own.v1"));
  // Objects have the label that a copy carries, except in the operator's own namespace.
  EXPECT_THAT(List("", "olm.copiedFrom=ops"),
              ElementsAre("blue/a.v1", "blue/b.v1", "red/a.v1", "red/b.v1"));
  EXPECT_THAT(List("", "!olm.copiedFrom"), ElementsAre("ops/a.v1", "ops/b.v1", "red/own.v1"));
  EXPECT_THAT(List("", "", "metadata.name=a.v1"), ElementsAre("blue/a.v1", "ops/a.v1", "red/a.v1"));
  EXPECT_THAT(List("", "", "metadata.namespace=red,metadata.name!=a.v1"),
              ElementsAre("red/b.v1", "red/own.v1"));
  EXPECT_THAT(List("red", "", "metadata.namespace=blue"), IsEmpty());
  EXPECT_THAT(List("", "", "metadata.namespace!=red,metadata.namespace!=ops"),
              ElementsAre("blue/a.v1", "blue/b.v1"));
  EXPECT_THAT(List("", "", "metadata.name=a.v1,metadata.name=b.v1"), IsEmpty());
}

TEST_F(InstalledOperatorsTest, LongScansPause) {
  for (int i = 0; i < 3000; ++i) world_.Namespace("n" + std::to_string(10000 + i));
  worlds_.Publish(world_.Snapshot());
  struct Row {
    const char* labels;
    const char* fields;
    size_t objects;
    int pauses;
  };
  // Looks: 3003 namespaces and, except with the search by name, two objects in each. If there is
  // no operator of a name, the two namespaces that have operators.
  const Row rows[] = {{"", "", 6007, 18},
                      {"tier=1", "", 3004, 18},
                      {"tier=2", "", 0, 18},
                      {"", "metadata.name=own.v1", 1, 6},
                      {"", "metadata.name=none", 0, 0}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.labels) + row.fields);
    rest::Selection selection;
    selection.labels = *kube::LabelSelector::Parse(row.labels);
    selection.fields = *kube::FieldSelector::Parse(row.fields);
    ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, view_.reads().List(selection, {})));
    int pauses = 0;
    EXPECT_EQ(Names(reading, pauses).size(), row.objects);
    EXPECT_EQ(pauses, row.pauses);
  }
}

// Clients hold numbers across updates of the server, so the meaning of a number must never change.
TEST_F(InstalledOperatorsTest, NumbersAreWhatTheyAlwaysWere) {
  storage::OperatorWriter writer;
  writer.Replace(std::vector<olm::CsvPtr>{}, 1010);
  writer.Replace(std::vector<olm::OperatorGroupPtr>{}, 1011);
  writer.Replace(std::vector<olm::NamespacePtr>{}, 1012);
  storage::WorldStore worlds{storage::kOperatorSources};
  InstalledOperators view{worlds, kNoWaiting};
  const auto number = [&] {
    worlds.Publish(writer.Snapshot());
    return RunOn(io_, view.reads().List({}, {}))->resource_version;
  };
  EXPECT_EQ(number(), "1013009999999699999979999998");
  writer.Remove(storage::kNamespaceSource, {"", "none"}, 1500);
  EXPECT_EQ(number(), "1501009999950899995099999510") << "nothing changed";
}

TEST_F(InstalledOperatorsTest, Get) {
  ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, view_.reads().Get({"red", "a.v1"}, {})));
  EXPECT_EQ(reading.resource_version, worlds_.Now().number().ToString());
  EXPECT_THAT(Names(reading), ElementsAre("red/a.v1"));
  const kube::Status missing = ErrorOf(RunOn(io_, view_.reads().Get({"red", "none"}, {})));
  EXPECT_EQ(missing.code, 404);
  EXPECT_EQ(missing.message, "installedoperators.views.operators.coreos.com \"none\" not found");
}

TEST_F(InstalledOperatorsTest, AReadingStaysAsItWas) {
  ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, view_.reads().List({.ns = "red"}, {})));
  world_.writer().Remove(storage::kCsvSource, {"ops", "a.v1"}, 100);
  worlds_.Publish(world_.Snapshot());
  EXPECT_THAT(Names(reading), ElementsAre("red/a.v1", "red/b.v1", "red/own.v1"));
  EXPECT_THAT(List("red"), ElementsAre("red/b.v1", "red/own.v1"));
}

TEST_F(InstalledOperatorsTest, WarnsWhileAStreamIsInterrupted) {
  ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, view_.reads().List({}, {})));
  EXPECT_THAT(reading.warning, ::testing::HasSubstr("may be out of date"));
  for (storage::Source source :
       {storage::kCsvSource, storage::kOperatorGroupSource, storage::kNamespaceSource}) {
    world_.writer().SetConnected(source, true);
  }
  worlds_.Publish(world_.Snapshot());
  ASSERT_OK_AND_ASSIGN(reading, RunOn(io_, view_.reads().List({}, {})));
  EXPECT_THAT(reading.warning, IsEmpty());
}

TEST_F(InstalledOperatorsTest, BeforeTheFirstSyncItIs503) {
  storage::WorldStore empty{storage::kOperatorSources};
  InstalledOperators view(empty, kNoWaiting);
  const kube::Status status = ErrorOf(RunOn(io_, view.reads().List({}, {})));
  EXPECT_EQ(status.code, 503);
  EXPECT_GT(status.retry_after_seconds, 0);
  EXPECT_EQ(ErrorOf(RunOn(io_, view.reads().Get({"a", "b"}, {}))).code, 503);
}

TEST_F(InstalledOperatorsTest, ResourceVersions) {
  const std::string now = worlds_.Now().number().ToString();
  world_.Csv("ops", "c.v1");
  storage::WorldStore later{storage::kOperatorSources};
  later.Publish(world_.Snapshot());
  const std::string future = later.Now().number().ToString();
  struct Row {
    const char* name;
    std::string version;
    const char* match;
    int code;  // 0 = no error
    const char* reason;
  };
  const Row rows[] = {
      {"any", "0", "", 0, ""},
      {"not older than any", "0", "NotOlderThan", 0, ""},
      {"at least now", now, "", 0, ""},
      {"at least now, said so", now, "NotOlderThan", 0, ""},
      {"exactly now", now, "Exact", 0, ""},
      {"future", future, "", 504, "Timeout"},
      {"future, exactly", future, "Exact", 504, "Timeout"},
      {"an old number of another API", "1", "", 0, ""},
      {"an old number of another API, said so", "1", "NotOlderThan", 0, ""},
      {"exactly an old number of another API", "1", "Exact", 410, "Expired"},
      {"another API's, above all that there are", "99999999999999", "", 504, "Timeout"},
      {"a number of an unknown form", std::string(20, '9'), "", 410, "Expired"},
      {"the largest number", std::string(38, '9'), "NotOlderThan", 410, "Expired"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    rest::ReadOptions options;
    options.resource_version = row.version;
    options.resource_version_match = row.match;
    absl::StatusOr<rest::Reading> reading = RunOn(io_, view_.reads().List({}, options));
    if (row.code == 0) {
      EXPECT_OK(reading);
      continue;
    }
    const kube::Status status = ErrorOf(reading);
    EXPECT_EQ(status.code, row.code);
    EXPECT_EQ(status.reason, row.reason);
  }
  worlds_.Publish(world_.Snapshot());
  rest::ReadOptions old;
  old.resource_version = now;
  EXPECT_OK(RunOn(io_, view_.reads().List({}, old)));  // newer than requested is fine
}

TEST_F(InstalledOperatorsTest, SaysWhereToWrite) {
  const rest::Resource resource = view_.Resource();
  ASSERT_OK_AND_ASSIGN(rest::Reading whole, RunOn(io_, view_.reads().List({}, {})));
  ASSERT_THAT(Names(whole), ::testing::Not(IsEmpty()));
  world_.Csv("ops", "written.v1");
  worlds_.Publish(world_.Snapshot());
  EXPECT_EQ(resource.where_to_write({"ops", "written.v1"}),
            "InstalledOperators are computed from ClusterServiceVersion ops/written.v1; change "
            "that one");
  for (const kube::NamespacedName& name : {kube::NamespacedName{"ops", ""}, {"ops", "nope"}}) {
    EXPECT_EQ(resource.where_to_write(name),
              "InstalledOperators are computed from ClusterServiceVersions; change these");
  }
}

TEST_F(InstalledOperatorsTest, PagesAreOneSnapshot) {
  const auto page = [this](const std::string& token, const rest::Selection& selection = {}) {
    rest::ReadOptions options;
    options.limit = 2;
    options.continue_token = token;
    return RunOn(io_, view_.reads().List(selection, options));
  };
  ASSERT_OK_AND_ASSIGN(rest::Reading whole, RunOn(io_, view_.reads().List({}, {})));
  const std::vector<std::string> expected = Names(whole);
  std::vector<std::string> all;
  std::string token, number;
  do {
    ASSERT_OK_AND_ASSIGN(rest::Reading reading, page(token));
    if (number.empty()) number = reading.resource_version;
    EXPECT_EQ(reading.resource_version, number);
    const std::vector<std::string> names = Names(reading);
    EXPECT_LE(names.size(), 2u);
    all.insert(all.end(), names.begin(), names.end());
    token = reading.continue_token;
    EXPECT_EQ(reading.remaining_item_count,
              token.empty() ? std::nullopt : std::optional<int64_t>(expected.size() - all.size()));
    // Later changes are not seen.
    world_.Csv("ops", "new.v" + std::to_string(all.size()));
    worlds_.Publish(world_.Snapshot());
  } while (!token.empty());
  EXPECT_EQ(all, expected);
  ASSERT_GT(all.size(), 4u);
}

TEST_F(InstalledOperatorsTest, TokensAreForOneSelectionAndForAWhile) {
  rest::ReadOptions options;
  options.limit = 1;
  ASSERT_OK_AND_ASSIGN(const rest::Reading first, RunOn(io_, view_.reads().List({}, options)));
  ASSERT_NE(first.continue_token, "");
  options.continue_token = first.continue_token;
  rest::Selection other;
  other.ns = "red";
  EXPECT_EQ(ErrorOf(RunOn(io_, view_.reads().List(other, options))).code, 400);
  rest::ReadOptions damaged = options;
  damaged.continue_token[5] ^= 1;
  EXPECT_EQ(ErrorOf(RunOn(io_, view_.reads().List({}, damaged))).code, 400);

  // A list with a gap before it drops the state of the first page.
  std::vector<olm::NamespacePtr> namespaces;
  const auto world = storage::OperatorWorld::Of(worlds_.Current());
  for (auto it = world->namespaces().begin(); !it.done(); it.Next()) {
    namespaces.push_back(it.value());
  }
  for (int i = 0; i < 100; ++i) {
    namespaces.pop_back();
    world_.writer().Replace(namespaces, 1000 + 2 * static_cast<uint64_t>(i));
    namespaces.push_back(std::make_shared<olm::Namespace>());
    world_.writer().Replace(namespaces, 1001 + 2 * static_cast<uint64_t>(i));
  }
  worlds_.Publish(world_.Snapshot());
  const kube::Status expired = ErrorOf(RunOn(io_, view_.reads().List({}, options)));
  EXPECT_EQ(expired.code, 410);
  EXPECT_EQ(expired.reason, "Expired");
  // The token continues in another state, to which the first page's count does not apply.
  options.continue_token = expired.continue_token;
  ASSERT_OK_AND_ASSIGN(rest::Reading next, RunOn(io_, view_.reads().List({}, options)));
  ASSERT_TRUE(next.remaining_item_count.has_value());
  options.limit = 0;
  ASSERT_OK_AND_ASSIGN(rest::Reading all, RunOn(io_, view_.reads().List({}, options)));
  EXPECT_EQ(static_cast<size_t>(*next.remaining_item_count) + 1, Names(all).size());
}

TEST_F(InstalledOperatorsTest, WhatIsSelectedIsNotCounted) {
  rest::ReadOptions options;
  options.limit = 1;
  for (const char* ns : {"", "red"}) {
    rest::Selection selection;
    selection.ns = ns;
    ASSERT_OK_AND_ASSIGN(rest::Reading page, RunOn(io_, view_.reads().List(selection, options)));
    EXPECT_TRUE(page.remaining_item_count.has_value());
    selection.labels = *kube::LabelSelector::Parse("!nothing");
    ASSERT_OK_AND_ASSIGN(page, RunOn(io_, view_.reads().List(selection, options)));
    EXPECT_NE(page.continue_token, "");
    EXPECT_EQ(page.remaining_item_count, std::nullopt);
    selection.labels = {};
    selection.fields = *kube::FieldSelector::Parse("metadata.namespace=red");
    ASSERT_OK_AND_ASSIGN(page, RunOn(io_, view_.reads().List(selection, options)));
    EXPECT_EQ(page.remaining_item_count, std::nullopt);
  }
}

// The version is from before the kind went away, or from a server that has seen it appear.
TEST_F(InstalledOperatorsTest, AnAbsentKindKeepsNoVersionFromBeingReached) {
  storage::OperatorWriter writer;
  writer.ReplaceAbsent(storage::kCsvSource);
  writer.Replace(std::vector<olm::OperatorGroupPtr>{}, 500);
  writer.Replace(std::vector<olm::NamespacePtr>{}, 500);
  storage::WorldStore worlds{storage::kOperatorSources};
  worlds.Publish(writer.Snapshot());
  InstalledOperators view(worlds, kNoWaiting);
  rest::ReadOptions options;
  options.resource_version = worlds_.Now().number().ToString();
  EXPECT_OK(RunOn(io_, view.reads().List({}, options)));

  writer.Replace(std::vector<olm::CsvPtr>{}, 5);
  worlds.Publish(writer.Snapshot());
  EXPECT_EQ(ErrorOf(RunOn(io_, view.reads().List({}, options))).code, 504);
}

TEST_F(InstalledOperatorsTest, Icon) {
  world_.CsvJson(R"({"metadata":{"name":"icon.v1","namespace":"ops","uid":"u"},)"
                 R"("spec":{"icon":[{"base64data":"aGk=","mediatype":"image/png"}]},)"
                 R"("status":{"phase":"Succeeded"}})");
  world_.CsvJson(R"({"metadata":{"name":"html.v1","namespace":"ops","uid":"v"},)"
                 R"("spec":{"icon":[{"base64data":"aGk=","mediatype":"text/html"}]}})");
  worlds_.Publish(world_.Snapshot());
  ASSERT_OK_AND_ASSIGN(rest::Blob blob, RunOn(io_, view_.GetBlob({"red", "icon.v1"})));
  EXPECT_EQ(blob.content_type, "image/png");
  EXPECT_EQ(blob.bytes, "hi");
  EXPECT_THAT(blob.etag, ::testing::MatchesRegex("\".+\""));
  ASSERT_OK_AND_ASSIGN(blob, RunOn(io_, view_.GetBlob({"ops", "html.v1"})));
  EXPECT_EQ(blob.content_type, "application/octet-stream");
  EXPECT_EQ(kube::FromStatus(RunOn(io_, view_.GetBlob({"red", "a.v1"})).status()).code, 404);
}

TEST_F(InstalledOperatorsTest, AnIconThatCannotBeDecodedSaysSo) {
  world_.CsvJson(R"({"metadata":{"name":"text.v1","namespace":"ops","uid":"u"},)"
                 R"("spec":{"icon":[{"base64data":"no base64!","mediatype":"image/png"}]}})");
  world_.CsvJson(R"({"metadata":{"name":"number.v1","namespace":"ops","uid":"v"},)"
                 R"("spec":{"icon":[{"base64data":7}]}})");
  worlds_.Publish(world_.Snapshot());
  for (const char* name : {"text.v1", "number.v1"}) {
    const kube::Status error = kube::FromStatus(RunOn(io_, view_.GetBlob({"ops", name})).status());
    EXPECT_EQ(error.code, 404);
    EXPECT_THAT(error.message, ::testing::HasSubstr(StrCat("\"", name, "\" cannot be decoded: ")));
    EXPECT_THAT(error.message, ::testing::HasSubstr("spec.icon"));
  }
  const kube::Status none = kube::FromStatus(RunOn(io_, view_.GetBlob({"red", "a.v1"})).status());
  EXPECT_THAT(none.message, ::testing::HasSubstr("not found"));
}

TEST_F(InstalledOperatorsTest, ResourceDescribesItself) {
  const rest::Resource resource = view_.Resource();
  EXPECT_EQ(resource.descriptor.gvr().GroupResource(),
            "installedoperators.views.operators.coreos.com");
  EXPECT_THAT(resource.Verbs(), ElementsAre("get", "list", "watch"));
}

}  // namespace
}  // namespace steward::views
