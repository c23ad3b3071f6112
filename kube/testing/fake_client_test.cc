#include "kube/testing/fake_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

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
  // Returns "A5" for an object added at revision 5, M, D and B for the other types, "end", or an
  // error's message.
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

TEST_F(FakeClientTest, ListsBySelectorsInPages) {
  for (const char* name : {"a", "b", "c"}) {
    client_.Put(kWidgets, std::string(R"({"metadata":{"namespace":"n","name":")") + name +
                              R"(","labels":{"app":"x"}}})");
  }
  client_.Put(kWidgets, Widget("n", "d"));
  const struct {
    const char* labels;
    const char* fields;
    std::vector<size_t> pages;
  } rows[] = {
      {"app=x", "", {2, 1}},
      {"app in (x,y),app!=y", "", {2, 1}},
      {"!app", "", {1}},
      {"app=y", "", {0}},
      {"", "metadata.name=d", {1}},
      {"app=x", "metadata.name=d", {0}},
      {"", "metadata.name!=d", {2, 1}},
  };
  for (const auto& row : rows) {
    ListOptions options;
    options.label_selector = row.labels;
    options.field_selector = row.fields;
    options.limit = 2;
    std::vector<size_t> pages;
    do {
      ASSERT_OK_AND_ASSIGN(const ListPage page, List(options));
      pages.push_back(page.items.size());
      options.continue_token = page.continue_token;
    } while (!options.continue_token.empty());
    EXPECT_EQ(pages, row.pages) << row.labels << " " << row.fields;
  }
  ListOptions options;
  options.field_selector = "spec.x=1";
  EXPECT_TRUE(HasReason(List(options).status(), "BadRequest"));
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
                       RunOn(io_, client_.Create(kWidgets, "n", object, WriteOptions())));
  EXPECT_EQ(created.at("metadata").at("namespace"), "n");
  EXPECT_THAT(RunOn(io_, client_.Create(kWidgets, "n", object, WriteOptions())),
              StatusIs(absl::StatusCode::kAlreadyExists));
  ASSERT_OK_AND_ASSIGN(const RawObject got, RunOn(io_, client_.Get(kWidgets, {"n", "a"})));
  EXPECT_EQ(got.json, boost::json::serialize(created));

  const GroupVersionResource reviews{"r.example.com", "v1", "reviews"};
  EXPECT_THAT(RunOn(io_, client_.Create(reviews, "", object, WriteOptions())),
              StatusIs(absl::StatusCode::kNotFound));
  client_.HandleCreate(reviews,
                       [](const boost::json::value&) -> absl::StatusOr<boost::json::value> {
                         return boost::json::value{{"status", {{"allowed", true}}}};
                       });
  ASSERT_OK_AND_ASSIGN(const boost::json::value review,
                       RunOn(io_, client_.Create(reviews, "", object, WriteOptions())));
  EXPECT_TRUE(review.at("status").at("allowed").as_bool());
}

json::value Parse(const std::string& text) { return json::parse(text); }

class FakeClientWriteTest : public FakeClientTest {
 protected:
  absl::StatusOr<json::value> Update(const std::string& object, const std::string& subresource = "",
                                     bool dry_run = false) {
    WriteOptions options;
    options.subresource = subresource;
    options.dry_run = dry_run;
    const json::value value = Parse(object);
    return RunOn(io_, client_.Update(kWidgets, value, options));
  }
  absl::StatusOr<json::value> Patch(const std::string& patch, const std::string& subresource = "",
                                    PatchType type = PatchType::kJsonMerge) {
    WriteOptions options;
    options.subresource = subresource;
    const json::value value = Parse(patch);
    return RunOn(io_, client_.Patch(kWidgets, kName, type, value, options));
  }
  absl::StatusOr<json::value> Delete(const DeleteOptions& options = {}) {
    return RunOn(io_, client_.Delete(kWidgets, kName, options));
  }
  // Creates n/a again, with `finalizers`; returns its resourceVersion.
  std::string Remake(const std::string& finalizers = "[]") {
    if (client_.Objects(kWidgets).contains(kName)) client_.Delete(kWidgets, kName);
    const json::value object = Parse(R"({"metadata":{"name":"a","uid":"u","finalizers":)" +
                                     finalizers + R"(},"spec":1,"status":1})");
    const WriteOptions options;
    const auto made = RunOn(io_, client_.Create(kWidgets, "n", object, options));
    EXPECT_OK(made);
    return std::string(made->at("metadata").at("resourceVersion").as_string().c_str());
  }
  // Returns the object's remaining state: `spec status finalizers generation`, then "marked" when
  // it is being deleted; "gone" when it does not exist.
  std::string Left() {
    const auto objects = client_.Objects(kWidgets);
    const auto it = objects.find(kName);
    if (it == objects.end()) return "gone";
    const json::value object = Parse(it->second);
    const json::object& metadata = object.at("metadata").as_object();
    return json::serialize(object.at("spec")) + " " + json::serialize(object.at("status")) + " " +
           json::serialize(metadata.at("finalizers")) + " " +
           json::serialize(metadata.at("generation")) +
           (metadata.contains("deletionTimestamp") ? " marked" : "");
  }

