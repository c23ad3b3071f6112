#include "apiserver/http/http1/http1_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "apiserver/http/connection/connection_harness.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pointee;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kHead[] = " HTTP/1.1\r\nHost: h\r\n";

std::string Get(std::string_view path, std::string_view fields = "") {
  return StrCat("GET ", path, kHead, fields, "\r\n");
}

// The status of each response in `output`, in order.
std::vector<int> Statuses(const std::string& output) {
  std::vector<int> statuses;
  for (size_t at = output.find("HTTP/1.1 "); at != std::string::npos;
       at = output.find("HTTP/1.1 ", at + 1)) {
    int status = 0;
    EXPECT_TRUE(absl::SimpleAtoi(output.substr(at + 9, 3), &status));
    statuses.push_back(status);
  }
  return statuses;
}

Limits SmallLimits() {
  Limits limits;
  limits.max_header_bytes = 8 << 10;
  limits.max_target_bytes = 4 << 10;
  return limits;
}

struct Row {
  std::string name;
  std::string input;
  std::vector<int> statuses;
  bool stays_open;
  std::string part;  // of the output
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class Http1TableTest : public ::testing::TestWithParam<Row> {};

TEST_P(Http1TableTest, AnswersAndSurvives) {
  const Row& row = GetParam();
  // The answer is the same however the bytes are cut.
  for (const size_t piece : {row.input.size(), size_t{1}, size_t{7}}) {
    SCOPED_TRACE(piece);
    ConnectionHarness harness(MakeHttp1Connection, SmallLimits());
    for (size_t at = 0; at < row.input.size(); at += piece)
      harness.Feed(row.input.substr(at, piece));
    const std::string output = harness.stream().TakeOutput();
    EXPECT_EQ(Statuses(output), row.statuses) << output;
    EXPECT_THAT(output, HasSubstr(row.part));
    EXPECT_EQ(harness.serving(), row.stays_open);
    if (!row.statuses.empty() && !row.stays_open && row.statuses.back() >= 400) {
      EXPECT_THAT(output, HasSubstr("Connection: close\r\n"));
      EXPECT_THAT(output, HasSubstr("Content-Type: application/json\r\n"));
    }
    EXPECT_EQ(harness.request_memory(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Good, Http1TableTest,
    ::testing::Values(
        Row{"get", Get("/hello"), {200}, true, "Content-Length: 6\r\n\r\nhello\n"},
        Row{"pipelined", Get("/hello") + Get("/empty") + Get("/hello"), {200, 204, 200}, true, ""},
        Row{"close",
            Get("/hello", "Connection: close\r\n") + Get("/hello"),
            {200},
            false,
            "Connection: close\r\n"},
        Row{"head", StrCat("HEAD /hello", kHead, "\r\n"), {200}, true, "Content-Length: 6\r\n\r\n"},
        Row{"head of a stream", StrCat("HEAD /stream", kHead, "\r\n"), {200}, true, ""},
        Row{"length body",
            StrCat("POST /echo", kHead, "Content-Length: 3\r\n\r\nabc") + Get("/hello"),
            {200, 200},
            true,
            "\r\n\r\nabcHTTP/1.1 200"},
        Row{"chunked body",
            StrCat(
                "POST /echo", kHead,
                "Transfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"),
            {200},
            true,
            "\r\n\r\nabcde"},
        Row{"expects nothing",
            StrCat("POST /echo", kHead, "Expect: 100-Continue\r\nContent-Length: 0\r\n\r\n"),
            {200},
            true,
            ""},
        Row{"absolute form", StrCat("GET https://h/hello", kHead, "\r\n"), {200}, true, "hello"},
        Row{"leading CRLF after a body",
            StrCat("POST /echo", kHead, "Content-Length: 1\r\n\r\na"),
            {200},
            true,
            "\r\n\r\na"},
        Row{"1.0", "GET /hello HTTP/1.0\r\n\r\n", {200}, false, "Connection: close\r\n"},
        Row{"1.0 keep-alive",
            "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            {200},
            true,
            "Connection: keep-alive\r\n"},
        Row{"1.0 stream ends with the connection",
            "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            {200},
            false,
            "Connection: close\r\n\r\nxxx"},
        Row{"no answer", Get("/silent"), {500}, true, "\"reason\":\"InternalError\""},
        Row{"exception", Get("/throw"), {500}, true, "\"reason\":\"InternalError\""},
        Row{"a body that nobody reads",
            StrCat("POST /hello", kHead, "Content-Length: 100000000\r\n\r\n"),
            {200},
            false,
            "Connection: close\r\n"},
        Row{"a chunked body that nobody reads",
            StrCat("GET /hello", kHead, "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
            {200},
            false,
            "Connection: close\r\n"},
        Row{"204 has no length", Get("/empty"), {204}, true, ""},
        Row{"injection", Get("/empty"), {204}, true, "X-Bad: a  Injected: b\r\n"},
        Row{"asked for the end",
            Get("/close") + Get("/hello"),
            {200},
            false,
            "Connection: close\r\n"}),
    [](const auto& info) { return StrCat("n", info.index); });

INSTANTIATE_TEST_SUITE_P(
    Bad, Http1TableTest,
    ::testing::Values(
        Row{"garbage", "garbage\r\n\r\n", {400}, false, "malformed HTTP request"},
        Row{"TLS in TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15), {400}, false, ""},
        Row{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400}, false, ""},
        Row{"HTTP/0.9", "GET /\r\n\r\n", {400}, false, ""},
        Row{"bare LF", "GET / HTTP/1.1\nHost: h\n\n\r\n\r\n", {400}, false, ""},
        Row{"no host", "GET / HTTP/1.1\r\n\r\n", {400}, false, "missing required Host header"},
        Row{"two hosts", Get("/", "Host: i\r\n"), {400}, false, "too many Host headers"},
        Row{"space before colon", Get("/", "X : y\r\n"), {400}, false, ""},
        Row{"bad name", Get("/", "X(y): z\r\n"), {400}, false, ""},
        Row{"control in a value", Get("/", std::string("X: a\0b\r\n", 8)), {400}, false, ""},
        Row{"bad escape", Get("/%zz"), {400}, false, "invalid URL escape"},
        Row{"bad query", Get("/?a=%"), {400}, false, "invalid URL escape"},
        Row{"authority form", Get("h:1"), {400}, false, "invalid URI"},
        Row{"CONNECT", StrCat("CONNECT h:1", kHead, "\r\n"), {405}, false, "MethodNotAllowed"},
        Row{"length and chunked", StrCat("POST /echo", kHead, "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"),
            {400}, false, ""},
        Row{"chunked and length", StrCat("POST /echo", kHead, "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc"),
            {400}, false, ""},
        Row{"two lengths", StrCat("POST /echo", kHead, "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"), {400}, false, ""},
        Row{"negative length", StrCat("POST /echo", kHead, "Content-Length: -3\r\n\r\nabc"), {400}, false, ""},
        Row{"gzip coding", StrCat("POST /echo", kHead, "Transfer-Encoding: gzip, chunked\r\n\r\n"), {501}, false, ""},
        Row{"gzip alone", StrCat("POST /echo", kHead, "Transfer-Encoding: gzip\r\n\r\n"), {501}, false, ""},
        Row{"coding twice", StrCat("POST /echo", kHead, "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n"),
            {400}, false, ""},
        Row{"coding in 1.0", "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {501}, false, ""},
        Row{"bad chunk", StrCat("POST /echo", kHead, "Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n"), {400}, false, ""},
        Row{"expects else", Get("/", "Expect: a miracle\r\n"), {417}, false, ""},
        Row{"long body", StrCat("POST /echo", kHead, "Content-Length: 1048577\r\n\r\n"), {413}, false,
            "\"reason\":\"RequestEntityTooLarge\",\"message\":\"Request entity too large: limit is 1048576\""},
        Row{"long chunk", StrCat("POST /echo", kHead, "Transfer-Encoding: chunked\r\n\r\n100001\r\n"), {413}, false, ""},
        Row{"long field", Get("/", StrCat("X: ", std::string(9 << 10, 'x'), "\r\n")), {431}, false, "fields too large"},
        Row{"long target", Get(StrCat("/", std::string(5 << 10, 'x'))), {414}, false, "target too long: limit is 4096"},
        Row{"longer target", Get(StrCat("/", std::string(20 << 10, 'x'))), {414}, false, ""},
        Row{"target of parameters", Get(StrCat("/?", [] {
              std::string pairs;
              for (int i = 0; i < 1001; ++i) pairs += "a&";
              return pairs;
            }())), {400}, false, "more than 1000 query parameters"},
        Row{"many fields", [] {
              std::string fields;  // with Host, one field too many, but not too large
              for (int i = 0; i < 256; ++i) fields += "a:\r\n";
              return Get("/", fields);
            }(), {431}, false, "in 256 fields"}),
    [](const auto& info) { return StrCat("n", info.index); });

TEST(Http1ConnectionTest, RequestIsFilledIn) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Get("/a%20b?x=1+2", "X-Remote-Group: g1\r\nx-remote-group: g2\r\n"));
  const Request& request = harness.log().last;
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/a%20b?x=1+2");
  EXPECT_EQ(request.path, "/a b");
  EXPECT_THAT(request.Query("x"), Pointee(std::string("1 2")));
  EXPECT_THAT(request.headers.FindAll("X-Remote-Group"), ElementsAre("g1", "g2"));
  EXPECT_EQ(request.protocol, "HTTP/1.1");
  EXPECT_EQ(request.remote_address, "192.0.2.1:55");
  ASSERT_NE(request.peer, nullptr);
  EXPECT_THAT(request.peer->der, ElementsAre("leaf"));
}

TEST(Http1ConnectionTest, TrailersAreNoHeaders) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(StrCat("POST /echo", kHead,
                      "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Remote-User: root\r\n\r\n"));
  EXPECT_THAT(harness.log().requests, SizeIs(1));
  EXPECT_EQ(harness.log().last.headers.Find("X-Remote-User"), nullptr);
}

TEST(Http1ConnectionTest, StreamsInChunksWithBackPressure) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.stream().HoldWrites(true);
  harness.Feed(Get("/stream"));
  EXPECT_EQ(harness.log().writes, 0u);
  EXPECT_EQ(harness.log().hanging, 1);
  harness.stream().HoldWrites(false);
  harness.Run();
  EXPECT_EQ(harness.log().writes, 100u);
  const std::string output = harness.stream().TakeOutput();
  EXPECT_THAT(output, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(output, HasSubstr("\r\n\r\n10000\r\nxxx"));
  EXPECT_THAT(output, EndsWith("xx\r\n0\r\n\r\n"));
  EXPECT_TRUE(harness.serving());
}

TEST(Http1ConnectionTest, WritesAreFlushedAtOnce) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Get("/open"));
  EXPECT_THAT(harness.stream().TakeOutput(), EndsWith("\r\n\r\n6\r\nevent\n\r\n"));
}

TEST(Http1ConnectionTest, ClientGoneCancelsTheHandler) {
  for (const bool orderly : {true, false}) {
    SCOPED_TRACE(orderly);
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(Get("/hang"));
    EXPECT_EQ(harness.log().hanging, 1);
    if (orderly) {
      harness.End();
    } else {
      harness.stream().Abort();
      harness.Run();
    }
    EXPECT_EQ(harness.log().hanging, 0);
    EXPECT_FALSE(harness.serving());
  }
}

TEST(Http1ConnectionTest, WrongBodiesCutTheConnection) {
  for (const std::string path : {"/short", "/long", "/half"}) {
    SCOPED_TRACE(path);
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(Get(path) + Get("/hello"));
    EXPECT_TRUE(harness.stream().aborted());
    EXPECT_FALSE(harness.serving());
    EXPECT_THAT(harness.stream().TakeOutput(), Not(HasSubstr("\r\n0\r\n\r\n")));
    EXPECT_THAT(harness.log().requests, SizeIs(1));
  }
}

TEST(Http1ConnectionTest, Deadlines) {
  struct Case {
    std::string name;
    std::string input;
    int survives;  // seconds
    int ends;
  };
  const Case cases[] = {
      {"nothing sent", "", 14, 17},
      {"idle after a stranger's request", Get("/stranger"), 14, 17},
      {"half a header", "GET / HTT", 31, 34},
      {"half a body", StrCat("POST /echo", kHead, "Content-Length: 9\r\n\r\nabc"), 59, 62},
      {"idle after a request", Get("/hello"), 89, 92},
      {"half a second request", Get("/hello") + "GET", 31, 34},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(c.input);
    harness.Tick(c.survives);
    EXPECT_TRUE(harness.serving());
    harness.Tick(c.ends - c.survives);
    EXPECT_FALSE(harness.serving());
  }
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Get("/hang"));
  harness.Tick(1000);
  EXPECT_TRUE(harness.serving()) << "a handler takes as long as it takes";
}

