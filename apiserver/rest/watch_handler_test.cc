#include "apiserver/rest/watch_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/encoding/body_stream.h"
#include "apiserver/rest/handler.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "apiserver/rest/testing/fake_watcher.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/broadcast.h"
#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/async/yield.h"
#include "base/clock/fake_clock.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::StartsWith;

using Query = std::vector<std::pair<std::string, std::string>>;
constexpr auto kAdded = WatchEvent::Type::kAdded;

http::Request WatchRequest(Query query = {}) {
  http::Request request;
  request.method = "GET";
  request.path = "/apis/example.com/v1/namespaces/ns1/widgets";
  request.query = std::move(query);
  request.query.emplace_back("watch", "true");
  request.info = {true, "watch", "example.com", "v1", "ns1", "widgets", "", ""};
  request.user.name = "alice";
  return request;
}

std::string Frame(const std::string& name, const std::string& version) {
  return R"({"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Widget","metadata":)"
         R"({"name":")" +
         name + R"(","namespace":"ns1","resourceVersion":")" + version +
         R"(","labels":{}},"spec":{"note":""}}})"
         "\n";
}

// A client that reads only when told to.
class SlowWriter : public RecordingWriter {
 public:
  StatusTask Write(std::vector<http::Segment> segments) override {
    ++waiting_;
    const Broadcast::Ticket ticket = read_.Now();
    co_await read_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
    --waiting_;
    co_return co_await RecordingWriter::Write(std::move(segments));
  }
  void Read() { read_.Notify(); }
  int waiting() const { return waiting_; }

 private:
  Broadcast read_;
  int waiting_ = 0;
};

class WatchHandlerTest : public testing::Test {
 protected:
  WatchHandlerTest() : fake_({}) {
    Resource resource = fake_.Definition();
    watcher_.AddTo(resource);
    handler_ = MakeResourceHandler({resource}, {.random = random_,
                                                .min_request_timeout = absl::Seconds(100),
                                                .stop = [this] { return &stop_; },
                                                .clock = clock_});
  }

  // Sends the request; returns the status.
  int Ask(http::Request request) {
    boost::asio::io_context io;
    writer_ = RecordingWriter();
    RunOn(io, handler_(request, writer_));
    EXPECT_EQ(writer_.misuse(), "");
    EXPECT_TRUE(writer_.finished());
    EXPECT_EQ(watcher_.streams(), 0);
    return writer_.status();
  }

  FakeClock clock_;
  FixedRandom random_{0.25};
  StopSignal stop_;
  FakeResource fake_;
  FakeWatcher watcher_;
  http::Handler handler_;
  RecordingWriter writer_;
};

TEST_F(WatchHandlerTest, EventsUntilTheEnd) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  watcher_.Event(kAdded, FakeObject("ns1", "b"), "81").at_hand = false;
  watcher_.Bookmark("82");
  watcher_.End().at_hand = false;
  http::Request request = WatchRequest();
  request.headers.Add("Accept-Encoding", "gzip");
  request.headers.Add("User-Agent", "curl/8.0");  // indented elsewhere
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_EQ(writer_.Header("Content-Type"), "application/json");
  EXPECT_EQ(writer_.Header("Content-Encoding"), "");
  EXPECT_FALSE(writer_.head().content_length);
  const std::string bookmark =
      R"({"type":"BOOKMARK","object":{"kind":"Widget","apiVersion":"example.com/v1",)"
      R"("metadata":{"resourceVersion":"82","creationTimestamp":null}}})"
      "\n";
  EXPECT_EQ(writer_.body(), Frame("a", "80") + Frame("b", "81") + bookmark);
  // Available events are sent in one piece.
  EXPECT_EQ(writer_.writes(), (std::vector<size_t>{Frame("a", "80").size(),
                                                   Frame("b", "81").size() + bookmark.size()}));
}