  const NamespacedName kName{"n", "a"};
};

std::string Changed(const std::string& metadata, const std::string& rest) {
  return R"({"metadata":{"name":"a","namespace":"n","finalizers":[])" + metadata + "}," + rest +
         "}";
}

TEST_F(FakeClientWriteTest, Updates) {
  struct Row {
    const char* name;
    std::string object;
    const char* subresource;
    std::string left;
    int code;
  };
  const std::vector<Row> rows = {
      {"spec", Changed("", R"("spec":2,"status":2)"), "", "2 1 [] 2", 0},
      {"status", Changed("", R"("spec":2,"status":2)"), "status", "1 2 [] 1", 0},
      {"nothing", Changed("", R"("spec":1)"), "", "1 1 [] 1", 0},
      {"old", Changed(R"(,"resourceVersion":"1")", R"("spec":2)"), "", "1 1 [] 1", 409},
      {"another's", Changed(R"(,"uid":"v")", R"("spec":2)"), "", "1 1 [] 1", 409},
      {"missing", R"({"metadata":{"name":"b","namespace":"n"}})", "", "1 1 [] 1", 404},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Remake();
    const uint64_t before = client_.revision();
    const auto answer = Update(row.object, row.subresource);
    EXPECT_EQ(answer.ok() ? 0 : FromStatus(answer.status()).code, row.code) << answer.status();
    EXPECT_EQ(Left(), row.left);
    EXPECT_EQ(client_.revision() - before, row.left == "1 1 [] 1" ? 0u : 1u);
  }
  const std::string fresh = Changed(R"(,"resourceVersion":")" + Remake() + R"(")", R"("spec":2)");
  ASSERT_OK_AND_ASSIGN(const json::value dry, Update(fresh, "", /*dry_run=*/true));
  EXPECT_EQ(dry.at("spec"), 2);
  EXPECT_EQ(Left(), "1 1 [] 1");
  EXPECT_OK(Update(fresh));
  EXPECT_EQ(Left(), "2 1 [] 2");
}

TEST_F(FakeClientWriteTest, Patches) {
  Remake();
  ASSERT_OK(Patch(R"({"spec":{"a":1,"b":{"c":[1]}}})"));
  ASSERT_OK(Patch(R"({"spec":{"a":null,"b":{"c":[2],"d":3}},"status":5})"));
  EXPECT_EQ(Left(), R"({"b":{"c":[2],"d":3}} 1 [] 3)");
  ASSERT_OK(Patch(R"({"spec":9,"status":5})", "status"));
  EXPECT_EQ(Left(), R"({"b":{"c":[2],"d":3}} 5 [] 3)");
  EXPECT_EQ(FromStatus(Patch(R"({"metadata":{"resourceVersion":"1"}})").status()).code, 409);
  EXPECT_EQ(FromStatus(Patch(R"({"metadata":{"uid":"v"}})").status()).code, 409);
  EXPECT_EQ(FromStatus(Patch(R"({"metadata":{"name":"b"}})").status()).code, 400);
  EXPECT_EQ(FromStatus(Patch("[]", "", PatchType::kJson).status()).code, 415);
}

TEST_F(FakeClientWriteTest, DeletesUnderConditionsAndFinalizers) {
  using Propagation = DeleteOptions::Propagation;
  const std::string version = Remake();
  DeleteOptions options;
  options.uid = "v";
  EXPECT_EQ(FromStatus(Delete(options).status()).code, 409);
  options.uid = "u";
  options.resource_version = "1";
  EXPECT_EQ(FromStatus(Delete(options).status()).code, 409);
  options.resource_version = version;
  options.dry_run = true;
  EXPECT_OK(Delete(options));
  EXPECT_EQ(Left(), "1 1 [] 1");
  options.dry_run = false;
  EXPECT_OK(Delete(options));
  EXPECT_EQ(Left(), "gone");
  EXPECT_EQ(FromStatus(Delete(options).status()).code, 404);

  Remake(R"(["f/f"])");
  ASSERT_OK_AND_ASSIGN(const json::value marked, Delete());
  EXPECT_TRUE(marked.at("metadata").as_object().contains("deletionTimestamp"));
  EXPECT_EQ(Left(), R"(1 1 ["f/f"] 1 marked)");
  const uint64_t before = client_.revision();
  EXPECT_OK(Delete());
  EXPECT_EQ(client_.revision(), before);
  EXPECT_OK(Patch(R"({"metadata":{"finalizers":[]}})"));
  EXPECT_EQ(Left(), "gone");

  for (const auto& [propagation, left] :
       {std::pair{Propagation::kForeground, R"(1 1 ["foregroundDeletion"] 1 marked)"},
        std::pair{Propagation::kOrphan, R"(1 1 ["orphan"] 1 marked)"},
        std::pair{Propagation::kBackground, "gone"}}) {
    Remake();
    DeleteOptions how;
    how.propagation = propagation;
    EXPECT_OK(Delete(how));
    EXPECT_EQ(Left(), left);
  }
}

