#include "kube/testing/fake_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Verb = FakeClient::Verb;

const GroupVersionResource kWidgets{"example.com", "v1", "widgets"};

std::string Widget(const std::string& ns, const std::string& name) {
  return R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name + R"("}})";
}

class FakeClientTest : public ::testing::Test {
 protected:
  FakeClientTest() { client_.Serve(kWidgets); }

  absl::StatusOr<ListPage> List(ListOptions options = {}) {
    return RunOn(io_, client_.List(kWidgets, options));
  }
  std::unique_ptr<Watch> StartWatch(uint64_t revision) {
    WatchOptions options;
    options.resource_version = std::to_string(revision);
    auto watch = RunOn(io_, client_.StartWatch(kWidgets, options));
    return watch.ok() ? *std::move(watch) : nullptr;
  }
  // "A5" = added at 5; M, D, B for the others; "end"; or an error's message.
  std::string Next(Watch& watch) {
    const auto event = RunOn(io_, watch.Next());
    if (!event.ok()) return std::string(event.status().message());
    if (!*event) return "end";
    return std::string(1, "AMDB"[static_cast<int>((*event)->type)]) + (*event)->resource_version;
  }

  boost::asio::io_context io_;
  FakeClient client_;
};

TEST_F(FakeClientTest, PagesAreOfOneRevision) {
  for (const char* name : {"a", "b", "c"}) client_.Put(kWidgets, Widget("n", name));
  ListOptions options;
  options.limit = 2;
  ASSERT_OK_AND_ASSIGN(const ListPage first, List(options));
  EXPECT_EQ(first.items.size(), 2u);
  client_.Delete(kWidgets, {"n", "c"});
  options.continue_token = first.continue_token;
  ASSERT_OK_AND_ASSIGN(const ListPage second, List(options));
  EXPECT_EQ(second.items.size(), 1u);
  EXPECT_EQ(second.resource_version, first.resource_version);
  EXPECT_EQ(second.continue_token, "");

  client_.Expire(kWidgets);
  EXPECT_TRUE(HasReason(List(options).status(), "Expired"));
}

TEST_F(FakeClientTest, ListsByNamespace) {
  client_.Put(kWidgets, Widget("n", "a"));
  client_.Put(kWidgets, Widget("m", "a"));
  ListOptions options;
  options.ns = "m";
  ASSERT_OK_AND_ASSIGN(const ListPage page, List(options));
  ASSERT_EQ(page.items.size(), 1u);
  EXPECT_THAT(page.items[0].json, ::testing::HasSubstr(R"("namespace":"m")"));
}

TEST_F(FakeClientTest, WatchTellsChangesInOrder) {
  const uint64_t start = client_.revision();
  client_.Put(kWidgets, Widget("n", "a"));
  const auto watch = StartWatch(start);
  ASSERT_NE(watch, nullptr);
  client_.Put(kWidgets, Widget("n", "a"));
  client_.Touch();
  client_.Delete(kWidgets, {"n", "a"});
  client_.Bookmark(kWidgets);
  client_.CloseWatches(kWidgets);
  std::vector<std::string> events;
  while (events.empty() || events.back() != "end") events.push_back(Next(*watch));
  const auto at = [start](char type, int n) { return type + std::to_string(start + n); };
  EXPECT_THAT(events, ElementsAre(at('A', 1), at('M', 2), at('D', 4), at('B', 4), "end"));
  EXPECT_EQ(Next(*watch), "end");
  EXPECT_EQ(client_.running_watches(kWidgets), 0u);
}

TEST_F(FakeClientTest, WatchWithoutRevisionBeginsWithWhatIsThere) {
  client_.Put(kWidgets, Widget("n", "a"));
  const auto watch = StartWatch(0);
  ASSERT_NE(watch, nullptr);
  EXPECT_EQ(Next(*watch)[0], 'A');
}

TEST_F(FakeClientTest, ForgottenRevisionsAreExpired) {
  const uint64_t start = client_.revision();
  client_.Put(kWidgets, Widget("n", "a"));
  const auto running = StartWatch(start);
  client_.Expire(kWidgets);
  WatchOptions options;
  options.resource_version = std::to_string(start);
  const auto watch = RunOn(io_, client_.StartWatch(kWidgets, options));
  EXPECT_TRUE(HasReason(watch.status(), "Expired"));
  EXPECT_EQ(Next(*running), "A" + std::to_string(start + 1));
}

