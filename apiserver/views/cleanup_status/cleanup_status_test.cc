#include "apiserver/views/cleanup_status/cleanup_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/testing/test_world.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"
#include "storage/cleanup/outlooks.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string CsvJson(const std::string& ns, const std::string& name, const std::string& uid = "",
                    const std::string& labels = "", const std::string& status = "") {
  return StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"(","uid":")",
                uid.empty() ? StrCat(ns, name) : uid,
                R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{)", labels,
                R"(},"finalizers":["operatorframework.io/delete-custom-resources"]},"spec":)",
                R"({"cleanup":{"enabled":true},"customresourcedefinitions":{"owned":[{"name":")",
                name, R"(.example.com","kind":"K"}]}},"status":{"phase":"Succeeded")", status,
                "}}");
}

class CleanupStatusesTest : public ::testing::Test {
 protected:
  CleanupStatusesTest() {
    world_.Namespace("blue").Namespace("ops").Namespace("red");
    world_.GroupJson(
        R"({"metadata":{"name":"g","namespace":"ops","uid":"g"},"status":{"namespaces":[""]}})");
    world_.CsvJson(CsvJson("ops", "b", "", R"("tier":"1")"))
        .CsvJson(CsvJson("ops", "a"))
        .CsvJson(CsvJson("red", "c"));
    Publish();
  }
  void Publish() { worlds_.Publish(world_.Snapshot()); }
  std::string Now() { return worlds_.Now().number().ToString(); }

  static rest::Selection Select(const std::string& ns, const char* labels = "",
                                const char* fields = "") {
    rest::Selection selection;
    selection.ns = ns;
    selection.labels = *kube::LabelSelector::Parse(labels);
    selection.fields = *kube::FieldSelector::Parse(fields);
    return selection;
  }
  std::vector<std::string> Names(rest::Reading& reading) {
    std::vector<std::string> names;
    do {
      while (const rest::Object* object = reading.cursor->Next()) {
        names.push_back(StrCat(object->ns(), "/", object->name()));
      }
    } while (*RunOn(io_, reading.cursor->More()));
    return names;
  }
  std::vector<std::string> List(const rest::Selection& selection) {
    absl::StatusOr<rest::Reading> reading = RunOn(io_, view_.reads().List(selection, {}));
    EXPECT_OK(reading);
    return reading.ok() ? Names(*reading) : std::vector<std::string>{};
  }
  std::unique_ptr<rest::EventStream> Watch(const rest::Selection& selection) {
    rest::WatchOptions options;
    options.resource_version = Now();
    options.bookmarks = true;
    options.timeout = absl::Minutes(1);
    auto stream = RunOn(io_, view_.reads().Watch(selection, options));
    EXPECT_OK(stream);
    return stream.ok() ? *std::move(stream) : nullptr;
  }
  std::vector<std::string> Next(rest::EventStream& stream, int count) {
    std::vector<std::string> seen;
    for (int i = 0; i < count; ++i) {
      const auto event = RunOn(io_, stream.Next());
      EXPECT_OK(event);
      const char* const types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
      seen.push_back(types[static_cast<int>((*event)->type)]);
      if (const rest::Object* object = (*event)->object) {
        StrAppend(&seen.back(), " ", object->ns(), "/", object->name());
      }
    }
    return seen;
  }
  std::string JsonOf(const std::string& ns, const std::string& name) {
    absl::StatusOr<rest::Reading> reading = RunOn(io_, view_.reads().Get({ns, name}, {}));
    EXPECT_OK(reading);
    Rope json;
    if (reading.ok()) reading->cursor->Next()->AppendJson("1", json);
    return json.Flatten();
  }

  boost::asio::io_context io_{1};
  TestWorld world_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::CleanupOutlooks outlooks_;
  FakeClock clock_;
  CleanupStatuses view_{worlds_, outlooks_, clock_};
};

TEST_F(CleanupStatusesTest, ListsAndSelects) {
  EXPECT_THAT(List(Select("")), ElementsAre("ops/a", "ops/b", "red/c"));
  EXPECT_THAT(List(Select("ops")), ElementsAre("ops/a", "ops/b"));
  EXPECT_THAT(List(Select("blue")), IsEmpty());
  EXPECT_THAT(List(Select("", "tier=1")), ElementsAre("ops/b"));
  EXPECT_THAT(List(Select("", "", "metadata.name=c")), ElementsAre("red/c"));
  EXPECT_THAT(List(Select("", "", "metadata.namespace=ops,metadata.name!=a")),
              ElementsAre("ops/b"));
  EXPECT_THAT(List(Select("red", "", "metadata.namespace=ops")), IsEmpty());
}