TEST_F(WatchHandlerTest, AMessageForEachEvent) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  watcher_.Event(kAdded, FakeObject("ns1", "b"), "81");
  watcher_.Error(kube::ToStatus(kube::Expired("too old resource version: 1 (5)")));
  http::Request request = WatchRequest();
  request.websocket = true;
  Ask(std::move(request));
  EXPECT_TRUE(writer_.head().websocket);
  EXPECT_EQ(writer_.Header("Content-Type"), "");
  ASSERT_EQ(writer_.writes().size(), 3u);
  EXPECT_EQ(writer_.writes()[0], Frame("a", "80").size());
  EXPECT_EQ(writer_.writes()[1], Frame("b", "81").size());
  EXPECT_THAT(writer_.body(), StartsWith(Frame("a", "80") + Frame("b", "81") +
                                         R"({"type":"ERROR","object":{"kind":"Status")"));
}

TEST_F(WatchHandlerTest, AWebSocketsRefusalIsAnswered) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  http::Request request = WatchRequest();
  request.websocket = true;
  RecordingWriter writer;
  writer.RefuseWebSockets(absl::PermissionDeniedError("no origin"));
  boost::asio::io_context io;
  RunOn(io, handler_(request, writer));
  EXPECT_EQ(writer.status(), 403);
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_THAT(writer.body(), HasSubstr(R"("message":"forbidden: no origin","reason":"Forbidden")"));
  EXPECT_EQ(watcher_.asked(), 0);
}

TEST_F(WatchHandlerTest, WhatIsNoWatchIsNoWebSocket) {
  http::Request request = WatchRequest();
  request.websocket = true;
  request.info.verb = "list";
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_FALSE(writer_.head().websocket);
  EXPECT_EQ(writer_.Header("Content-Type"), "application/json");
}

TEST_F(WatchHandlerTest, AnEmptyStreamIsAnEmptyBody) {
  watcher_.End();
  EXPECT_EQ(Ask(WatchRequest()), 200);
  EXPECT_EQ(writer_.body(), "");
}

TEST_F(WatchHandlerTest, AnErrorIsTheLastFrame) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  watcher_.Error(kube::ToStatus(kube::Expired("too old resource version: 1 (5)")));
  watcher_.Event(kAdded, FakeObject("ns1", "b"), "81");
  EXPECT_EQ(Ask(WatchRequest()), 200);
  EXPECT_EQ(writer_.body(),
            Frame("a", "80") +
                R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                R"j("status":"Failure","message":"too old resource version: 1 (5)",)j"
                R"("reason":"Expired","code":410}})"
                "\n");
  EXPECT_EQ(watcher_.asked(), 2);
}

TEST_F(WatchHandlerTest, Forms) {
  constexpr char kTable[] = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const struct {
    std::string accept;
    Query query;
    int status;
    std::string want;
  } kRows[] = {
      {"application/json;stream=watch", {}, 200, R"({"type":"ADDED","object":{"apiVersion")"},
      {"*/*", {}, 200, R"({"type":"ADDED","object":{"apiVersion")"},
      {"application/yaml, application/json", {}, 200, R"({"type":"ADDED","object":{"apiVersion")"},
      {std::string(kTable) + ",application/json",
       {},
       200,
       R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1")"},
      {kTable, {{"includeObject", "None"}}, 200, R"({"cells":["a",0],"object":null})"},
      {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
       "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
       {},
       200,
       R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata")"},
      {"application/yaml",
       {},
       406,
       "only the following media types are accepted: application/json;stream=watch"},
      {"application/vnd.kubernetes.protobuf;stream=watch",
       {},
       406,
       "only the following media types are accepted: application/json, application/yaml"},
      {"application/yaml", {{"limit", "x"}}, 400, "strconv.ParseInt"},
      {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
       {},
       406,
       "the requested object is not a list (*v1.Widget)"},
      {kTable, {{"includeObject", "x"}}, 400, "Unable to convert to Table as requested"},
      {"application/yaml;as=Table;g=meta.k8s.io;v=v1",
       {{"includeObject", "x"}},
       400,
       "Unable to convert to Table as requested"},
  };
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  watcher_.End();
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.accept);
    const int before = watcher_.calls();
    http::Request request = WatchRequest(row.query);
    request.headers.Add("Accept", row.accept);
    EXPECT_EQ(Ask(std::move(request)), row.status);
    EXPECT_THAT(writer_.body(), HasSubstr(row.want));
    EXPECT_EQ(watcher_.calls() - before, row.status == 200 ? 1 : 0);
  }
}

