#include "kube/testing/hook_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fake_client.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const GroupVersionResource kWidgets{"example.com", "v1", "widgets"};
const GroupVersionResource kGadgets{"example.com", "v1", "gadgets"};

std::string Widget(const std::string& name, const std::string& more = "") {
  return R"({"metadata":{"namespace":"n","name":")" + name + R"(")" + more + "}}";
}

class HookClientTest : public ::testing::Test {
 protected:
  HookClientTest() {
    cluster_.Serve(kWidgets);
    cluster_.Serve(kGadgets);
  }
  ~HookClientTest() override { RunOn(io_, tasks_.Stop()); }

  absl::StatusOr<RawObject> Get(const std::string& name) {
    const NamespacedName full{"n", name};
    return RunOn(io_, client_.Get(kWidgets, full));
  }
  // Returns the names of the listed objects, each with a space, or the error's message.
  std::string List(const ListOptions& options = {}) {
    const auto page = RunOn(io_, client_.List(kWidgets, options));
    if (!page.ok()) return std::string(page.status().message());
    std::string names;
    for (const RawObject& object : page->items) {
      const size_t at = object.json.find(R"("name":")") + 8;
      names += std::string(object.json.substr(at, object.json.find('"', at) - at)) + " ";
    }
    return names;
  }
  std::unique_ptr<Watch> StartWatch() {
    WatchOptions options;
    options.resource_version = std::to_string(cluster_.revision());
    auto watch = RunOn(io_, client_.StartWatch(kWidgets, options));
    return watch.ok() ? *std::move(watch) : nullptr;
  }
  // Returns the letter of an event's type, "end", or an error's message.
  static std::string Show(const absl::StatusOr<std::optional<WatchEvent>>& event) {
    if (!event.ok()) return std::string(event.status().message());
    if (!*event) return "end";
    return std::string(1, "AMDB"[static_cast<int>((*event)->type)]);
  }
  std::string Next(Watch& watch) { return Show(RunOn(io_, watch.Next())); }
  std::string Next(Watch& watch, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += Next(watch);
    return all;
  }
  static VoidTask NextInto(Watch& watch, std::string& out) { out = Show(co_await watch.Next()); }
  static VoidTask ListInto(HookClient& client, std::string& out) {
    const ListOptions options;
    const absl::StatusOr<ListPage> page = co_await client.List(kWidgets, options);
    out = page.ok() ? "listed" : std::string(page.status().message());
  }
  void Poll() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_;
  FakeClock clock_;
  FakeClient cluster_;
  HookClient client_{cluster_, clock_};
  TaskGroup tasks_{io_.get_executor()};
};

struct VerbRow {
  const char* name;
  ClientVerb verb;
  const char* object;  // the object's name in the call
  std::function<absl::Status(Client&, boost::asio::io_context&)> call;
  FakeClient::Verb inner;
  bool changes;  // true: the call changes the cluster
};

std::vector<VerbRow> Verbs() {
  static const NamespacedName kA{"n", "a"};
  static const json::value kObject = {{"metadata", {{"name", "a"}, {"namespace", "n"}}},
                                      {"spec", 1}};
  static const json::value kNew = {{"metadata", {{"name", "b"}}}};
  static const std::string kNs = "n";
  static const WriteOptions kWrite;
  static const DeleteOptions kDelete;
  static const ListOptions kList;
  static const WatchOptions kWatch;
  using Io = boost::asio::io_context;
  return {
      {"get", ClientVerb::kGet, "a",
       [](Client& c, Io& io) { return RunOn(io, c.Get(kWidgets, kA)).status(); },
       FakeClient::Verb::kGet, false},
      {"list", ClientVerb::kList, "",
       [](Client& c, Io& io) { return RunOn(io, c.List(kWidgets, kList)).status(); },
       FakeClient::Verb::kList, false},
      {"watch", ClientVerb::kWatch, "",
       [](Client& c, Io& io) { return RunOn(io, c.StartWatch(kWidgets, kWatch)).status(); },
       FakeClient::Verb::kWatch, false},
      {"create", ClientVerb::kCreate, "b",
       [](Client& c, Io& io) { return RunOn(io, c.Create(kWidgets, kNs, kNew, kWrite)).status(); },
       FakeClient::Verb::kCreate, true},
      {"update", ClientVerb::kUpdate, "a",
       [](Client& c, Io& io) { return RunOn(io, c.Update(kWidgets, kObject, kWrite)).status(); },
       FakeClient::Verb::kUpdate, true},
      {"patch", ClientVerb::kPatch, "a",
       [](Client& c, Io& io) {
         return RunOn(io, c.Patch(kWidgets, kA, PatchType::kJsonMerge, kObject, kWrite)).status();
       },
       FakeClient::Verb::kPatch, true},
      {"delete", ClientVerb::kDelete, "a",
       [](Client& c, Io& io) { return RunOn(io, c.Delete(kWidgets, kA, kDelete)).status(); },
       FakeClient::Verb::kDelete, true},
  };
}