// Clients hold numbers across updates of the server, so the meaning of a number must never change.
TEST_F(CleanupStatusesTest, NumbersAreWhatTheyAlwaysWere) {
  ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, view_.reads().List(Select(""), {})));
  EXPECT_EQ(reading.resource_version, "18009999999899999959999994");
}

TEST_F(CleanupStatusesTest, Get) {
  EXPECT_THAT(JsonOf("ops", "a"), HasSubstr(R"("phase":"Ready")"));
  EXPECT_THAT(JsonOf("red", "c"), HasSubstr(R"("reason":"OperatorGroupGone")"));
  const auto missing = RunOn(io_, view_.reads().Get({"blue", "a"}, {}));
  EXPECT_EQ(kube::FromStatus(missing.status()).code, 404);
  EXPECT_EQ(kube::FromStatus(missing.status()).message,
            "cleanupstatuses.views.operators.coreos.com \"a\" not found");
}

TEST_F(CleanupStatusesTest, Pages) {
  rest::ReadOptions options;
  options.limit = 2;
  ASSERT_OK_AND_ASSIGN(rest::Reading first, RunOn(io_, view_.reads().List(Select(""), options)));
  EXPECT_THAT(Names(first), ElementsAre("ops/a", "ops/b"));
  EXPECT_EQ(first.remaining_item_count, 1);
  world_.CsvJson(CsvJson("red", "d"));
  Publish();
  options.continue_token = first.continue_token;
  ASSERT_OK_AND_ASSIGN(rest::Reading second, RunOn(io_, view_.reads().List(Select(""), options)));
  EXPECT_THAT(Names(second), ElementsAre("red/c")) << "of the list that was begun";
  EXPECT_EQ(second.continue_token, "");
}

TEST_F(CleanupStatusesTest, WhatChangesElsewhereShows) {
  const auto stream = Watch(Select("ops"));
  world_.CsvJson(CsvJson("blue", "a"));  // another owner of the definition that ops/a owns
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("MODIFIED ops/a", "BOOKMARK"));
  EXPECT_THAT(JsonOf("ops", "a"), HasSubstr(R"("objectsElsewhere":1,"reason":"SharedOwner")"));
  EXPECT_THAT(JsonOf("ops", "a"), Not(HasSubstr("blue")));
  world_.writer().Remove(storage::kCsvSource, {"blue", "a"}, 100);
  world_.writer().Remove(storage::kOperatorGroupSource, {"ops", "g"}, 101);
  Publish();
  EXPECT_THAT(Next(*stream, 3), ElementsAre("MODIFIED ops/a", "MODIFIED ops/b", "BOOKMARK"));
}

TEST_F(CleanupStatusesTest, ComingsAndGoings) {
  const auto stream = Watch(Select("ops"));
  world_.CsvJson(CsvJson("ops", "a", "another"));
  Publish();
  EXPECT_THAT(Next(*stream, 3), ElementsAre("DELETED ops/a", "ADDED ops/a", "BOOKMARK"));
  world_.writer().Remove(storage::kCsvSource, {"ops", "b"}, 100);
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("DELETED ops/b", "BOOKMARK"));
}

TEST_F(CleanupStatusesTest, WhatDoesNotShowIsNotTold) {
  const auto stream = Watch(Select("ops"));
  world_.Namespace("more");
  world_.CsvJson(CsvJson("ops", "a", "", "", R"(,"message":"another")"));
  Publish();
  world_.CsvJson(CsvJson("ops", "b"));
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("MODIFIED ops/b", "BOOKMARK"));
}

TEST_F(CleanupStatusesTest, IsDescribed) {
  const rest::Resource resource = view_.Resource();
  EXPECT_EQ(resource.descriptor.plural, "cleanupstatuses");
  EXPECT_THAT(resource.descriptor.short_names, ElementsAre("cus"));
  EXPECT_THAT(resource.Verbs(), ElementsAre("get", "list", "watch"));
  EXPECT_TRUE(resource.pages);
  EXPECT_THAT(resource.subresources, IsEmpty());
}

}  // namespace
}  // namespace steward::views