TEST_F(FakeClientTest, InitialEventsEndWithABookmark) {
  client_.Put(kWidgets, Widget("n", "a"));
  WatchOptions options;
  options.resource_version = "1";
  options.send_initial_events = true;
  ASSERT_OK_AND_ASSIGN(const auto watch, RunOn(io_, client_.StartWatch(kWidgets, options)));
  EXPECT_EQ(Next(*watch)[0], 'A');
  ASSERT_OK_AND_ASSIGN(const auto end, RunOn(io_, watch->Next()));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->type, WatchEvent::Type::kBookmark);
  EXPECT_THAT(end->object.json, ::testing::HasSubstr(R"("k8s.io/initial-events-end":"true")"));
  EXPECT_EQ(end->resource_version, std::to_string(client_.revision()));
}

TEST_F(FakeClientTest, GetOfMissingObjectIsNotFound) {
  EXPECT_THAT(RunOn(io_, client_.Get(kWidgets, {"n", "a"})), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(FakeClientTest, AnswersDiscoveryAsPublished) {
  const GroupVersion gv = kWidgets.group_version();
  EXPECT_TRUE(IsNotServed(RunOn(io_, client_.Discover(gv)).status()));
  client_.Publish(gv, {{"Widget", "widgets", true, {"get"}}});
  EXPECT_THAT(RunOn(io_, client_.Discover(gv)),
              IsOkAndHolds(ElementsAre(ApiResource{"Widget", "widgets", true, {"get"}})));
  client_.Publish(gv, {});
  EXPECT_THAT(RunOn(io_, client_.Discover(gv)), IsOkAndHolds(IsEmpty()));
  const GroupVersionResource call{gv.group, gv.version, ""};
  client_.FailNext(Verb::kDiscover, call, absl::UnavailableError("away"));
  EXPECT_EQ(RunOn(io_, client_.Discover(gv)).status(), absl::UnavailableError("away"));
  client_.Unpublish(gv);
  EXPECT_TRUE(IsNotServed(RunOn(io_, client_.Discover(gv)).status()));
  EXPECT_EQ(client_.calls(Verb::kDiscover, call), 5);
}

TEST_F(FakeClientTest, KnowsWhoActs) {
  const UserInfo alice{"alice", "", {"dev"}};
  client_.Put(kWidgets, Widget("n", "a"));
  const NamespacedName name{"n", "a"};
  EXPECT_OK(RunOn(io_, client_.Get(kWidgets, name)));
  EXPECT_EQ(client_.last_user(Verb::kGet, kWidgets), std::nullopt);
  const std::unique_ptr<Client> acting = client_.As(alice);
  EXPECT_OK(RunOn(io_, acting->Get(kWidgets, name)));
  EXPECT_EQ(client_.last_user(Verb::kGet, kWidgets), alice);
  client_.FailNext(Verb::kGet, kWidgets, absl::UnavailableError("away"));
  EXPECT_FALSE(RunOn(io_, acting->Get(kWidgets, name)).ok());
  EXPECT_OK(RunOn(io_, client_.Get(kWidgets, name)));
  EXPECT_EQ(client_.last_user(Verb::kGet, kWidgets), std::nullopt);
  EXPECT_EQ(client_.calls(Verb::kGet, kWidgets), 4);
  EXPECT_TRUE(absl::IsInvalidArgument(RunOn(io_, client_.As({""})->Get(kWidgets, name)).status()));
  EXPECT_EQ(client_.calls(Verb::kGet, kWidgets), 4);
}

TEST_F(FakeClientTest, AWatchShowsWhatItsSelectorsTake) {
  const auto put = [this](const std::string& name, const std::string& label) {
    client_.Put(kWidgets, R"({"metadata":{"namespace":"n","name":")" + name +
                              R"(","labels":{"a":")" + label + "\"}}}");
  };
  put("x", "yes");
  put("y", "no");
  WatchOptions options;
  options.label_selector = "a=yes";
  auto watch = RunOn(io_, client_.StartWatch(kWidgets, options));
  ASSERT_OK(watch);
  put("y", "no");
  put("y", "yes");
  put("y", "yes");
  put("x", "no");
  client_.Delete(kWidgets, {"n", "x"});
  client_.Delete(kWidgets, {"n", "y"});
  using Type = WatchEvent::Type;
  for (const Type want :
       {Type::kAdded, Type::kAdded, Type::kModified, Type::kDeleted, Type::kDeleted}) {
    const auto event = RunOn(io_, (*watch)->Next());
    ASSERT_OK(event);
    EXPECT_EQ((*event)->type, want);
  }
}

}  // namespace
}  // namespace steward::kube