TEST(Http1ConnectionTest, AHeaderThatDripsInEndsInTime) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed("GET / HTTP/1.1\r\n");
  for (int i = 0; i < 34; ++i) {
    harness.Feed("a: b\r\n");
    harness.Tick(1);
  }
  EXPECT_FALSE(harness.serving());
}

TEST(Http1ConnectionTest, ShutdownLetsTheRequestFinish) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(StrCat("POST /echo", kHead, "Content-Length: 3\r\n\r\na"));
  harness.connection().BeginShutdown();
  harness.Run();
  EXPECT_TRUE(harness.serving());
  harness.Feed("bc");
  EXPECT_THAT(harness.stream().TakeOutput(), EndsWith("Connection: close\r\n\r\nabc"));
  EXPECT_FALSE(harness.serving());
}

TEST(Http1ConnectionTest, ShutdownEndsAnIdleConnection) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Get("/hello"));
  harness.connection().BeginShutdown();
  harness.Run();
  EXPECT_FALSE(harness.serving());
}

TEST(Http1ConnectionTest, PipelinedInputIsBounded) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(Get("/hang"));
  // The connection reads no further while the handler runs and 16 KiB wait.
  for (int i = 0; i < 100; ++i) harness.Feed(std::string(8 << 10, 'x'));
  EXPECT_LE(harness.request_memory(), size_t{64} << 10);
}