TEST_F(WatchHandlerTest, Options) {
  const struct {
    std::string name;
    Query query;
    std::string version;
    bool bookmarks, initial;
    absl::Duration timeout;
  } kRows[] = {
      {"kubectl", {{"resourceVersion", "5"}}, "5", false, false, absl::Seconds(125)},
      {"from nowhere", {}, "", false, true, absl::Seconds(125)},
      {"zero seconds", {{"timeoutSeconds", "0"}}, "", false, true, absl::Seconds(125)},
      {"reflector",
       {{"sendInitialEvents", "true"},
        {"resourceVersionMatch", "NotOlderThan"},
        {"allowWatchBookmarks", "true"},
        {"timeoutSeconds", "300"}},
       "",
       true,
       true,
       absl::Seconds(300)},
      {"from now on",
       {{"sendInitialEvents", "false"}, {"resourceVersionMatch", "NotOlderThan"}},
       "",
       false,
       false,
       absl::Seconds(125)},
      {"backwards", {{"timeoutSeconds", "-5"}}, "", false, true, absl::ZeroDuration()},
      {"for ever", {{"timeoutSeconds", "9223372036854775807"}}, "", false, true, absl::Minutes(51)},
  };
  watcher_.End();
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Ask(WatchRequest(row.query)), 200);
    const WatchOptions& got = watcher_.last_options();
    EXPECT_EQ(got.resource_version, row.version);
    EXPECT_EQ(got.bookmarks, row.bookmarks);
    EXPECT_EQ(got.send_initial_events, row.initial);
    EXPECT_EQ(got.timeout, row.timeout);
    EXPECT_EQ(got.asker, "alice");
  }
}

// Watches without events end, too.
TEST_F(WatchHandlerTest, NoWatchOutlivesTheCredentialsOfItsUser) {
  struct Row {
    absl::Duration left;
    absl::Duration timeout;
  };
  const Row rows[] = {
      {absl::Seconds(20), absl::Seconds(20)},
      {absl::Seconds(-1), absl::ZeroDuration()},
      {absl::Hours(2), absl::Seconds(300)},
  };
  watcher_.End();
  for (const Row& row : rows) {
    SCOPED_TRACE(row.left);
    http::Request request = WatchRequest({{"timeoutSeconds", "300"}});
    request.user.until = clock_.Now() + row.left;
    EXPECT_EQ(Ask(std::move(request)), 200);
    EXPECT_EQ(watcher_.last_options().timeout, row.timeout);
  }
}

TEST_F(WatchHandlerTest, SelectionsArePassedOn) {
  watcher_.End();
  http::Request request =
      WatchRequest({{"labelSelector", "x=y"}, {"fieldSelector", "metadata.name=a"}});
  request.info.name = "a";
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_EQ(watcher_.last_selection().ns, "ns1");
  EXPECT_EQ(watcher_.last_selection().labels.ToString(), "x=y");
  EXPECT_EQ(*watcher_.last_selection().fields.RequiredValue("metadata.name"), "a");
}