TEST_F(HookClientTest, EachVerbCanFail) {
  const auto failed = StatusIs(absl::StatusCode::kAborted);
  for (const VerbRow& row : Verbs()) {
    SCOPED_TRACE(row.name);
    cluster_.Put(kWidgets, Widget("a"));
    const uint64_t before = cluster_.revision();
    client_.FailNext({row.verb, kGadgets}, absl::InternalError("another resource"));
    client_.FailNext({row.verb, kWidgets, "z"}, absl::InternalError("another name"));
    client_.FailNext({row.verb, kWidgets}, absl::OkStatus());
    client_.FailNext({row.verb, kWidgets, row.object}, absl::AbortedError("no"));
    client_.FailNext({row.verb, kWidgets}, absl::AbortedError("no"));
    const int asked = cluster_.calls(row.inner, kWidgets);
    EXPECT_OK(row.call(client_, io_));
    EXPECT_THAT(row.call(client_, io_), failed);
    EXPECT_THAT(row.call(client_, io_), failed);
    EXPECT_EQ(cluster_.calls(row.inner, kWidgets), asked + 1);
    EXPECT_EQ(client_.calls({row.verb, kWidgets, row.object}), 3);
    EXPECT_EQ(client_.calls({row.verb, kWidgets, "z"}), 0);
    EXPECT_EQ(cluster_.revision() - before, row.changes ? 1u : 0u);
    client_.ForgetFaults(kWidgets);
  }
}

TEST_F(HookClientTest, EachVerbCanLoseItsAnswer) {
  for (const VerbRow& row : Verbs()) {
    SCOPED_TRACE(row.name);
    cluster_.Put(kWidgets, Widget("a"));
    if (cluster_.Objects(kWidgets).contains({"n", "b"})) cluster_.Delete(kWidgets, {"n", "b"});
    const uint64_t before = cluster_.revision();
    client_.LoseNext({row.verb, kWidgets});
    EXPECT_THAT(row.call(client_, io_), StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_EQ(cluster_.calls(row.inner, kWidgets), 1);
    EXPECT_EQ(cluster_.revision() - before, row.changes ? 1u : 0u);
    EXPECT_EQ(cluster_.running_watches(kWidgets), 0u);
  }
}

TEST_F(HookClientTest, OutcomesAreUsedUpInOrder) {
  const Calls gets{ClientVerb::kGet, kWidgets};
  client_.FailNext(gets, absl::AbortedError("one"));
  client_.FailNext(gets, absl::OkStatus());
  client_.FailNext({ClientVerb::kGet, kWidgets, "a"}, absl::AbortedError("two"), 2);
  client_.LoseNext(gets);
  client_.FailNext(gets, absl::AbortedError("forgotten"));
  cluster_.Put(kWidgets, Widget("a"));
  cluster_.Put(kWidgets, Widget("b"));
  std::vector<std::string> messages;
  for (const char* name : {"a", "a", "a", "b", "a"}) {
    messages.push_back(std::string(Get(name).status().message()));
  }
  EXPECT_THAT(messages, ElementsAre("one", "", "two", "the answer was lost", "two"));
  client_.ForgetFaults(kWidgets);
  EXPECT_OK(Get("a"));
  EXPECT_EQ(client_.calls(gets), 6);
  EXPECT_EQ(client_.calls({ClientVerb::kGet, kWidgets, "b"}), 1);
}

TEST_F(HookClientTest, HeldCallsWaitUntilReleased) {
  const Calls lists{ClientVerb::kList, kWidgets};
  client_.Hold(lists);
  client_.FailNext(lists, absl::AbortedError("after the wait"));
  std::string first;
  std::string second;
  tasks_.Spawn("first", ListInto(client_, first));
  tasks_.Spawn("second", ListInto(client_, second));
  Poll();
  EXPECT_EQ(first + second, "");
  EXPECT_EQ(client_.calls(lists), 2);
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kList, kWidgets), 0);
  client_.Release(lists);
  Poll();
  EXPECT_EQ(first, "after the wait");
  EXPECT_EQ(second, "listed");
  EXPECT_EQ(List(), "");

  client_.Hold(lists);
  std::string third;
  tasks_.Spawn("third", ListInto(client_, third));
  Poll();
  EXPECT_EQ(third, "");
  client_.ForgetFaults(kWidgets);
  Poll();
  EXPECT_EQ(third, "listed");
}