TEST(Http1ConnectionTest, RequestMemoryIsBounded) {
  Limits limits;
  limits.max_request_memory = 100 << 10;
  ConnectionHarness harness(MakeHttp1Connection, limits);
  harness.Feed(StrCat("POST /echo", kHead, "Content-Length: 200000\r\n\r\n"));
  for (int i = 0; i < 20; ++i) harness.Feed(std::string(8 << 10, 'x'));
  const std::string output = harness.stream().TakeOutput();
  EXPECT_THAT(output, StartsWith("HTTP/1.1 503 "));
  EXPECT_FALSE(harness.serving());
  EXPECT_EQ(harness.request_memory(), 0u);

  // A header that does not end is refused in the same way.
  ConnectionHarness other(MakeHttp1Connection, limits);
  other.Feed("GET / HTTP/1.1\r\nX: ");
  for (int i = 0; i < 20; ++i) other.Feed(std::string(8 << 10, 'x'));
  const std::string refusal = other.stream().TakeOutput();
  EXPECT_THAT(Statuses(refusal), ElementsAre(503));
  EXPECT_THAT(refusal, HasSubstr("Retry-After: 1\r\n"));
}

TEST(Http1ConnectionTest, TheHandlerStartsBeforeTheBodyComes) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.Feed(StrCat("POST /hang", kHead, "Content-Length: 3145728\r\n\r\n"));
  EXPECT_EQ(harness.log().hanging, 1);
  // The bytes of the body are not received.
  for (int i = 0; i < 300; ++i) harness.Feed(std::string(8 << 10, 'x'));
  EXPECT_LE(harness.request_memory(), size_t{64} << 10);
}