TEST_F(WatchHandlerTest, Refusals) {
  const struct {
    Query query;
    int status;
    std::string message;
  } kRows[] = {
      {{{"sendInitialEvents", "true"}}, 422, "sendInitialEvents requires setting"},
      {{{"resourceVersionMatch", "NotOlderThan"}}, 422, "forbidden for watch unless"},
      {{{"fieldSelector", "spec.x=y"}}, 400, "is not a known field selector"},
      {{{"timeoutSeconds", "x"}}, 400, "strconv.ParseInt"},
      {{{"resourceVersion", "x"}}, 400, "invalid resource version"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.message);
    EXPECT_EQ(Ask(WatchRequest(row.query)), row.status);
    EXPECT_THAT(writer_.body(), HasSubstr(row.message));
  }
  EXPECT_EQ(watcher_.calls(), 0);

  watcher_.Fail(kube::ToStatus(kube::ServiceUnavailable("not synced yet", 1)));
  EXPECT_EQ(Ask(WatchRequest()), 503);
  EXPECT_EQ(writer_.Header("Retry-After"), "1");
}

// Runs a watch for as long as the test needs.
class LiveWatchTest : public WatchHandlerTest {
 protected:
  ~LiveWatchTest() override {
    RunOn(io_, tasks_.Stop());
    EXPECT_EQ(watcher_.streams(), 0);
  }

  template <typename Writer>
  void Start(Writer& writer) {
    request_ = WatchRequest();
    tasks_.Spawn("watch", handler_(request_, writer));
    Settle();
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_;
  TaskGroup tasks_{io_.get_executor()};
  http::Request request_;
};

TEST_F(LiveWatchTest, TheHeadGoesOutAtOnce) {
  RecordingWriter writer;
  Start(writer);
  EXPECT_EQ(writer.status(), 200);
  EXPECT_EQ(writer.body(), "");
  EXPECT_EQ(watcher_.streams(), 1);
}

TEST_F(LiveWatchTest, EventsAreNotHeldBack) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  RecordingWriter writer;
  Start(writer);
  EXPECT_EQ(writer.body(), Frame("a", "80"));
  EXPECT_FALSE(writer.finished());
}

TEST_F(LiveWatchTest, NothingIsAskedForWhileTheClientDoesNotRead) {
  for (int i = 0; i < 3; ++i) {
    watcher_.Event(kAdded, FakeObject("ns1", "a"), "8" + std::to_string(i)).at_hand = false;
  }
  SlowWriter writer;
  Start(writer);
  EXPECT_EQ(writer.waiting(), 1);
  EXPECT_EQ(watcher_.asked(), 1);
  Settle();
  EXPECT_EQ(watcher_.asked(), 1);
  writer.Read();
  Settle();
  EXPECT_EQ(watcher_.asked(), 2);
  EXPECT_EQ(writer.body(), Frame("a", "80"));
}

TEST_F(LiveWatchTest, ABusyStreamIsSentInChunksAndOthersGetTheirTurns) {
  for (int i = 0; i < 200; ++i) {
    watcher_.Event(kAdded, FakeObject("ns1", "a", {}, std::string(2000, 'x')), "80");
  }
  watcher_.End();
  RecordingWriter writer;
  size_t seen_by_other = 0;
  const auto look = [](RecordingWriter& writer, size_t& seen) -> VoidTask {
    co_await Yield();
    co_await Yield();
    seen = writer.body().size();
  };
  tasks_.Spawn("other", look(writer, seen_by_other));
  Start(writer);
  EXPECT_TRUE(writer.finished());
  EXPECT_LT(seen_by_other, writer.body().size() / 2);
  EXPECT_GT(writer.writes().size(), 5u);
  for (size_t bytes : writer.writes()) EXPECT_LT(bytes, BodyStream::kChunk + 3000);
}

TEST_F(LiveWatchTest, AClientThatIsGoneEndsTheStream) {
  for (int i = 0; i < 5; ++i) watcher_.Event(kAdded, FakeObject("ns1", "a"), "80").at_hand = false;
  for (int call = 0; call < 3; ++call) {
    const int before = watcher_.asked();
    RecordingWriter writer;
    writer.FailFrom(call);
    Start(writer);
    EXPECT_EQ(watcher_.streams(), 0);
    EXPECT_EQ(watcher_.asked() - before, call);
    EXPECT_FALSE(writer.finished());
    EXPECT_EQ(writer.misuse(), "");
  }
}

