#include "apiserver/views/plan_preview/plan_preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/plan_preview/test_plans.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/clock/fake_clock.h"
#include "base/splice/rope.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlanPreviewsTest : public ::testing::Test {
 protected:
  PlanPreviewsTest() {
    for (const storage::Source source :
         {storage::kInstallPlanSource, storage::kDefinitionSource, storage::kPlanGroupSource}) {
      writer_.Replace(source, {}, revision_);
    }
    Put({.name = "b", .labels = R"("tier":"1")"});
    Put({.name = "a"});
    Put({.ns = "red", .name = "c"});
    Put(DefinitionOf("Reed"));
    for (const char* ns : {"ops", "red"}) PutGroup(ns, "group");
    Publish();
  }
  void Put(const TestPlan& plan) {
    writer_.Put(storage::kInstallPlanSource, PlanOf(plan), ++revision_);
  }
  void Put(const olm::DefinitionFactsPtr& definition) {
    writer_.Put(storage::kDefinitionSource, definition, ++revision_);
  }
  void PutGroup(const std::string& ns, const std::string& name) {
    writer_.Put(storage::kPlanGroupSource, GroupOf(ns, name), ++revision_);
  }
  void Publish() { worlds_.Publish(writer_.Snapshot()); }

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
    options.resource_version = worlds_.Now().number().ToString();
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
  storage::WorldWriter writer_{storage::kPlanSources};
  uint64_t revision_ = 10;
  storage::WorldStore worlds_{storage::kPlanSources};
  storage::PlanOutlooks outlooks_;
  FakeClock clock_;
  PlanPreviews view_{worlds_, outlooks_, true, clock_};
};

TEST_F(PlanPreviewsTest, ListsAndSelects) {
  EXPECT_THAT(List(Select("")), ElementsAre("ops/a", "ops/b", "red/c"));
  EXPECT_THAT(List(Select("ops")), ElementsAre("ops/a", "ops/b"));
  EXPECT_THAT(List(Select("blue")), IsEmpty());
  EXPECT_THAT(List(Select("", "tier=1")), ElementsAre("ops/b"));
  EXPECT_THAT(List(Select("", "", "metadata.name=c")), ElementsAre("red/c"));
}

// Clients keep resource versions across server updates, so the meaning of a number must never
// change.
TEST_F(PlanPreviewsTest, NumbersAreWhatTheyAlwaysWere) {
  ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, view_.reads().List(Select(""), {})));
  EXPECT_EQ(reading.resource_version, "17009999999599999969999998");
}

TEST_F(PlanPreviewsTest, Get) {
  EXPECT_THAT(JsonOf("ops", "a"), HasSubstr(R"("outcome":"NotCreated","reason":"ApiAbsent")"));
  const auto missing = RunOn(io_, view_.reads().Get({"blue", "a"}, {}));
  EXPECT_EQ(kube::FromStatus(missing.status()).code, 404);
  EXPECT_EQ(kube::FromStatus(missing.status()).message,
            "planpreviews.views.operators.coreos.com \"a\" not found");
}

TEST_F(PlanPreviewsTest, TheGateIsThatOfWhoeverExecutesPlans) {
  PlanPreviews off(worlds_, outlooks_, false, clock_);
  ASSERT_OK_AND_ASSIGN(rest::Reading reading, RunOn(io_, off.reads().Get({"ops", "a"}, {})));
  Rope json;
  reading.cursor->Next()->AppendJson("1", json);
  EXPECT_THAT(json.Flatten(), HasSubstr(R"("outcome":"Fail","reason":"ApiAbsent")"));
}

TEST_F(PlanPreviewsTest, Pages) {
  rest::ReadOptions options;
  options.limit = 2;
  ASSERT_OK_AND_ASSIGN(rest::Reading first, RunOn(io_, view_.reads().List(Select(""), options)));
  EXPECT_THAT(Names(first), ElementsAre("ops/a", "ops/b"));
  EXPECT_EQ(first.remaining_item_count, 1);
  Put({.ns = "red", .name = "d"});
  Publish();
  options.continue_token = first.continue_token;
  ASSERT_OK_AND_ASSIGN(rest::Reading second, RunOn(io_, view_.reads().List(Select(""), options)));
  EXPECT_THAT(Names(second), ElementsAre("red/c")) << "of the list that was begun";
  EXPECT_EQ(second.continue_token, "");
}

TEST_F(PlanPreviewsTest, ComingsAndGoings) {
  const auto stream = Watch(Select("ops"));
  Put({.name = "a", .uid = "another"});
  Publish();
  EXPECT_THAT(Next(*stream, 3), ElementsAre("DELETED ops/a", "ADDED ops/a", "BOOKMARK"));
  Put({.name = "a", .uid = "another", .phase = "Complete", .status = "Created"});
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("MODIFIED ops/a", "BOOKMARK"));
  writer_.Remove(storage::kInstallPlanSource, {"ops", "b"}, ++revision_);
  Publish();
  EXPECT_THAT(Next(*stream, 2), ElementsAre("DELETED ops/b", "BOOKMARK"));
}

TEST_F(PlanPreviewsTest, ApisThatComeAndGoShow) {
  const auto stream = Watch(Select("ops"));
  Put(DefinitionOf("ServiceMonitor", false));
  Publish();
  Put(DefinitionOf("ServiceMonitor"));
  Publish();
  EXPECT_THAT(Next(*stream, 3), ElementsAre("MODIFIED ops/a", "MODIFIED ops/b", "BOOKMARK"));
  EXPECT_THAT(JsonOf("ops", "a"), HasSubstr(R"("create":2)"));
}

class NoAnswers : public rest::Reviewer {
 public:
  Task<rest::ReviewAnswer> Review(const kube::UserInfo&, rest::ReviewRequest) override {
    co_return absl::UnimplementedError("nobody answers");
  }
};

TEST_F(PlanPreviewsTest, IsDescribed) {
  NoAnswers creation;
  const rest::Resource resource = view_.Resource(creation);
  EXPECT_EQ(resource.descriptor.plural, "planpreviews");
  EXPECT_THAT(resource.descriptor.short_names, ElementsAre("ppv"));
  EXPECT_THAT(resource.Verbs(), ElementsAre("create", "get", "list", "watch"));
  EXPECT_EQ(resource.max_create_bytes, size_t{3} << 20);
  EXPECT_TRUE(resource.pages);
}

}  // namespace
}  // namespace steward::views