TEST(Http1ConnectionTest, TheBodyIsInvitedWhenItIsWanted) {
  for (const bool wanted : {true, false}) {
    SCOPED_TRACE(wanted);
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(StrCat("POST ", wanted ? "/echo" : "/hello", kHead,
                        "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"));
    if (!wanted) {
      EXPECT_THAT(Statuses(harness.stream().TakeOutput()), ElementsAre(200));
      EXPECT_FALSE(harness.serving());
      continue;
    }
    EXPECT_EQ(harness.stream().TakeOutput(), "HTTP/1.1 100 Continue\r\n\r\n");
    harness.Feed(StrCat("abc", Get("/hello")));
    EXPECT_THAT(Statuses(harness.stream().TakeOutput()), ElementsAre(200, 200));
    EXPECT_TRUE(harness.serving());
  }
}

TEST(Http1ConnectionTest, ASmallResponseIsTheConnectionsBusiness) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.stream().HoldWrites(true);
  harness.Feed(Get("/hello"));
  EXPECT_EQ(harness.log().returned, 1u) << "no handler waits for a client to take six bytes";
  EXPECT_EQ(harness.stream().write_window(), absl::Seconds(10));
  EXPECT_GT(harness.request_memory(), 0u);
  harness.stream().HoldWrites(false);
  harness.Feed(Get("/open"));
  EXPECT_EQ(harness.stream().write_window(), absl::Seconds(10));
  EXPECT_THAT(Statuses(harness.stream().TakeOutput()), ElementsAre(200, 200));
}