TEST_F(LiveWatchTest, CancellationEndsTheStream) {
  RecordingWriter writer;
  Start(writer);
  EXPECT_EQ(watcher_.streams(), 1);
  RunOn(io_, tasks_.Stop());
  EXPECT_EQ(watcher_.streams(), 0);
  EXPECT_FALSE(writer.finished());
}

TEST_F(LiveWatchTest, TheServersStopEndsAWatchThatWaits) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  RecordingWriter writer;
  Start(writer);
  EXPECT_FALSE(writer.finished());
  stop_.Set();
  Settle();
  EXPECT_TRUE(writer.finished());
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_EQ(writer.body(), Frame("a", "80"));
  EXPECT_EQ(watcher_.streams(), 0);
  EXPECT_EQ(tasks_.size(), 0u);
}

TEST_F(LiveWatchTest, WhatIsBeingWrittenIsFinishedFirst) {
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80").at_hand = false;
  watcher_.Event(kAdded, FakeObject("ns1", "b"), "81").at_hand = false;
  SlowWriter writer;
  Start(writer);
  EXPECT_EQ(writer.waiting(), 1);
  stop_.Set();
  Settle();
  EXPECT_EQ(writer.waiting(), 1);
  EXPECT_FALSE(writer.finished());
  writer.Read();
  Settle();
  EXPECT_TRUE(writer.finished());
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_EQ(writer.body(), Frame("a", "80"));
  EXPECT_EQ(watcher_.streams(), 0);
}

// The client could not continue from the last event, so one more is written.
TEST_F(LiveWatchTest, TheStopWaitsForAPlaceToContinueFrom) {
  FakeWatcher::Step& own = watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  own.at_hand = false;
  own.event->midway = true;
  watcher_.Event(kAdded, FakeObject("ns1", "b"), "81").at_hand = false;
  watcher_.Event(kAdded, FakeObject("ns1", "c"), "82").at_hand = false;
  SlowWriter writer;
  Start(writer);
  stop_.Set();
  writer.Read();
  Settle();
  EXPECT_FALSE(writer.finished());
  writer.Read();
  Settle();
  EXPECT_TRUE(writer.finished());
  EXPECT_EQ(writer.misuse(), "");
  EXPECT_EQ(writer.body(), Frame("a", "80") + Frame("b", "81"));
}

TEST_F(LiveWatchTest, AfterTheStopWatchesEndAtOnce) {
  stop_.Set();
  RecordingWriter writer;
  Start(writer);
  EXPECT_EQ(writer.status(), 200);
  EXPECT_TRUE(writer.finished());
  EXPECT_EQ(writer.body(), "");
}

// The server stops at the moment when the client leaves.
TEST_F(LiveWatchTest, CancelledWhileItStops) {
  RecordingWriter writer;
  Start(writer);
  stop_.Set();
  RunOn(io_, tasks_.Stop());
  EXPECT_EQ(watcher_.streams(), 0);
  EXPECT_EQ(writer.misuse(), "");
}

TEST_F(WatchHandlerTest, WithoutAStopSignal) {
  Resource resource = fake_.Definition();
  watcher_.AddTo(resource);
  handler_ = MakeResourceHandler({resource}, {random_, absl::Seconds(100)});
  watcher_.Event(kAdded, FakeObject("ns1", "a"), "80");
  watcher_.End();
  EXPECT_EQ(Ask(WatchRequest()), 200);
  EXPECT_EQ(writer_.body(), Frame("a", "80"));
}

TEST_F(WatchHandlerTest, OnlyWhereThereIsAWatcher) {
  handler_ = MakeResourceHandler({fake_.Definition()}, {random_, absl::Seconds(100)});
  EXPECT_EQ(Ask(WatchRequest()), 405);
  EXPECT_EQ(fake_.calls(), 0);
}

}  // namespace
}  // namespace steward::rest