TEST_F(HookClientTest, DelayedCallsWaitForTheClock) {
  client_.DelayNext({ClientVerb::kList, kWidgets}, absl::Seconds(5));
  std::string slow;
  tasks_.Spawn("slow", ListInto(client_, slow));
  Poll();
  EXPECT_EQ(List(), "");  // only the next one was delayed
  clock_.Advance(absl::Seconds(5) - absl::Milliseconds(1));
  Poll();
  EXPECT_EQ(slow, "");
  clock_.Advance(absl::Milliseconds(1));
  Poll();
  EXPECT_EQ(slow, "listed");
}

TEST_F(HookClientTest, FrozenReadsAreOfThePast) {
  cluster_.Put(kWidgets, Widget("a", R"(,"labels":{"l":"1"})"));
  cluster_.Put(kWidgets, Widget("b"));
  cluster_.Put(kWidgets, R"({"metadata":{"namespace":"m","name":"c"}})");
  const uint64_t frozen_at = cluster_.revision();
  ASSERT_OK(RunOn(io_, client_.Freeze(kWidgets)));
  ASSERT_OK_AND_ASSIGN(const RawObject before, Get("b"));
  cluster_.Put(kWidgets, Widget("b", R"(,"labels":{"l":"1"})"));
  cluster_.Put(kWidgets, Widget("d"));
  cluster_.Delete(kWidgets, {"n", "a"});

  EXPECT_EQ(List(), "c a b ");
  ListOptions options;
  options.label_selector = "l=1";
  EXPECT_EQ(List(options), "a ");
  options = ListOptions();
  options.field_selector = "metadata.name=c";
  EXPECT_EQ(List(options), "c ");
  options = ListOptions();
  options.ns = "n";
  EXPECT_EQ(List(options), "a b ");
  ASSERT_OK_AND_ASSIGN(const ListPage page, RunOn(io_, client_.List(kWidgets, options)));
  EXPECT_EQ(page.resource_version, std::to_string(frozen_at));
  EXPECT_OK(Get("a"));
  EXPECT_THAT(Get("d"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK_AND_ASSIGN(const RawObject after, Get("b"));
  EXPECT_EQ(after.json, before.json);

  // A watch from the stale list's version delivers the changes that the list missed.
  WatchOptions watch_options;
  watch_options.resource_version = page.resource_version;
  ASSERT_OK_AND_ASSIGN(const auto watch, RunOn(io_, client_.StartWatch(kWidgets, watch_options)));
  EXPECT_EQ(Next(*watch, 3), "MAD");

  client_.Thaw(kWidgets);
  EXPECT_EQ(List(), "c b d ");
}

TEST_F(HookClientTest, ExpiryMeetsOneContinuationAndOneWatch) {
  for (const char* name : {"a", "b", "c"}) cluster_.Put(kWidgets, Widget(name));
  ListOptions options;
  options.limit = 1;
  ASSERT_OK_AND_ASSIGN(const ListPage page, RunOn(io_, client_.List(kWidgets, options)));
  client_.Expire(kWidgets);
  EXPECT_EQ(List(options), "a ");
  options.continue_token = page.continue_token;
  EXPECT_THAT(List(options), HasSubstr("continue parameter is too old"));
  EXPECT_EQ(List(options), "b ");

  WatchOptions from_now;
  EXPECT_OK(RunOn(io_, client_.StartWatch(kWidgets, from_now)));
  WatchOptions from_then;
  from_then.resource_version = page.resource_version;
  const auto expired = RunOn(io_, client_.StartWatch(kWidgets, from_then));
  EXPECT_TRUE(HasReason(expired.status(), "Expired")) << expired.status();
  EXPECT_OK(RunOn(io_, client_.StartWatch(kWidgets, from_then)));
}

TEST_F(HookClientTest, WatchesEndOnCommand) {
  struct Row {
    const char* name;
    std::function<void(HookClient&)> command;
    std::string next;
  };
  const absl::Status gone = ToStatus(Expired("too old"));
  const std::vector<Row> rows = {
      {"broken", [](HookClient& c) { c.BreakWatches(kWidgets); }, "connection reset"},
      {"expired", [&](HookClient& c) { c.BreakWatches(kWidgets, gone); }, "too old"},
      {"closed", [](HookClient& c) { c.CloseWatches(kWidgets); }, "end"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto waiting = StartWatch();
    const auto idle = StartWatch();
    ASSERT_TRUE(waiting && idle);
    std::string next;
    tasks_.Spawn("next", NextInto(*waiting, next));
    Poll();
    EXPECT_EQ(next, "");
    EXPECT_EQ(client_.running_watches(kWidgets), 2u);
    client_.CloseWatches(kGadgets);
    row.command(client_);
    Poll();
    EXPECT_EQ(next, row.next);
    EXPECT_EQ(Next(*waiting), "end");
    EXPECT_EQ(Next(*idle), row.next);
    EXPECT_EQ(Next(*idle), "end");
    EXPECT_EQ(client_.running_watches(kWidgets), 0u);
    EXPECT_EQ(cluster_.running_watches(kWidgets), 0u);
  }
}

TEST_F(HookClientTest, WatchesPassOnWhatComes) {
  const auto watch = StartWatch();
  ASSERT_TRUE(watch);
  cluster_.Put(kWidgets, Widget("a"));
  cluster_.Put(kWidgets, Widget("a"));
  EXPECT_EQ(Next(*watch, 2), "AM");
  std::string next;
  tasks_.Spawn("next", NextInto(*watch, next));
  Poll();
  cluster_.Delete(kWidgets, {"n", "a"});
  Poll();
  EXPECT_EQ(next, "D");
  cluster_.BreakWatches(kWidgets, absl::AbortedError("by the server"));
  EXPECT_EQ(Next(*watch), "by the server");
  EXPECT_EQ(Next(*watch), "end");
}

TEST_F(HookClientTest, CancelledNextEndsTheWatch) {
  const auto watch = StartWatch();
  ASSERT_TRUE(watch);
  std::string next;
  TaskGroup to_cancel(io_.get_executor());
  to_cancel.Spawn("next", NextInto(*watch, next));
  Poll();
  RunOn(io_, to_cancel.Stop());
  EXPECT_EQ(next, "");
  EXPECT_EQ(Next(*watch), "end");
}

TEST_F(HookClientTest, WhoActsMeetsTheSameFaults) {
  cluster_.Put(kWidgets, Widget("a"));
  const std::unique_ptr<Client> alice = client_.As({"alice"});
  const NamespacedName name{"n", "a"};
  client_.FailNext({ClientVerb::kGet, kWidgets}, absl::AbortedError("first"));
  client_.FailNext({ClientVerb::kGet, kWidgets, "", "alice"}, absl::AbortedError("hers"));
  EXPECT_EQ(RunOn(io_, alice->Get(kWidgets, name)).status(), absl::AbortedError("first"));
  EXPECT_OK(Get("a"));
  EXPECT_EQ(client_.last_user({ClientVerb::kGet, kWidgets}), std::nullopt);
  EXPECT_EQ(RunOn(io_, alice->Get(kWidgets, name)).status(), absl::AbortedError("hers"));
  EXPECT_OK(RunOn(io_, alice->Get(kWidgets, name)));
  EXPECT_EQ(client_.last_user({ClientVerb::kGet, kWidgets}), UserInfo{"alice"});
  EXPECT_EQ(cluster_.last_user(ClientVerb::kGet, kWidgets), UserInfo{"alice"});
  EXPECT_EQ(client_.calls({ClientVerb::kGet, kWidgets}), 4);
  EXPECT_EQ(client_.calls({ClientVerb::kGet, kWidgets, "", "alice"}), 3);
}

TEST_F(HookClientTest, DiscoveryFailsAsScripted) {
  const GroupVersion gv = kWidgets.group_version();
  const Calls calls{ClientVerb::kDiscover, {gv.group, gv.version, ""}};
  cluster_.Publish(gv, {{"Widget", "widgets", true, {}}});
  client_.FailNext(calls, absl::UnavailableError("away"));
  client_.LoseNext(calls);
  EXPECT_EQ(RunOn(io_, client_.Discover(gv)).status(), absl::UnavailableError("away"));
  EXPECT_EQ(RunOn(io_, client_.Discover(gv)).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(RunOn(io_, client_.Discover(gv)), IsOkAndHolds(::testing::SizeIs(1)));
  EXPECT_EQ(client_.calls(calls), 3);
  EXPECT_EQ(cluster_.calls(ClientVerb::kDiscover, calls.gvr), 2);
}

TEST_F(HookClientTest, ForwardsWhatTheServerSaysOfItself) {
  struct Server : FakeClient {
    Task<std::string> ServerVersion() override { co_return "v1.36.0"; }
    Task<absl::Time> ServerTime() override { co_return absl::UnixEpoch(); }
  } server;
  HookClient client(server);
  EXPECT_THAT(RunOn(io_, client.ServerVersion()), IsOkAndHolds("v1.36.0"));
  EXPECT_THAT(RunOn(io_, client.ServerTime()), IsOkAndHolds(absl::UnixEpoch()));
}

TEST_F(HookClientTest, AHookDecidesAboutEachCall) {
  cluster_.Put(kWidgets, Widget("a"));
  Hook hook;
  std::vector<std::string> seen;
  hook.decide = [&seen](const HookedCall& call) -> HookedFate {
    seen.push_back(std::string(VerbText(call.verb)) + " " + call.name.name + " " + call.as);
    if (call.verb == ClientVerb::kDelete) return HookedFate::kLose;
    return call.name.name == "b" ? absl::AbortedError("no") : absl::OkStatus();
  };
  HookClient client(cluster_, hook);
  const std::unique_ptr<Client> alice = client.As({"alice"});
  const NamespacedName a{"n", "a"}, b{"n", "b"};
  EXPECT_OK(RunOn(io_, client.Get(kWidgets, a)));
  EXPECT_EQ(RunOn(io_, alice->Get(kWidgets, b)).status(), absl::AbortedError("no"));
  const DeleteOptions options;
  EXPECT_EQ(RunOn(io_, client.Delete(kWidgets, a, options)).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(cluster_.Objects(kWidgets).empty());
  EXPECT_THAT(seen, ::testing::ElementsAre("get a ", "get b alice", "delete a "));
}

}  // namespace
}  // namespace steward::kube