TEST(Http1ConnectionTest, OnlyIdleStrangersMakeRoom) {
  struct Case {
    std::string name;
    std::string input;
    bool shed;
  };
  const Case cases[] = {
      {"nothing sent", "", true},
      {"half a header", "GET / HTT", true},
      {"a stranger's request", Get("/stranger"), true},
      {"a user's request", Get("/hello"), false},
      {"a user's, and then a stranger's", Get("/hello") + Get("/stranger"), false},
      {"one that runs", Get("/hang"), false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(c.input);
    harness.Shed();
    EXPECT_EQ(harness.serving(), !c.shed);
  }
}

TEST(Http1ConnectionTest, AResponseThatIsNotTakenIsNoRequestThatRuns) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.stream().HoldWrites(true);
  harness.Feed(Get("/stranger"));
  EXPECT_EQ(harness.log().returned, 1u);
  harness.Shed();
  EXPECT_FALSE(harness.serving());
}

// The answer's handler holds a place, and other requests wait at most 15 s for a place.
TEST(Http1ConnectionTest, OnlyAWatchMayStallForLong) {
  for (const std::string path : {"/stream", "/start", "/length"}) {
    SCOPED_TRACE(path);
    const bool watch = path == "/stream";
    ConnectionHarness harness(MakeHttp1Connection);
    harness.Feed(Get(path));
    EXPECT_EQ(harness.log().writes, 100u);
    // The window of the first write, because the last write has that of the response's end.
    EXPECT_EQ(harness.stream().longest_write_window(), absl::Seconds(watch ? 60 : 10));
    EXPECT_EQ(harness.stream().highest_write_rate(), 16u << 10);
  }
}

TEST(Http1ConnectionTest, NoHandlerStaysForBytesThatOthersHoldToo) {
  ConnectionHarness harness(MakeHttp1Connection);
  harness.stream().HoldWrites(true);
  harness.Feed(Get("/spliced"));
  EXPECT_EQ(harness.log().returned, 1u);
  EXPECT_LT(harness.request_memory(), 100u << 10);
  EXPECT_EQ(harness.stream().write_window(), absl::Seconds(10));
  harness.stream().HoldWrites(false);
  harness.Run();
  EXPECT_EQ(harness.request_memory(), 0u);
}

TEST(Http1ConnectionTest, WhatWaitsForAWatchIsCounted) {
  Limits limits;
  for (const size_t memory : {size_t{1} << 20, size_t{128} << 10}) {
    limits.max_request_memory = memory;
    ConnectionHarness harness(MakeHttp1Connection, limits);
    harness.stream().HoldWrites(true);
    harness.Feed(Get("/chatter"));
    harness.stream().HoldWrites(false);
    harness.Run();
    const bool enough = memory == 1 << 20;
    EXPECT_EQ(harness.watches_reset(), enough ? 0u : 1u);
    EXPECT_EQ(harness.log().hanging, enough ? 1 : 0);
    EXPECT_EQ(harness.serving(), enough);
  }
}

TEST(Http1ConnectionTest, AnIdleFrontProxyStays) {
  ConnectionHarness harness(MakeHttp1Connection, {}, {}, /*front_proxy=*/true);
  harness.Tick(89);
  EXPECT_TRUE(harness.serving());
  harness.Tick(3);
  EXPECT_FALSE(harness.serving());
}

TEST(Http1ConnectionTest, NothingIsReadBeyondDroppedBytes) {
  Limits limits;
  limits.max_request_memory = 32 << 10;  // half of it is reserved for front proxies
  ConnectionHarness harness(MakeHttp1Connection, limits);
  harness.stream().HoldWrites(true);
  harness.Feed(Get("/hello"));
  // During that answer a request arrives whose middle part finds no memory, then its end.
  harness.Feed(StrCat("GET /smuggled", kHead, "X: ", std::string(8 << 10, 'x')));
  harness.Feed(std::string(20 << 10, 'x'));
  harness.Feed("\r\n\r\n");
  harness.stream().HoldWrites(false);
  harness.Run();
  EXPECT_THAT(harness.log().requests, ElementsAre("GET /hello"));
  EXPECT_THAT(Statuses(harness.stream().TakeOutput()), ElementsAre(200, 503));
  EXPECT_FALSE(harness.serving());
}

}  // namespace
}  // namespace steward::http