TEST_F(FakeClientTest, FaultsAreUsedUpInOrder) {
  client_.FailNext(Verb::kList, kWidgets, absl::UnavailableError("one"));
  client_.FailNext(Verb::kList, kWidgets, absl::UnavailableError("two"), 2);
  std::vector<std::string> messages;
  for (int i = 0; i < 4; ++i) messages.push_back(std::string(List().status().message()));
  EXPECT_THAT(messages, ElementsAre("one", "two", "two", ""));
  EXPECT_EQ(client_.calls(Verb::kList, kWidgets), 4);
}

TEST_F(FakeClientTest, BrokenWatchFailsAfterItsEvents) {
  const uint64_t start = client_.revision();
  const auto watch = StartWatch(start);
  client_.Put(kWidgets, Widget("n", "a"));
  client_.BreakWatches(kWidgets, absl::UnavailableError("reset"));
  EXPECT_EQ(Next(*watch), "A" + std::to_string(start + 1));
  EXPECT_EQ(Next(*watch), "reset");
  EXPECT_EQ(Next(*watch), "end");
}

TEST_F(FakeClientTest, WithdrawnTypesAreNotFound) {
  const auto watch = StartWatch(client_.revision());
  client_.Put(kWidgets, Widget("n", "a"));
  client_.Withdraw(kWidgets);
  EXPECT_THAT(List(), StatusIs(absl::StatusCode::kNotFound));
  client_.Serve(kWidgets);
  ASSERT_OK_AND_ASSIGN(const ListPage page, List());
  EXPECT_THAT(page.items, IsEmpty());
}

VoidTask ListInto(FakeClient& client, std::optional<size_t>& items) {
  const ListOptions options;
  const auto page = co_await client.List(kWidgets, options);
  items = page.ok() ? page->items.size() : 999;
}

TEST_F(FakeClientTest, HeldCallsWaitAndCanBeCancelled) {
  std::optional<size_t> held;
  std::optional<size_t> cancelled;
  client_.Hold(Verb::kList, kWidgets);
  TaskGroup to_cancel(io_.get_executor());
  TaskGroup group(io_.get_executor());
  to_cancel.Spawn("cancelled", ListInto(client_, cancelled));
  group.Spawn("held", ListInto(client_, held));
  io_.restart();
  io_.poll();
  EXPECT_FALSE(held);
  RunOn(io_, to_cancel.Stop());
  client_.Put(kWidgets, Widget("n", "a"));
  client_.Release(Verb::kList, kWidgets);
  io_.restart();
  io_.poll();
  EXPECT_EQ(held, 1u);
  EXPECT_FALSE(cancelled);
  RunOn(io_, group.Stop());
}

TEST_F(FakeClientTest, CreateStoresOrAsksTheHandler) {
  const boost::json::value object = {{"metadata", {{"name", "a"}}}};
  ASSERT_OK_AND_ASSIGN(const boost::json::value created,
                       RunOn(io_, client_.Create(kWidgets, "n", object)));
  EXPECT_EQ(created.at("metadata").at("namespace"), "n");
  EXPECT_THAT(RunOn(io_, client_.Create(kWidgets, "n", object)),
              StatusIs(absl::StatusCode::kAlreadyExists));
  ASSERT_OK_AND_ASSIGN(const RawObject got, RunOn(io_, client_.Get(kWidgets, {"n", "a"})));
  EXPECT_EQ(got.json, boost::json::serialize(created));

  const GroupVersionResource reviews{"r.example.com", "v1", "reviews"};
  EXPECT_THAT(RunOn(io_, client_.Create(reviews, "", object)),
              StatusIs(absl::StatusCode::kNotFound));
  client_.HandleCreate(reviews,
                       [](const boost::json::value&) -> absl::StatusOr<boost::json::value> {
                         return boost::json::value{{"status", {{"allowed", true}}}};
                       });
  ASSERT_OK_AND_ASSIGN(const boost::json::value review,
                       RunOn(io_, client_.Create(reviews, "", object)));
  EXPECT_TRUE(review.at("status").at("allowed").as_bool());
}

TEST_F(FakeClientTest, GetOfMissingObjectIsNotFound) {
  EXPECT_THAT(RunOn(io_, client_.Get(kWidgets, {"n", "a"})), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward::kube
