// Watches of the REST client.
#include <string>
#include <vector>

#include "base/text/str_cat.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_test_fixture.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Then = TestServer::Then;
using Type = WatchEvent::Type;
using Event = std::optional<WatchEvent>;

std::string Frame(std::string_view type, std::string_view name, int revision) {
  return StrCat(R"({"type":")", type, R"(","object":{"metadata":{"name":")", name,
                R"(","resourceVersion":")", revision, "\"}}}\n");
}

class RestWatchTest : public RestTest {
 protected:
  // Starts a watch that the server has accepted and holds.
  void StartWatch(RestClientOptions options = {}, Then then = Then::kHold,
                  std::string_view first_bytes = "") {
    Connect(Config(), std::move(options));
    server_->Answer(StrCat(ChunkedHead(), first_bytes), then);
    WatchOptions watch;
    watch.resource_version = "5";
    ASSERT_OK_AND_ASSIGN(watch_, Finish(client_->StartWatch(kPods, watch)));
  }
  ~RestWatchTest() override {
    RunOn(io_, calls_.Stop());
    watch_.reset();
  }
  absl::StatusOr<Event> Next() { return Finish(watch_->Next()); }

  std::unique_ptr<Watch> watch_;
};

TEST_F(RestWatchTest, DeliversEventsAsTheyCome) {
  StartWatch();
  EXPECT_THAT(server_->requests()[0],
              StartsWith("GET /api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5"
                         "&timeoutSeconds=300 HTTP/1.1\r\n"));
  const auto first = Begin(watch_->Next());
  io_.poll();
  EXPECT_FALSE(first->has_value());
  // Frames and chunks do not begin at the same places.
  const std::string frames = StrCat(Frame("ADDED", "a", 6), Frame("MODIFIED", "a", 7));
  server_->Push(Chunk(frames.substr(0, 30)));
  server_->Push(Chunk(frames.substr(30)));
  RunUntil([&] { return first->has_value(); });
  ASSERT_OK_AND_ASSIGN(const Event added, **first);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->type, Type::kAdded);
  EXPECT_EQ(added->resource_version, "6");
  EXPECT_EQ(added->object.json, R"({"metadata":{"name":"a","resourceVersion":"6"}})");
  ASSERT_OK_AND_ASSIGN(const Event modified, Next());
  EXPECT_EQ(modified->type, Type::kModified);
  server_->Push(Chunk(StrCat(Frame("DELETED", "a", 8), Frame("BOOKMARK", "", 9))));
  ASSERT_OK_AND_ASSIGN(const Event deleted, Next());
  EXPECT_EQ(deleted->type, Type::kDeleted);
  ASSERT_OK_AND_ASSIGN(const Event bookmark, Next());
  EXPECT_EQ(bookmark->type, Type::kBookmark);
  EXPECT_EQ(bookmark->resource_version, "9");
  server_->Push(Chunk(""));
  ASSERT_OK_AND_ASSIGN(const Event end, Next());
  EXPECT_FALSE(end);
  ASSERT_OK_AND_ASSIGN(const Event still_over, Next());
  EXPECT_FALSE(still_over);
}

TEST_F(RestWatchTest, ErrorEventIsItsStatus) {
  const std::string status = ToJson(Expired("too old resource version: 5 (99)"));
  StartWatch({}, Then::kHold, Chunk(StrCat(R"({"type":"ERROR","object":)", status, "}\n")));
  const absl::Status error = Next().status();
  EXPECT_TRUE(HasReason(error, "Expired"));
  ASSERT_OK_AND_ASSIGN(const Event end, Next());
  EXPECT_FALSE(end);
}

TEST_F(RestWatchTest, RefusedWatchIsAnError) {
  Connect();
  server_->Answer(Response(410, ToJson(Expired("too old"))));
  const WatchOptions options;
  EXPECT_TRUE(HasReason(Finish(client_->StartWatch(kPods, options)).status(), "Expired"));
}

struct BrokenStream {
  const char* name;
  std::string bytes;
  absl::StatusCode code;
};

TEST_F(RestWatchTest, BrokenStreams) {
  const std::vector<BrokenStream> rows = {
      {"cut between frames", "", absl::StatusCode::kUnavailable},
      {"cut within a chunk", "20\r\n{\"type\"", absl::StatusCode::kUnavailable},
      {"ended within a frame", StrCat(Chunk("{\"type\""), Chunk("")), absl::StatusCode::kDataLoss},
      {"rubbish", Chunk("<html>\n"), absl::StatusCode::kDataLoss},
      {"unknown type", Chunk(Frame("NEWS", "a", 6)), absl::StatusCode::kDataLoss},
      {"no HTTP chunk", "zz\r\n", absl::StatusCode::kUnavailable},
  };
  for (const BrokenStream& row : rows) {
    SCOPED_TRACE(row.name);
    StartWatch({}, Then::kClose, StrCat(Chunk(Frame("ADDED", "a", 6)), row.bytes));
    ASSERT_OK_AND_ASSIGN(const Event event, Next());
    EXPECT_TRUE(event);
    EXPECT_THAT(Next(), StatusIs(row.code));
    watch_.reset();
  }
}

TEST_F(RestWatchTest, SilenceIsAnError) {
  StartWatch();
  const auto next = Begin(watch_->Next());
  RunUntil([&] { return clock_.sleepers() == 1; });
  clock_.Advance(absl::Minutes(3));
  RunUntil([&] { return next->has_value(); });
  EXPECT_THAT(**next, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(RestWatchTest, EventsRestartTheSilenceButNotTheLife) {
  StartWatch();
  for (int minute = 2; minute <= 4; minute += 2) {
    const auto next = Begin(watch_->Next());
    RunUntil([&] { return clock_.sleepers() == 1; });
    clock_.Advance(absl::Minutes(2));
    server_->Push(Chunk(Frame("BOOKMARK", "", minute)));
    RunUntil([&] { return next->has_value(); });
    EXPECT_OK(**next);
  }
  // The watch asked for 5 minutes; the grace is 30 seconds.
  const auto next = Begin(watch_->Next());
  RunUntil([&] { return clock_.sleepers() == 1; });
  clock_.Advance(absl::Seconds(90) - absl::Milliseconds(1));
  io_.poll();
  EXPECT_FALSE(next->has_value());
  clock_.Advance(absl::Milliseconds(1));
  RunUntil([&] { return next->has_value(); });
  EXPECT_THAT(**next, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(RestWatchTest, DestroyingEndsIt) {
  StartWatch();
  EXPECT_EQ(server_->connections_open(), 1);
  watch_.reset();
  RunUntil([&] { return server_->connections_open() == 0; });
}

TEST_F(RestWatchTest, CancelledNextEndsIt) {
  StartWatch();
  const auto next = Begin(watch_->Next());
  RunUntil([&] { return clock_.sleepers() == 1; });
  RunOn(io_, calls_.Stop());
  EXPECT_FALSE(next->has_value());
  const auto over = RunOn(io_, watch_->Next());
  ASSERT_OK(over);
  EXPECT_FALSE(over->has_value());
}

TEST_F(RestWatchTest, CleanEndKeepsTheConnection) {
  StartWatch({}, Then::kKeepAlive, Chunk(""));
  ASSERT_OK_AND_ASSIGN(const Event end, Next());
  EXPECT_FALSE(end);
  server_->Answer(Response(200, kEmptyList));
  EXPECT_OK(List());
  EXPECT_EQ(server_->connections_accepted(), 1);
}

}  // namespace
}  // namespace steward::kube
